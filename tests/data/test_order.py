"""The orders of `shuffle`, number by number."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import listed

D = tf.data.Dataset

# The number of elements, the buffer, the global seed, the op's seed, whether it reshuffles, and the first epochs.
VECTORS = """
10 10 none 0 True | 2 0 1 4 5 6 9 7 8 3 / 9 3 6 5 7 2 1 8 0 4 / 7 3 6 8 2 0 4 9 1 5
10 10 none 1 True | 0 9 5 1 2 7 3 8 6 4 / 8 9 7 5 4 6 2 1 0 3 / 5 6 7 1 3 0 9 8 4 2
10 10 none 1 False | 7 9 3 6 5 1 8 4 0 2
10 10 none 42 True | 5 9 6 4 7 1 2 8 3 0 / 3 7 6 5 8 4 0 1 9 2 / 2 8 9 6 0 4 1 3 5 7
10 3 none 1 True | 1 3 0 5 2 6 7 8 9 4 / 1 3 0 5 4 6 8 9 2 7 / 0 3 1 5 6 7 8 4 9 2
10 3 none 1 False | 0 3 2 4 5 7 6 9 1 8
10 100 none 1 True | 0 9 5 1 2 7 3 8 6 4 / 8 9 7 5 4 6 2 1 0 3 / 5 6 7 1 3 0 9 8 4 2
10 1 none 1 True | 0 1 2 3 4 5 6 7 8 9 / 0 1 2 3 4 5 6 7 8 9 / 0 1 2 3 4 5 6 7 8 9
10 10 none -5 True | 6 5 3 2 7 8 1 0 9 4 / 1 8 7 6 5 3 0 2 9 4 / 3 2 9 1 6 5 8 7 0 4
10 10 none 2147483655 True | 5 3 0 2 6 4 1 7 9 8 / 9 6 4 3 0 1 2 5 8 7 / 7 0 9 1 5 2 4 6 3 8
10 10 none 1099511627777 True | 7 2 6 9 0 4 3 1 8 5 / 2 5 1 0 8 9 4 7 3 6 / 5 1 8 2 3 9 6 4 0 7
10 10 1 none True | 6 7 0 3 4 8 9 5 1 2 / 0 3 7 1 4 8 9 5 2 6 / 7 6 0 1 9 8 4 2 5 3
10 10 1 none False | 2 4 5 6 1 3 8 0 7 9
10 10 1 1 True | 0 6 8 4 5 9 2 1 7 3 / 1 7 9 5 0 3 6 4 2 8 / 7 9 6 0 5 2 4 8 1 3
10 10 1 1 False | 0 2 5 3 1 7 8 6 9 4
10 4 42 7 True | 1 0 2 5 4 6 3 7 8 9 / 0 4 5 2 3 8 1 6 7 9 / 3 2 4 1 7 8 5 6 9 0
10 10 0 0 True | 4 9 1 0 7 3 5 2 8 6 / 0 5 2 6 4 3 7 1 8 9 / 8 0 9 4 2 7 6 5 3 1
10 10 0 none True | 3 8 7 1 9 2 0 4 5 6 / 4 2 7 0 1 5 9 3 6 8 / 9 8 3 7 2 1 0 4 5 6
10 10 8589934592 3 True | 9 6 3 5 0 8 2 4 1 7 / 6 2 5 8 3 9 0 4 7 1 / 5 0 8 2 1 9 6 7 3 4
10 10 -1 none True | 2 6 5 4 8 7 0 1 9 3 / 3 0 9 1 5 2 4 8 7 6 / 6 5 4 3 8 0 9 1 2 7
"""
ROWS = VECTORS.strip().splitlines()


@pytest.mark.parametrize("row", ROWS)
def test_epochs(row):
    arguments, _, orders = row.partition(" | ")
    count, buffer, chosen, seed, reshuffle = arguments.split()
    tf.random.set_seed(None if chosen == "none" else int(chosen))
    shuffled = D.range(int(count)).shuffle(int(buffer), None if seed == "none" else int(seed), reshuffle == "True")
    for order in orders.split(" / "):
        assert listed(shuffled) == [int(number) for number in order.split()]


@pytest.mark.parametrize(
    ("buffer", "chosen", "seed", "first", "last"),
    [
        (100, None, 7, [72, 4, 82, 43, 53, 58, 74, 25, 28, 108], [766, 971, 968, 844, 958]),
        (1000, None, 7, [372, 971, 868, 73, 561, 433, 920, 908, 132, 377], [208, 872, 670, 319, 172]),
        (64, 3, None, [27, 0, 39, 32, 22, 55, 47, 63, 66, 49], [997, 981, 918, 866, 974]),
    ],
)
@pytest.mark.parametrize("is_batched", [False, True])
def test_long_orders(buffer, chosen, seed, first, last, is_batched):
    tf.random.set_seed(chosen)
    shuffled = D.range(1000).shuffle(buffer, seed)
    found = listed(shuffled.batch(7).unbatch() if is_batched else shuffled)
    assert (found[:10], found[-5:]) == (first, last)
    assert sorted(found) == list(range(1000))


def test_each_construction_takes_a_seed_from_the_count_of_the_program():
    tf.random.set_seed(1)
    a, b = (D.range(6).shuffle(6) for _ in range(2))
    D.range(6).shuffle(6, seed=5)
    tf.random.uniform([])
    d = D.range(6).shuffle(6)
    tf.random.set_seed(2)
    assert (listed(d), listed(b), listed(a)) == ([4, 1, 5, 2, 3, 0], [3, 2, 0, 1, 4, 5], [4, 2, 1, 5, 0, 3])


def test_random_numbers():
    tf.random.set_seed(1)
    fixed = D.random(seed=4)
    for _ in range(2):
        assert listed(fixed.take(4)) == [3140572256, 1890473413, 1605976525, 2919565505]
    other = D.random(seed=4, rerandomize_each_iteration=True).take(3)
    assert listed(other) == [1031416996, 2683143056, 779117511]
    assert listed(other) == [2935086158, 1935971334, 2566657825]


def test_orders_without_seeds_differ():
    tf.random.set_seed(None)
    orders = {tuple(listed(D.range(30).shuffle(30))) for _ in range(3)}
    assert len(orders) == 3
