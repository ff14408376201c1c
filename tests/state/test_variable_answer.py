"""Variables: their constructor, assignment, copies and views agree with TensorFlow 2.21."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"copy": copy, "np": np, "pickle": pickle, "tf": tf}

ANSWERS = [
    ("tf.Variable(1)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    (
        "tf.Variable([1.,2.])",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "tf.Variable([[1.,2.],[3.,4.]])",
        "<tf.Variable 'Variable:0' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [3., 4.]], dtype=float32)>",
    ),
    ("tf.Variable('a')", "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'a'>"),
    (
        "tf.Variable(['a','b'])",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    ("tf.Variable(True)", "<tf.Variable 'Variable:0' shape=() dtype=bool, numpy=True>"),
    ("tf.Variable(1+2j)", "<tf.Variable 'Variable:0' shape=() dtype=complex128, numpy=(1+2j)>"),
    ("tf.Variable(np.float64(1))", "<tf.Variable 'Variable:0' shape=() dtype=float64, numpy=1.0>"),
    (
        "tf.Variable(tf.constant([1,2]))",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.Variable(tf.Variable(2.))", "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>"),
    (
        "tf.Variable([1,2], dtype=tf.float32)",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("tf.Variable(1., dtype=tf.float64)", "<tf.Variable 'Variable:0' shape=() dtype=float64, numpy=1.0>"),
    ("tf.Variable(1, name='x')", "<tf.Variable 'x:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, name='x').name", "'x:0'"),
    ("tf.Variable(1, name='a/b').name", "'a/b:0'"),
    ("tf.Variable(1, name='a b')", "<tf.Variable 'a b:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, name='').name", "':0'"),
    ("tf.Variable(1, name='x:0').name", "'x:0:0'"),
    ("tf.Variable(1, name='_x').name", "'_x:0'"),
    ("tf.Variable(1, name='x-y').name", "'x-y:0'"),
    ("tf.Variable(1, name='é').name", "'é:0'"),
    ("tf.Variable(1, trainable=False).trainable", "False"),
    ("tf.Variable(1).trainable", "True"),
    ("tf.Variable(1, trainable=None).trainable", "True"),
    ("tf.Variable(1, trainable='yes')", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, validate_shape=False)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, validate_shape=False).shape", "TensorShape([])"),
    ("tf.Variable(1, constraint=abs).constraint", "<built-in function abs>"),
    ("tf.Variable(1).constraint", "None"),
    (
        "tf.Variable(1, synchronization=tf.VariableSynchronization.ON_READ).synchronization",
        "<VariableSynchronization.ON_READ: 3>",
    ),
    ("tf.Variable(1, synchronization=tf.VariableSynchronization.ON_READ).trainable", "False"),
    ("tf.Variable(1, synchronization=tf.VariableSynchronization.ON_READ, trainable=True).trainable", "True"),
    (
        "tf.Variable(1, synchronization=tf.VariableSynchronization.NONE).synchronization",
        "<VariableSynchronization.NONE: 1>",
    ),
    ("tf.Variable(1, synchronization=3)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, synchronization=None)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1).synchronization", "<VariableSynchronization.AUTO: 0>"),
    ("tf.Variable(1, aggregation=3)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1, aggregation=None)", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    ("tf.Variable(1).aggregation", "<VariableAggregation.NONE: 0>"),
    ("tf.VariableSynchronization.AUTO", "<VariableSynchronization.AUTO: 0>"),
    (
        "list(tf.VariableSynchronization)",
        "[<VariableSynchronization.AUTO: 0>, <VariableSynchronization.NONE: 1>, <VariableSynchroniz"
        "ation.ON_WRITE: 2>, <VariableSynchronization.ON_READ: 3>]",
    ),
    (
        "tf.Variable([1,2], shape=[2])",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.Variable([1,2], shape=[None])",
        "<tf.Variable 'Variable:0' shape=(None,) dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.Variable([1,2], shape=[None]).shape", "TensorShape([None])"),
    ("tf.Variable([1,2], shape=tf.TensorShape(None)).shape", "TensorShape(None)"),
    (
        "tf.Variable([1,2], shape=tf.TensorShape(None))",
        "<tf.Variable 'Variable:0' shape=<unknown> dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.Variable(1, shape=[])", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"),
    (
        "v = tf.Variable([1,2], shape=[None]); v.assign([1,2,3]); v",
        "<tf.Variable 'Variable:0' shape=(None,) dtype=int32, numpy=array([1, 2, 3], dtype=int32)>",
    ),
    (
        "v = tf.Variable([1,2], shape=[None]); v.assign([1,2,3]); v.shape, v.numpy(), (v+0).shape, tf.shape(v)",
        "(TensorShape([None]), array([1, 2, 3], dtype=int32), TensorShape([3]), <tf.Tensor: shape=("
        "1,), dtype=int32, numpy=array([3], dtype=int32)>)",
    ),
    (
        "v = tf.Variable([1,2], shape=[None]); v.assign_add([1,2])",
        "<tf.Variable 'UnreadVariable' shape=(None,) dtype=int32, numpy=array([2, 4], dtype=int32)>",
    ),
    (
        "v = tf.Variable([1,2], shape=tf.TensorShape(None)); v.assign([[1,2,3]]); v",
        "<tf.Variable 'Variable:0' shape=<unknown> dtype=int32, numpy=array([[1, 2, 3]], dtype=int32)>",
    ),
    (
        "tf.Variable([1,2], experimental_enable_variable_lifting=False)",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.Variable(1, True, True, None, 'n').name", "'n:0'"),
    ("tf.Variable(1.).dtype", "tf.float32"),
    ("tf.Variable(1.).shape", "TensorShape([])"),
    ("tf.Variable(1.).get_shape()", "TensorShape([])"),
    ("tf.Variable(1.).initializer", "None"),
    ("tf.Variable(1.).is_initialized()", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.Variable(1.).load(2., None)", "None"),
    ("tf.Variable(1.).ref()", "<Reference wrapping <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>>"),
    ("tf.Variable(1.).set_shape([])", "None"),
    ("tf.Variable([1.,2.]).set_shape([2])", "None"),
    ("v = tf.Variable(1.); v.foo=3; v.foo", "3"),
    ("v = tf.Variable(1.); r=v.assign(2.); r", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>"),
    (
        "v = tf.Variable(1.); r=v.assign(2.); v.assign(3.); r",
        "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=3.0>",
    ),
    (
        "v = tf.Variable(1.); r=v.assign(2.); r.assign(5.); v",
        "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=5.0>",
    ),
    (
        "v = tf.Variable(1.); r=v.assign(2.); str(r)",
        "\"<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>\"",
    ),
    ("v = tf.Variable(1.); r=v.assign(2.); r.trainable, r.dtype, r.shape", "(True, tf.float32, TensorShape([]))"),
    ("v = tf.Variable(1., name='q'); r=v.assign(2.); r.name", "'UnreadVariable'"),
    ("v = tf.Variable(1.); r=v.assign(2.); r.ref()==v.ref()", "False"),
    ("v = tf.Variable(1.); v.assign(2., read_value=False)", "None"),
    ("v = tf.Variable(1.); v.assign(2.).op, tf.compat.v1.assign(v, 3.).op", "(None, None)"),
    ("v = tf.Variable(1.); v.assign_add(2., read_value=False)", "None"),
    (
        "v = tf.Variable(1.); v.assign(2., use_locking=True)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>",
    ),
    ("v = tf.Variable(1.); v.assign(2., name='x')", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>"),
    ("v = tf.Variable(1.); v.assign(2)", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>"),
    (
        "v = tf.Variable(1.); v.assign(np.float64(2))",
        "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>",
    ),
    ("v = tf.Variable(1.); v.assign(np.array(2))", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>"),
    ("v = tf.Variable(1.); v.assign(True)", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=1.0>"),
    ("v = tf.Variable(1); v.assign(np.float64(2.5))", "<tf.Variable 'UnreadVariable' shape=() dtype=int32, numpy=2>"),
    ("v = tf.Variable(1); v.assign(np.array(2.5))", "<tf.Variable 'UnreadVariable' shape=() dtype=int32, numpy=2>"),
    (
        "v = tf.Variable([1.,2.]); v.assign([3,4])",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([3., 4.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign(tf.Variable([3.,4.]))",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([3., 4.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign(v)",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign_add([1.,1.])",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign_add([1,1])",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign_add(np.array([1.,1.]))",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign_sub([1.,1.])",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([0., 1.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); v.assign_sub(v)",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([0., 0.], dtype=float32)>",
    ),
    ("v = tf.Variable('a'); v.assign('b'); v", "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'b'>"),
    ("v = tf.Variable(True); v.assign(False)", "<tf.Variable 'UnreadVariable' shape=() dtype=bool, numpy=False>"),
    (
        "v = tf.Variable(1+1j); v.assign_add(1j)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=complex128, numpy=(1+2j)>",
    ),
    (
        "v = tf.Variable(1., tf.bfloat16); v.assign_add(1)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>",
    ),
    (
        "v = tf.Variable(1, dtype=tf.uint8); v.assign_add(255)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=uint8, numpy=0>",
    ),
    (
        "v = tf.Variable(1, dtype=tf.uint8); v.assign(255)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=uint8, numpy=255>",
    ),
    (
        "v = tf.Variable(1, dtype=tf.int8); v.assign_sub(2)",
        "<tf.Variable 'UnreadVariable' shape=() dtype=int8, numpy=-1>",
    ),
    ("v = tf.Variable(1.); v %= 1; v", "<tf.Tensor: shape=(), dtype=float32, numpy=0.0>"),
    (
        "v = tf.Variable([[1.]]); v @= [[1.]]; v",
        "<tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[1.]], dtype=float32)>",
    ),
    ("v = tf.Variable(1); v &= 1; v", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("v = tf.Variable(1); v |= 1; v", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "v = tf.Variable([1.,2.]); x=v.value(); v.assign([3.,4.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=v.read_value(); v.assign([3.,4.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=tf.identity(v); v.assign([3.,4.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=tf.convert_to_tensor(v); v.assign_add([3.,4.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("v = tf.Variable([1.,2.]); x=v.numpy(); v.assign_add([3.,4.]); x", "array([1., 2.], dtype=float32)"),
    (
        "v = tf.Variable([1.,2.]); x=v.numpy(); x[0]=9; v",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("tf.Variable([1.,2.]).value() is not None", "True"),
    ("v = tf.Variable([1.,2.]); v.read_value() is v.read_value()", "False"),
    ("tf.Variable(3).count_up_to(5)", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("v = tf.Variable(3); v.count_up_to(5); v", "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=4>"),
    ("copy.copy(tf.Variable(1.))", "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"),
    (
        "v = tf.Variable([1.,2.], name='q', trainable=False); c=copy.deepcopy(v); c.assign([5.,6.]); (v, c, "
        "c.trainable, c.name)",
        "(<tf.Variable 'q:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>, <tf.V"
        "ariable 'q:0' shape=(2,) dtype=float32, numpy=array([5., 6.], dtype=float32)>, False, 'q:0"
        "')",
    ),
    ("v = tf.Variable([1.,2.], name='q', shape=[None]); c=copy.deepcopy(v); c.shape", "TensorShape([2])"),
    (
        "v = tf.Variable([1.,2.]); c=copy.copy(v); c.assign([5.,6.]); v",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); pickle.loads(pickle.dumps(v))",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.], name='q', trainable=False, constraint=abs); c=pickle.loads(pickle.dumps("
        "v)); c.name, c.trainable, c.constraint",
        "('q:0', False, <built-in function abs>)",
    ),
    ("v = tf.Variable([1.,2.]); copy.deepcopy([v, v])[0] is copy.deepcopy([v, v])[1]", "False"),
    ("v = tf.Variable([1.,2.]); a=copy.deepcopy([v, v]); a[0] is a[1]", "True"),
    ("v = tf.Variable(1); v.ref()==v.ref()", "True"),
    ("v = tf.Variable(1); v.ref().deref() is v", "True"),
    ("repr(tf.Variable(1).ref())", "\"<Reference wrapping <tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>>\""),
    ("v = tf.Variable(1); {v.ref(): 1}[v.ref()]", "1"),
    ("tf.Variable([1.5]).__array__()", "array([1.5], dtype=float32)"),
    ("np.asarray(tf.Variable([1.5]), dtype=np.int32)", "array([1], dtype=int32)"),
    ("np.array(tf.Variable(1.5))", "array(1.5, dtype=float32)"),
    ("tf.Variable([1.5, 2]).numpy().flags.writeable", "True"),
    (
        "[x for x in tf.Variable([[1,2],[3,4]])]",
        "[<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>, <tf.Tensor: shape"
        "=(2,), dtype=int32, numpy=array([3, 4], dtype=int32)>]",
    ),
    (
        "v = tf.Variable(1.); v.assign(v + 1); v.assign(v * 2); v",
        "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=4.0>",
    ),
    ("v = tf.Variable(1.); v.assign(1.).assign(4.); v", "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=4.0>"),
    (
        "v = tf.Variable(1.); v.assign_add(1.).assign_sub(4.); v",
        "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=-2.0>",
    ),
    ("v = tf.Variable(1.); v.assign_add(1.) + 1", "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"),
    (
        "v = tf.Variable(tf.zeros([0,3])); v",
        "<tf.Variable 'Variable:0' shape=(0, 3) dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>",
    ),
    (
        "v = tf.Variable([]); v.assign([]); v",
        "<tf.Variable 'Variable:0' shape=(0,) dtype=float32, numpy=array([], dtype=float32)>",
    ),
    ("isinstance(tf.Variable(1), tf.Variable)", "True"),
    ("str(tf.Variable(1.))", "\"<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>\""),
    (
        "str(tf.Variable([[1.,2.],[3.,4.]]))",
        "\"<tf.Variable 'Variable:0' shape=(2, 2) dtype=float32, numpy=\\narray([[1., 2.],\\n       [3"
        '., 4.]], dtype=float32)>"',
    ),
    (
        'f"{tf.Variable([1.,2.])}"',
        "\"<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>\"",
    ),
    (
        "tf.Variable(tf.range(30))",
        "<tf.Variable 'Variable:0' shape=(30,) dtype=int32, numpy=\n"
        "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
        "       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29], dtype=int32)>",
    ),
    ("tf.Variable(1.0, tf.bfloat16)", "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"),
    ("tf.Variable(1.0, dtype=tf.bfloat16)", "<tf.Variable 'Variable:0' shape=() dtype=bfloat16, numpy=1.0>"),
    (
        "tf.Variable(1.0, shape=tf.TensorShape(None))",
        "<tf.Variable 'Variable:0' shape=<unknown> dtype=float32, numpy=1.0>",
    ),
    ("tf.Variable(initial_value=1, dtype='float32')", "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"),
    ("v = tf.Variable(2.); v ** v", "<tf.Tensor: shape=(), dtype=float32, numpy=4.0>"),
    ("v = tf.Variable(2.); tf.add_n([v, v])", "<tf.Tensor: shape=(), dtype=float32, numpy=4.0>"),
    (
        "v = tf.Variable([2.,1.]); tf.stack([v, v])",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[2., 1.],\n       [2., 1.]], dtype=float32)>",
    ),
    ("v = tf.Variable([2.,1.]); tf.reduce_sum(v)", "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"),
    ("v = tf.Variable([2.,1.]); tf.shape(v)", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([2], dtype=int32)>"),
    (
        "v = tf.Variable([2.,1.]); tf.cast(v, tf.int32)",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 1], dtype=int32)>",
    ),
    (
        "v = tf.Variable([2,1]); tf.gather([5,6,7], v)",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([7, 6], dtype=int32)>",
    ),
    ("v = tf.Variable(2); tf.range(v)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>"),
    (
        "v = tf.Variable(2); tf.zeros([v, v])",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[0., 0.],\n       [0., 0.]], dtype=float32)>",
    ),
    ("v = tf.Variable(2); tf.constant([1,2,3])[v]", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    (
        "v = tf.Variable(2); tf.constant([1,2,3])[:v]",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "v = tf.Variable(2); tf.reshape(tf.range(4), [v, 2])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[0, 1],\n       [2, 3]], dtype=int32)>",
    ),
    (
        "v = tf.Variable(1); tf.reduce_sum(tf.ones([2,3]), v)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32)>",
    ),
]

REFUSALS = [
    ("tf.Variable(1.5, dtype=tf.int32)", "TypeError"),
    ("tf.Variable(tf.constant(1), dtype=tf.float32)", "ValueError"),
    ("tf.Variable(tf.constant(1.5), dtype=tf.int32)", "ValueError"),
    ("tf.Variable()", "ValueError"),
    ("tf.Variable(None)", "ValueError"),
    ("tf.Variable(1, name=3)", "ValueError"),
    ("tf.Variable(1, constraint=3)", "ValueError"),
    ("tf.Variable(1, aggregation=99)", "ValueError"),
    ("tf.Variable([1,2], shape=[3])", "ValueError"),
    ("tf.Variable([1,2], shape=[2,1])", "ValueError"),
    ("tf.Variable([1,2], shape=3)", "ValueError"),
    ("tf.Variable(1, shape=[2])", "ValueError"),
    ("v = tf.Variable([1,2], shape=[None]); v.assign([[1,2,3]])", "ValueError"),
    ("v = tf.Variable([1,2], shape=[None]); v.assign_add([1,2,3])", "InvalidArgumentError"),
    ("tf.Variable([[1],[1,2]])", "ValueError"),
    ("tf.Variable(tf.zeros)", "TypeError"),
    ("tf.Variable(1.).op", "AttributeError"),
    ("tf.Variable(1.).graph", "AttributeError"),
    ("tf.Variable(1.).initial_value", "RuntimeError"),
    ("tf.Variable(1.).initialized_value()", "NotImplementedError"),
    ("tf.Variable(1.).create", "RuntimeError"),
    ("tf.Variable(1.).eval()", "RuntimeError"),
    ("tf.Variable(1.).to_proto()", "RuntimeError"),
    ("tf.Variable.from_proto(1)", "NotImplementedError"),
    ("tf.Variable([1.,2.]).set_shape([3])", "ValueError"),
    ("tf.Variable(1.).T", "AttributeError"),
    ("tf.Variable(1.).foo", "AttributeError"),
    ("v = tf.Variable(1.); v.assign(tf.constant(2))", "ValueError"),
    ("v = tf.Variable(1.); v.assign(tf.constant(2., tf.float64))", "ValueError"),
    ("v = tf.Variable(1); v.assign(2.5)", "TypeError"),
    ("v = tf.Variable(1.); v.assign('a')", "TypeError"),
    ("v = tf.Variable(1.); v.assign(None)", "ValueError"),
    ("v = tf.Variable([1.,2.]); v.assign([1.,2.,3.])", "ValueError"),
    ("v = tf.Variable([1.,2.]); v.assign(1.)", "ValueError"),
    ("v = tf.Variable([1.,2.]); v.assign([[1.,2.]])", "ValueError"),
    ("v = tf.Variable([1.,2.], name='w'); v.assign(1.)", "ValueError"),
    ("v = tf.Variable([1.,2.]); v.assign()", "TypeError"),
    ("v = tf.Variable([1.,2.]); v.assign_add(1.)", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.]); v.assign_add([[1.,1.]])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.]); v.assign_add(tf.constant([1,1]))", "ValueError"),
    ("v = tf.Variable([1.,2.]); v.assign_sub(1.)", "InvalidArgumentError"),
    ("v = tf.Variable([1,2]); v.assign_add([1.5,1.])", "TypeError"),
    ("v = tf.Variable(True); v.assign_add(True)", "InvalidArgumentError"),
    ("v = tf.Variable('a'); v.assign_add('b')", "InvalidArgumentError"),
    ("v = tf.Variable(1.); v.__iadd__(1)", "RuntimeError"),
    ("v = tf.Variable(5); v.count_up_to(5)", "OutOfRangeError"),
    ("tf.Variable(3.).count_up_to(5)", "InvalidArgumentError"),
    ("tf.Variable([3]).count_up_to(5)", "InvalidArgumentError"),
    ("hash(tf.Variable(1))", "TypeError"),
    ("tf.Variable([1,2]) in [tf.Variable([1,2])]", "ValueError"),
    ("iter(tf.Variable(1))", "TypeError"),
    ("reversed(tf.Variable([1,2]))", "TypeError"),
    ("tf.Variable([1.,2.], dtype=tf.string)", "TypeError"),
]


def answer(source):
    """The value of the last of the statements in `source`, after the others."""
    *steps, last = source.split("; ")
    names = dict(NAMES)
    for step in steps:
        exec(step, names)
    return eval(last, names)


@pytest.mark.parametrize(("source", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_variable_answers_as_tensorflows(source, shown):
    assert repr(answer(source)) == shown


@pytest.mark.parametrize(("source", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_variable_refuses_what_tensorflows_does(source, error):
    with pytest.raises(
        (tf.errors.OpError, AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError)
    ) as caught:
        answer(source)
    assert type(caught.value).__name__ == error
