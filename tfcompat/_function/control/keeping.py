"""What TensorFlow keeps of a loop's turns for its gradient: it decides between zeros and None for second derivatives.

The gradient of a loop is another loop, which takes what its steps' gradients read of the first. If they read anything,
what comes out derives from whatever goes into the first loop, for tapes, and has zeros as its gradient for that. The
gradient of `2 * x` reads `x`, although it does not depend on it; that of `x + 1` reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfcompat._core.aval import Aval
from tfcompat._core.op import differentiable
from tfcompat._function.control.block import Block, Links

# The gradients of these read shapes at most.
_READ_NOTHING = frozenset(
    (
        *("add", "add_n", "bitcast", "broadcast_to", "cast", "concat", "cumsum", "expand_dims", "gather", "gather_nd"),
        *("identity", "identity_n", "item", "negative", "nn.bias_add", "ones", "pad", "read", "reduce_mean"),
        *("reduce_sum", "reshape", "reverse", "roll", "sort", "split", "squeeze", "stack", "strided_slice", "subtract"),
        *("tile", "transpose", "unstack", "where", "zeros", "TensorArray.write"),
        *("foldl", "foldr", "map_fn", "scan", "while_loop"),
    )
)


def kept(block: Block, linked: Iterable[Links], operands: Sequence[Aval], given: Sequence[int] = ()) -> Links:
    """The operands that TensorFlow's gradient of a loop with the body `block` derives from.

    `linked` are those that the outputs depend on; `given` are slots that the body finds beside its leaves.
    """
    nodes = [node for node in block.path if node.op is not None and node.op.blocked is not True]
    keeping = [node for node in nodes if node.op and (node.op.keeps or node.op.name not in _READ_NOTHING)]
    read = [slot for node in keeping for slot in node.inputs if type(slot) is int]
    if not any(block.links(read, given)):
        return frozenset()
    return frozenset(k for k in frozenset[int]().union(*linked) if differentiable(operands[k]))
