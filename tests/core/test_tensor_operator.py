"""Operators between tensors, variables and Python values agree with TensorFlow 2.21."""

from __future__ import annotations

import pytest

import tfcompat as tf

NAMES = {"tf": tf}

ANSWERS = [
    ("abs(tf.constant(-2))", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    ("-tf.constant(-2)", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    ("~tf.constant(True)", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("~tf.constant(2)", "<tf.Tensor: shape=(), dtype=int32, numpy=-3>"),
    ("tf.constant([1,2]) == [1,2]", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>"),
    ("tf.constant([1,2]) == [1,2,3]", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.constant([1,2]) != [1,2,3]", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant([1,2]) == None", "False"),
    ("tf.constant([1,2]) != None", "True"),
    ("tf.constant(['a','b']) == 'a'", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("'a' == tf.constant(['a','b'])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("tf.constant('a') == tf.constant('a')", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant('a') != b'a'", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.constant('a') + tf.constant('b')", "<tf.Tensor: shape=(), dtype=string, numpy=b'ab'>"),
    ("tf.constant('a') + 'b'", "<tf.Tensor: shape=(), dtype=string, numpy=b'ab'>"),
    (
        "'a' + tf.constant(['b','c'])",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'ab', b'ac'], dtype=object)>",
    ),
    ("tf.constant(True) == True", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(1) == True", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(1.) == float('nan')", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.constant([1,2]) < [2,2]", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("tf.constant([1,2]) + [1,2]", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>"),
    ("[1,2] + tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>"),
    ("(1,2) * tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>"),
    ("tf.constant([1,2]) + (1,2)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>"),
    ("tf.constant([1,2]) + True", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>"),
    ("True + tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>"),
    ("tf.constant([1.,2]) + True", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>"),
    ("tf.constant([1,2]) / 2", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([0.5, 1. ])>"),
    ("2 / tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([2., 1.])>"),
    ("tf.constant([1,2]) // 2", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>"),
    ("2 // tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 1], dtype=int32)>"),
    ("tf.constant([-3,7]) % 4", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>"),
    ("7 % tf.constant([2,4])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>"),
    ("tf.constant([2,3]) ** 2", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 9], dtype=int32)>"),
    ("2 ** tf.constant([2,3])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 8], dtype=int32)>"),
    (
        "tf.constant([2.,3]) ** 0.5",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.4142135, 1.7320508], dtype=float32)>",
    ),
    ("tf.constant([7.5]) // 2", "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([3.], dtype=float32)>"),
    ("tf.constant([7.5]) % 2", "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.5], dtype=float32)>"),
    (
        "tf.constant([[1,2]]) @ tf.constant([[1],[2]])",
        "<tf.Tensor: shape=(1, 1), dtype=int32, numpy=array([[5]], dtype=int32)>",
    ),
    ("[[1,2]] @ tf.constant([[1],[2]])", "<tf.Tensor: shape=(1, 1), dtype=int32, numpy=array([[5]], dtype=int32)>"),
    (
        "tf.constant([[1.,2]]) @ [[1],[2]]",
        "<tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[5.]], dtype=float32)>",
    ),
    (
        "tf.constant([True,False]) & tf.constant([True,True])",
        "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>",
    ),
    ("tf.constant([True,False]) | True", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>"),
    ("True ^ tf.constant([True,False])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    ("tf.constant([6,3]) & 2", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 2], dtype=int32)>"),
    ("tf.constant([6,3]) | 8", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([14, 11], dtype=int32)>"),
    ("6 ^ tf.constant([6,3])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 5], dtype=int32)>"),
    ("tf.constant([6,3]) & True", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>"),
    ("tf.constant(5) + 3000000000", "<tf.Tensor: shape=(), dtype=int32, numpy=-1294967291>"),
    ("tf.constant(5.) + 2**100", "<tf.Tensor: shape=(), dtype=float32, numpy=1.2676506002282294e+30>"),
    ("tf.constant(5, tf.uint8) + 300", "<tf.Tensor: shape=(), dtype=uint8, numpy=49>"),
    ("tf.constant(5, tf.uint8) + (-1)", "<tf.Tensor: shape=(), dtype=uint8, numpy=4>"),
    ("tf.constant(3, tf.int64) ** 300", "<tf.Tensor: shape=(), dtype=int64, numpy=4157753088978724465>"),
    ("tf.constant([0.5, 2.0]) * tf.constant(True)", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    ("tf.constant(True) * 0.5", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.constant(5+0j) + 1", "<tf.Tensor: shape=(), dtype=complex128, numpy=(6+0j)>"),
    ("tf.constant(5+0j) + 1.5", "<tf.Tensor: shape=(), dtype=complex128, numpy=(6.5+0j)>"),
    ("tf.constant(5+0j) * 1j", "<tf.Tensor: shape=(), dtype=complex128, numpy=5j>"),
    ("tf.Variable(1.) + tf.constant(1.)", "<tf.Tensor: shape=(), dtype=float32, numpy=2.0>"),
    ("tf.constant(1.) + tf.Variable(1.)", "<tf.Tensor: shape=(), dtype=float32, numpy=2.0>"),
    ("1. + tf.Variable(1.)", "<tf.Tensor: shape=(), dtype=float32, numpy=2.0>"),
    ("tf.Variable(2) ** 2", "<tf.Tensor: shape=(), dtype=int32, numpy=4>"),
    ("[[1.]] @ tf.Variable([[1.]])", "<tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[1.]], dtype=float32)>"),
    ("tf.Variable([1,2]) == [1,3]", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("tf.Variable([1,2]) != tf.Variable([1,3])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    ("tf.Variable([1,2]) == [1,2,3]", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.Variable(1.) < 2", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("-tf.Variable(1.)", "<tf.Tensor: shape=(), dtype=float32, numpy=-1.0>"),
    ("abs(tf.Variable(-1.))", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("~tf.Variable(True)", "<tf.Tensor: shape=(), dtype=bool, numpy=False>"),
    ("tf.Variable([1,2])[0]", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "list(tf.Variable([1,2]))",
        "[<tf.Tensor: shape=(), dtype=int32, numpy=1>, <tf.Tensor: shape=(), dtype=int32, numpy=2>]",
    ),
    ("bool(tf.Variable(1))", "True"),
    ("int(tf.Variable(1))", "1"),
    ("float(tf.Variable(1))", "1.0"),
    ("complex(tf.Variable(1))", "(1+0j)"),
    ("sum(tf.Variable([1,2]))", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("1 in tf.Variable([1,2])", "True"),
    ("tf.Variable(1) in [tf.Variable(1)]", "True"),
    ("iter(tf.constant([1])) is not None", "True"),
    ("next(iter(tf.constant([1,2])))", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(3).__index__()", "3"),
    ("tf.constant([1., 2.]) ** 2", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>"),
    (
        "tf.constant([1., 2.]) ** 2.5",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.      , 5.656854], dtype=float32)>",
    ),
    (
        "2.5 ** tf.constant([1., 2.])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2.5 , 6.25], dtype=float32)>",
    ),
    ("(-8.) ** tf.constant([3.])", "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([-512.], dtype=float32)>"),
    ("tf.constant(7) / 0", "<tf.Tensor: shape=(), dtype=float64, numpy=inf>"),
    ("tf.constant(7.) / 0", "<tf.Tensor: shape=(), dtype=float32, numpy=inf>"),
    ("tf.constant(7.) // 0", "<tf.Tensor: shape=(), dtype=float32, numpy=inf>"),
    (
        "tf.constant(-7) // 2, tf.constant(-7) % 3",
        "(<tf.Tensor: shape=(), dtype=int32, numpy=-4>, <tf.Tensor: shape=(), dtype=int32, numpy=2>)",
    ),
    ("tf.constant(7, tf.uint8) / 2", "<tf.Tensor: shape=(), dtype=float32, numpy=3.5>"),
    ("tf.constant(7, tf.int8) / tf.constant(2, tf.int8)", "<tf.Tensor: shape=(), dtype=float32, numpy=3.5>"),
    ("tf.constant(7, tf.int64) / tf.constant(2, tf.int64)", "<tf.Tensor: shape=(), dtype=float64, numpy=3.5>"),
    ("tf.constant(7, tf.bfloat16) / 2", "<tf.Tensor: shape=(), dtype=bfloat16, numpy=3.5>"),
    ("tf.constant(7, tf.float16) * 2.5", "<tf.Tensor: shape=(), dtype=float16, numpy=17.5>"),
    ("tf.constant(7, tf.float64) * 2.5", "<tf.Tensor: shape=(), dtype=float64, numpy=17.5>"),
    ("tf.constant(1+2j) * 2.5", "<tf.Tensor: shape=(), dtype=complex128, numpy=(2.5+5j)>"),
    ("abs(tf.constant(3+4j))", "<tf.Tensor: shape=(), dtype=float64, numpy=5.0>"),
    ("-tf.constant(3+4j)", "<tf.Tensor: shape=(), dtype=complex128, numpy=(-3-4j)>"),
    ("abs(tf.constant([-1,2], tf.int64))", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    (
        "tf.constant([1,2]) > tf.constant([[1],[2]])",
        "<tf.Tensor: shape=(2, 2), dtype=bool, numpy=\narray([[False,  True],\n       [False, False]])>",
    ),
    ("1 < tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    (
        "tf.ones([2,2,3]) @ tf.ones([3,1])",
        "<tf.Tensor: shape=(2, 2, 1), dtype=float32, numpy=\n"
        "array([[[3.],\n"
        "        [3.]],\n"
        "\n"
        "       [[3.],\n"
        "        [3.]]], dtype=float32)>",
    ),
    (
        "tf.ones([2,3], tf.int32) @ tf.ones([3,1], tf.int32)",
        "<tf.Tensor: shape=(2, 1), dtype=int32, numpy=\narray([[3],\n       [3]], dtype=int32)>",
    ),
    ("~tf.constant([True, False])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    ("~tf.constant([1, 2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([-2, -3], dtype=int32)>"),
    ("~tf.constant([1, 2], tf.uint8)", "<tf.Tensor: shape=(2,), dtype=uint8, numpy=array([254, 253], dtype=uint8)>"),
    (
        "tf.constant([1,2]) & tf.constant([3,3])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.constant([1,2]) & [3,3]", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ("tf.constant([True]) ^ True", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([False])>"),
    ("True & tf.constant([True])", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    ("1 | tf.constant([2])", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([3], dtype=int32)>"),
]

REFUSALS = [
    ("~tf.constant(2.)", "InvalidArgumentError"),
    ("-tf.constant(True)", "InvalidArgumentError"),
    ("-tf.constant('a')", "InvalidArgumentError"),
    ("+tf.constant('a')", "TypeError"),
    ("abs(tf.constant(True))", "InvalidArgumentError"),
    ("tf.constant([1,2]) == 'x'", "TypeError"),
    ("tf.constant([1,2]) == 1.0", "TypeError"),
    ("tf.constant([1,2]) == 1.5", "TypeError"),
    ("tf.constant([1,2]) == tf.constant([1.,2.])", "InvalidArgumentError"),
    ("tf.constant([1,2]) == tf.constant([1,2], tf.int64)", "InvalidArgumentError"),
    ("tf.constant([1,2]) != tf.constant([1.,2.])", "InvalidArgumentError"),
    ("tf.constant('a') < tf.constant('b')", "InvalidArgumentError"),
    ("tf.constant('a') - 'b'", "InvalidArgumentError"),
    ("tf.constant(True) == 1", "TypeError"),
    ("tf.constant(1) == [1,[2]]", "ValueError"),
    ("tf.constant([1,2]) < None", "ValueError"),
    ("tf.constant([1,2]) + None", "ValueError"),
    ("None + tf.constant([1,2])", "ValueError"),
    ("tf.constant([1,2]) + 'a'", "InvalidArgumentError"),
    ("tf.constant([1,2]) + {}", "ValueError"),
    ("tf.constant([1,2]) + 1.0", "InvalidArgumentError"),
    ("tf.constant([1,2]) * 1.0", "TypeError"),
    ("1.0 * tf.constant([1,2])", "TypeError"),
    ("tf.constant([1,2]) / 2.0", "TypeError"),
    ("2. / tf.constant([1,2])", "TypeError"),
    ("tf.constant([2,3]) ** -1", "InvalidArgumentError"),
    ("tf.constant([2,3]) ** 0.5", "TypeError"),
    ("tf.constant([1,2]) @ tf.constant([1,2])", "InvalidArgumentError"),
    ("tf.constant([[1.,2]]) @ 2.0", "InvalidArgumentError"),
    ("tf.constant([6.,3]) & 2", "InvalidArgumentError"),
    ("tf.constant([6,3]) << 1", "TypeError"),
    ("1 << tf.constant([6,3])", "TypeError"),
    ("tf.constant([6,3]) >> 1", "TypeError"),
    ("tf.constant([1.,2.]) + tf.constant([1.,2.,3.])", "InvalidArgumentError"),
    ("tf.constant([1.,2.]) + tf.constant([1,2])", "InvalidArgumentError"),
    ("tf.constant([1.,2.]) + tf.constant([1.,2.], tf.float64)", "InvalidArgumentError"),
    ("tf.constant([1.,2.]) - tf.constant([1,2])", "InvalidArgumentError"),
    ("tf.constant([1.,2.]) * tf.constant([1,2])", "InvalidArgumentError"),
    ("tf.constant([1.,2.]) / tf.constant([1,2])", "TypeError"),
    ("tf.constant([1.,2.]) < tf.constant([1,2])", "InvalidArgumentError"),
    ("tf.constant(True) + tf.constant(True)", "InvalidArgumentError"),
    ("tf.constant(True) + 1", "InvalidArgumentError"),
    ("tf.constant(5) + 2**100", "ValueError"),
    ("tf.constant(5) + 1j", "InvalidArgumentError"),
    ("tf.constant(5.) + 1j", "InvalidArgumentError"),
    ("tf.constant([1.,2.])()", "TypeError"),
    ("+tf.Variable(1.)", "TypeError"),
    ("tf.Variable([1,2])[5]", "InvalidArgumentError"),
    ("len(tf.Variable([1,2]))", "TypeError"),
    ("len(tf.Variable(1))", "TypeError"),
    ("round(tf.Variable(1.))", "TypeError"),
    ("divmod(tf.Variable(3), 2)", "TypeError"),
    ("tf.constant([[1,2],[3,4]]) in [1]", "ValueError"),
    ("tf.constant([1, 2]) ** 2.5", "TypeError"),
    ("2.5 ** tf.constant([1, 2])", "TypeError"),
    ("tf.constant(7) // 0", "InvalidArgumentError"),
    ("tf.constant(7, tf.int8) // 256", "InvalidArgumentError"),
    ("tf.constant(7) ** 3000000000", "InvalidArgumentError"),
    ("tf.constant([1, 2]) @ 2.5", "InvalidArgumentError"),
    ("tf.constant(7) % 0", "InvalidArgumentError"),
    ("tf.constant(1+2j) + tf.constant(1.)", "InvalidArgumentError"),
    ("tf.constant(1.5) + 1j", "InvalidArgumentError"),
    ("1j + tf.constant(1.5)", "TypeError"),
    ("tf.constant(1.5) == 1j", "TypeError"),
    ("-tf.constant(1, tf.uint8)", "InvalidArgumentError"),
    ("abs(tf.constant(1, tf.uint8))", "InvalidArgumentError"),
    ("tf.constant([1,2]) < 1.5", "TypeError"),
    ("tf.constant([1,2]) < [1,2,3]", "InvalidArgumentError"),
    ("tf.constant([1,2]) + tf.constant([1,2,3])", "InvalidArgumentError"),
    ("1.5 < tf.constant([1,2])", "TypeError"),
    ("'a' < tf.constant('b')", "InvalidArgumentError"),
    ("tf.constant(True) < tf.constant(False)", "InvalidArgumentError"),
    ("tf.constant(1+1j) < tf.constant(1+1j)", "InvalidArgumentError"),
    ("tf.constant([1,2]) <= None", "ValueError"),
    ("tf.constant([1.,2.]) @ tf.constant([1.,2.])", "InvalidArgumentError"),
    ("tf.ones([2,3]) @ tf.ones([2,3])", "InvalidArgumentError"),
    ("tf.ones([2,3]) @ tf.ones([3,1], tf.float64)", "InvalidArgumentError"),
    ("tf.constant([1,2]) & 3.0", "TypeError"),
    ("tf.constant([True]) | tf.constant([1])", "InvalidArgumentError"),
    ("tf.constant(1.) & tf.constant(1.)", "InvalidArgumentError"),
]


@pytest.mark.parametrize(("expression", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_operator_answers_as_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_operator_refuses_what_tensorflows_does(expression, error):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error


class Price:
    """A class that is not a tensor, but can be added to one."""

    def __radd__(self, tensor):
        return f"{float(tensor)} and a price"

    def __rsub__(self, tensor):
        raise TypeError("nothing less a price")

    def __rmul__(self, tensor):
        return NotImplemented


@pytest.mark.parametrize("tensor", [tf.constant(1.0), tf.Variable(1.0)], ids=["tensor", "variable"])
def test_object_that_is_no_tensor_may_answer_itself(tensor):
    assert tensor + Price() == "1.0 and a price"
    for operate in (lambda: tensor - Price(), lambda: tensor * Price()):
        with pytest.raises(ValueError, match="unsupported type"):
            operate()


def test_division_of_python_2_is_whole_for_integers():
    assert tf.constant([3.0]).__div__(2.0).numpy().tolist() == [1.5]
    assert tf.constant([2.0]).__rdiv__(3).numpy().tolist() == [1.5]
    assert tf.constant([-3]).__div__(2).numpy().tolist() == [-2]
    assert tf.Variable([3]).__div__(2).numpy().tolist() == [1]


def test_operators_that_can_be_overloaded_are_tensorflows():
    binary = ["add", "and", "div", "floordiv", "matmul", "mod", "mul", "or", "pow", "sub", "truediv", "xor"]
    others = ["abs", "eq", "ge", "getitem", "gt", "invert", "le", "lt", "ne", "neg"]
    names = {f"__{name}__" for name in (*binary, *others, *(f"r{name}" for name in binary))}
    assert names == tf.Tensor.OVERLOADABLE_OPERATORS
    assert all(hasattr(tf.Tensor, name) for name in names)
    assert not hasattr(tf.Variable, "OVERLOADABLE_OPERATORS")


def test_truth_has_its_name_of_python_2():
    assert tf.constant(2.5).__nonzero__() is tf.Variable(1.0).__nonzero__() is True
    assert tf.constant("").__nonzero__() is False
    with pytest.raises(ValueError, match="ambiguous"):
        tf.constant([1.5, 2.5]).__nonzero__()


def test_value_has_its_private_name():
    tensor = tf.constant([1.5, 2.5])
    assert tensor._numpy().tolist() == [1.5, 2.5]
    assert tensor._numpy() is not tensor._numpy()
    assert tf.constant("a")._numpy() == b"a"
    with pytest.raises(AttributeError):
        tf.function(lambda tensor: tensor._numpy())(tensor)


def test_round_needs_the_behaviour_of_numpy():
    for call in (lambda: round(tf.constant(2.5)), lambda: round(tf.constant([1.25]), 1)):
        with pytest.raises(AttributeError, match=r"tf\.round, or call tf\.experimental\.numpy"):
            call()
    with pytest.raises(TypeError, match="__round__"):
        round(tf.Variable(2.5))
