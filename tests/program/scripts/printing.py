"""How tensors, variables, shapes and slices look when they are printed and formatted."""

import numpy as np
import tensorflow as tf

for tensor in (
    tf.constant([[1, 2, 3]]),
    tf.constant([[1, 2], [3, 4]]),
    tf.constant(1.5),
    tf.constant([1.0, 2.0]) - np.array([0.5, 2.5]),
    tf.zeros([0, 2]),
    tf.constant("a"),
    tf.constant(["a", "b"]),
    tf.constant(True),
    tf.range(2000),
    tf.constant(np.float16(0.1)),
    tf.cast(0.1, tf.bfloat16),
    tf.constant(1 + 2j),
):
    print(tensor)
    print(repr(tensor))
for variable in (tf.Variable([[1, 2, 3]]), tf.Variable([[1, 2], [3, 4]], name="square"), tf.Variable(1.5)):
    print(variable)
    print([variable])
print(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2])))
print(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])))
print(tf.TensorShape([1, None]), repr(tf.TensorShape([1, None])), tf.TensorSpec([1], tf.float32), [tf.float32, tf.bool])
counter = tf.Variable(1.0, name="counter")
print(counter.assign(2.0), counter.assign_add(1.0).name, counter.name)
print(f"{tf.constant(1.5)} {tf.constant([1.0, 2.0])} {tf.constant(2.5):.3f} {tf.constant(7):04d}", "%.2f" % counter)
print("{:.2e} {}".format(tf.reduce_sum([1.0, 2.0]), {"loss": tf.constant(0.25)}))
