"""Prints what TensorBoard's reader finds in a folder of events, as JSON; needs the package tensorboard alone.

python -m tests.summary.tensorboard_reader FOLDER
"""

from __future__ import annotations

import base64
import contextlib
import json
import sys
from typing import Any

# With TensorFlow, TensorBoard would read the files by its functions.
sys.modules["tensorflow"] = None  # pyright: ignore[reportArgumentType]


def main() -> None:
    """Reads all events, and those that each plugin of TensorBoard shows."""
    import tensorboard.plugins.audio.metadata as audio
    import tensorboard.plugins.histogram.metadata as histogram
    import tensorboard.plugins.image.metadata as image
    import tensorboard.plugins.scalar.metadata as scalar
    import tensorboard.plugins.text.metadata as text
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.util import tensor_util

    reader = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={event_accumulator.TENSORS: 0})
    reader.Reload()
    plugins = [plugin.PLUGIN_NAME for plugin in (audio, histogram, image, scalar, text)]
    found: dict[str, Any] = {}
    for plugin in plugins:
        with contextlib.suppress(KeyError):  # no summary is of this kind
            found[plugin] = sorted(reader.PluginTagToContent(plugin))
    found["graph"] = len(reader.Graph().node) if reader.Tags()["graph"] else 0
    found["old scalars"] = {tag: [event.value for event in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}
    found["tensors"] = {
        tag: [[event.step, _shown(tensor_util.make_ndarray(event.tensor_proto))] for event in reader.Tensors(tag)]
        for tag in sorted(reader.Tags()["tensors"])
    }
    found["descriptions"] = {tag: each.summary_description for tag, each in reader.summary_metadata.items()}
    print(json.dumps(found))


def _shown(array: Any) -> Any:
    if array.dtype == object:
        return [base64.b64encode(part).decode() for part in array.ravel().tolist()]
    return array.tolist()


if __name__ == "__main__":
    main()
