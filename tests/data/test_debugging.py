"""The debug mode of input pipelines, which cannot be left."""

from __future__ import annotations

import tfcompat as tf
from tests import forked

SCRIPT = """
import numpy as np
import MODULE as tf
D = tf.data.Dataset
tf.data.experimental.enable_debug_mode()
seen = []
def doubled(x, y):
    seen.append(hasattr(x, "numpy") and tf.executing_eagerly())
    if tf.executing_eagerly():
        assert isinstance(x.numpy(), np.float32)
    return {"sum": x + y, "name": tf.strings.as_string(y)}
pairs = D.from_tensor_slices((np.float32([1, 2, 3]), np.float32([4, 5, 6])))
dataset = pairs.map(doubled, num_parallel_calls=2)
print(dataset.element_spec)
print([(float(x["sum"]), x["name"].numpy()) for x in dataset.filter(lambda x: x["sum"] > 5.5)])
print(seen[-3:])
total = D.range(5).reduce(np.int64(0), lambda total, x: total + x)
print(int(total), [int(x) for x in D.range(2).flat_map(lambda x: D.from_tensors(x).repeat(2))])
rows = D.range(3).map(lambda n: tf.range(n)).padded_batch(3)
print([row.numpy().tolist() for row in rows])
"""
PRINTED = """\
{'sum': TensorSpec(shape=(), dtype=tf.float32, name=None), 'name': TensorSpec(shape=(), dtype=tf.string, name=None)}
[(7.0, b'5.000000'), (9.0, b'6.000000')]
[True, True, True]
10 [0, 0, 1, 1]
[[[0, 0], [0, 0], [0, 1]]]
"""


def test_functions_run_as_python(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("MODULE", tf.__name__.partition(".")[0]))
    done = forked.run([str(path)])
    assert done.stdout == PRINTED, done.stderr
