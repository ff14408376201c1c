"""`list_files`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed

D = tf.data.Dataset


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "s").mkdir()
    for name in ("a1.txt", "a2.txt", ".a3.txt", "s/a1.txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a*.txt", "./a1.txt ./a2.txt"),
        ("a1.txt", "a1.txt"),
        ("*", "./.a3.txt ./a1.txt ./a2.txt ./s"),
        ("*/a?.txt", "./s/a1.txt"),
        ("./a*.txt", "./a1.txt ./a2.txt"),
        ("[a-z]2.txt", "./a2.txt"),
        (["s/*", "a*"], "./a1.txt ./a2.txt s/a1.txt"),
        (["a*", "a1*"], "./a1.txt ./a1.txt ./a2.txt"),
    ],
    ids=str,
)
def test_names_are_sorted(pattern, expected):
    found = D.list_files(pattern, shuffle=False)
    assert b" ".join(listed(found)).decode() == expected
    assert count_of(found) == len(expected.split())


def test_names_of_a_folder(folder):
    assert listed(D.list_files(f"{folder}/a*", shuffle=False)) == [f"{folder}/a{k}.txt".encode() for k in (1, 2)]


def test_names_are_shuffled_again_in_each_iteration(tmp_path):
    for k in range(10):
        (tmp_path / f"b{k}").write_text("")
    tf.random.set_seed(1)
    files, numbers = D.list_files("b*"), D.range(10).shuffle(10)
    tf.random.set_seed(1)
    files = D.list_files("b*")
    tf.random.set_seed(1)
    numbers = D.range(10).shuffle(10)
    for _ in range(3):
        assert [int(name[3:]) for name in listed(files)] == listed(numbers)
    seeded = D.list_files("b*", seed=3)
    reference = D.range(10).shuffle(10, seed=3)
    assert [int(name[3:]) for name in listed(seeded)] == listed(reference)


@pytest.mark.parametrize("pattern", ["q*.txt", "a{1,2}.txt", "missing"])
def test_no_file_is_an_error_when_it_is_built(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        D.list_files(pattern)
    assert f"No files matched pattern: {pattern}" in str(caught.value)


def test_patterns_are_strings():
    with pytest.raises(TypeError, match="Cannot convert 5 to EagerTensor of dtype string"):
        D.list_files(5)
