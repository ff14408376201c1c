"""The functions of `tf.data.Dataset` that make datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.blocks.nesting import container, flatten, mapped
from tfcompat._data.functional.random_number import RandomNumbers, chosen, sampled
from tfcompat._data.nodes import source
from tfcompat._data.nodes.generator import Generated, signature
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.template import counter_template, generator_template, range_template, template_of
from tfcompat._data.nodes.zipping import Zip
from tfcompat._data.storage.file_listing import listed
from tfcompat._ops.array.layout import squeeze
from tfcompat._ops.elementwise.transcendental import log
from tfcompat._ops.random.stream import stateless_categorical


class Sources(AnyDataset):
    """The functions of `tf.data.Dataset` that make datasets."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """A dataset with the single element `tensors`, a structure of tensors.

        Raises: TypeError or ValueError if a component cannot be converted to a tensor.
        Source: TF 2.21 `tf.data.Dataset.from_tensors`.
        """
        del name
        return made(template_of(tensors, is_sliced=False) or source.from_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
        """A dataset of the rows of `tensors`, a structure of tensors with one number of rows.

        Raises: ValueError for scalars, other numbers of rows, or no tensors.
        Source: TF 2.21 `tf.data.Dataset.from_tensor_slices`.
        """
        del name
        return made(template_of(tensors, is_sliced=True) or source.from_tensor_slices(tensors))

    @staticmethod
    def from_generator(
        generator: Any,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """A dataset of what `generator(*args)` yields; it is called for each iterator and each repetition.

        Numbers are cast to the dtypes of the signature. `output_signature` is a structure of specs; or `output_types`
        is one of dtypes, with `output_shapes`.

        Raises: TypeError if `generator` cannot be called, or neither or both ways are used. Errors of the
          generator, and values that do not fit, are InvalidArgumentError (UnknownError for other classes than
          ValueError and TypeError) when the element is read.
        Source: TF 2.21 `tf.data.Dataset.from_generator`.
        """
        del name
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = signature(output_types, output_shapes, output_signature)
        return made(generator_template(generator, spec, args) or Generated(generator, spec, args))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        """The numbers from `start` in steps of `step`, up to `stop`: int64, or `output_type`.

        Raises: ValueError without arguments; InvalidArgumentError if `step` is 0.
        Source: TF 2.21 `tf.data.Dataset.range`.
        """
        return made(range_template(args, kwargs.get("output_type", int64)) or source.from_range(*args, **kwargs))

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Any:
        """The numbers from `start` on in steps of `step`, for ever.

        Source: TF 2.21 `tf.data.Dataset.counter`.
        """
        del name
        return made(counter_template(start, step, dtype) or source.from_counter(start, step, dtype))

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: Any = None, name: str | None = None) -> Any:
        """Random int64 numbers in [0, 2**32), for ever; others in each iteration if `rerandomize_each_iteration`.

        Without `seed` it takes one from the program's count, as an op does.

        Source: TF 2.21 `tf.data.Dataset.random`.
        """
        del name
        return made(RandomNumbers(seed, rerandomize_each_iteration))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Elements of several datasets together, in the structure of `args` or of `datasets`; the shortest decides.

        Raises: TypeError for a list, for objects other than datasets, and without datasets.
        Source: TF 2.21 `tf.data.Dataset.zip`.
        """
        del name
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args:
            datasets = args[0] if len(args) == 1 else args
        for found in flatten(datasets):
            if not isinstance(found, AnyDataset):
                raise TypeError(_refusal(found))
        spec = mapped(lambda found: found.element_spec, datasets)
        return made(Zip([found._node for found in flatten(datasets)], spec))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None) -> Any:
        """The names of the files that match `file_pattern` or one of several, in random order unless `shuffle=False`.

        Raises: InvalidArgumentError if no file matches.
        Source: TF 2.21 `tf.data.Dataset.list_files`.
        """
        del name
        return made(listed(file_pattern, shuffle, seed))

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Any],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: Any = None,
    ) -> Any:
        """Elements of `datasets`, each time of one chosen at random with the probabilities `weights`.

        An element of a dataset `weights` has the probabilities of one choice.

        Raises: ValueError if there are no datasets or another number of weights; TypeError if the weights are integers,
          or the elements have no common type.
        Source: TF 2.21 `tf.data.Dataset.sample_from_datasets`.
        """
        nodes = _nodes(datasets)
        if isinstance(weights, AnyDataset):
            choice = _choice(weights, seed, rerandomize_each_iteration)
            return made(chosen(nodes, choice._node, stop_on_empty_dataset))
        return made(sampled(nodes, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration))

    @staticmethod
    def choose_from_datasets(datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Any:
        """Elements of `datasets`, each time of the one whose number is the next element of `choice_dataset`.

        Raises: ValueError without datasets; TypeError unless the choices are int64 scalars. A number out of range is
          an InvalidArgumentError when the element is read.
        Source: TF 2.21 `tf.data.Dataset.choose_from_datasets`.
        """
        nodes = _nodes(datasets)
        if not isinstance(choice_dataset, AnyDataset):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        return made(chosen(nodes, choice_dataset._node, stop_on_empty_dataset))


def made(node: Node) -> Any:
    """The public dataset of a node."""
    return AnyDataset.kind._of(node)


def _choice(weights: Any, seed: Any, rerandomize: Any) -> Any:
    """The numbers of datasets, drawn with the probabilities in the elements of `weights`."""

    def draw(logits: Any, pair: Any) -> Any:
        return squeeze(stateless_categorical(logits, 1, pair), [0, 1])

    logits = weights.map(lambda *odds: log(convert_to_tensor(odds)))
    return Sources.zip((logits, Sources.random(seed, rerandomize).batch(2, drop_remainder=True))).map(draw)


def _nodes(datasets: Sequence[Any]) -> list[Node]:
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return [dataset._node for dataset in datasets]


def _refusal(found: Any) -> str:
    expected = "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects"
    if isinstance(found, list) and container(found) is None:
        return f"{expected}. Python `list` is not supported and you should use `tuple` instead."
    return f"{expected} but encountered object of type {type(found)}."
