"""Programs for each of two processes that distribute datasets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.distribute.own_process import INDEX, context, plain, raised, strategy, tf


def of(dataset: Any, policy: str = "AUTO") -> Any:
    """The elements that this process receives of `dataset`."""
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
    distributed = strategy.experimental_distribute_dataset(dataset.with_options(options))
    return [plain_piece(element) for element in distributed]


def plain_piece(element: Any) -> Any:
    values = element.values[0].numpy().tolist()
    return [value.decode() if isinstance(value, bytes) else value for value in values]


def datasets() -> Any:
    """The parts of datasets that this process receives (fact 65)."""
    folder = Path(os.environ["TFCOMPAT_TEST_FOLDER"])
    names = [str(folder / f"{k}.txt") for k in range(4)]
    generated = tf.data.Dataset.from_generator(
        lambda: iter([[1, 2, 3], [4, 5], [6]]), output_signature=tf.TensorSpec((None,), tf.int32)
    )
    contexts: list[Any] = []

    def batches(n: int, b: int) -> Any:
        return tf.data.Dataset.range(n).batch(b)

    def lines(given: Any) -> Any:
        return tf.data.TextLineDataset(given).batch(4)

    def from_context(given: Any) -> Any:
        contexts.append([str(given), given.num_replicas_in_sync, given.get_per_replica_batch_size(8)])
        return tf.data.Dataset.range(10).shard(given.num_input_pipelines, given.input_pipeline_id).batch(2)

    found = {
        f"{n} by {b} {policy}": of(batches(n, b), policy)
        for n, b in ((10, 4), (10, 5), (7, 3), (5, 1), (13, 5))
        for policy in ("DATA", "OFF")
        if (b, policy) != (1, "OFF")
    }
    pieces = strategy.distribute_datasets_from_function(from_context)
    uneven = strategy.distribute_datasets_from_function(lambda _: tf.data.Dataset.range(4 + 4 * INDEX).batch(2))
    iterator = iter(strategy.experimental_distribute_dataset(batches(10, 4)))
    found |= {
        "repeated": of(batches(6, 4).repeat(2)),
        "mapped": of(batches(6, 4).map(lambda x: tf.concat([x, x], 0)), "OFF"),
        "generated": of(generated, "DATA"),
        "files": of(lines(names)),
        "files, data": of(lines(names), "DATA"),
        "three files": of(lines(names[:3])),
        "interleaved": of(
            tf.data.Dataset.from_tensor_slices(names).interleave(tf.data.TextLineDataset, cycle_length=2).batch(4)
        ),
        **divided_files(names, lines),
        "function": [plain_piece(element) for element in pieces],
        "uneven": [plain_piece(element) for element in uneven],
        "contexts": contexts,
        "no files": raised(lambda: of(batches(10, 4), "FILE")),
        "no batches": raised(lambda: of(tf.data.Dataset.range(4))),
        "spec": str(pieces.element_spec),
        "next": [plain_piece(next(iterator)), plain_piece(iterator.get_next()), plain_piece(next(iterator))],
        "end": [raised(lambda: next(iterator)), raised(iterator.get_next)],
    }

    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += strategy.run(lambda x: context().all_reduce("SUM", tf.reduce_sum(x)), (x,))
        return found

    return found | {"total": plain(total(strategy.experimental_distribute_dataset(batches(10, 4))))}


def divided_files(names: list[str], lines: Any) -> Any:
    """The parts of datasets of files between which and their names there are other datasets."""
    pattern = os.path.dirname(names[0]) + "/?.txt"
    listed, again = [tf.data.Dataset.list_files(pattern, seed=seed) for seed in (5, 6)]
    read = tf.data.TextLineDataset(names)
    pairs = read.window(2).flat_map(lambda window: window.batch(2)).map(tf.strings.reduce_join)

    def table(given: list[str]) -> Any:
        return tf.data.experimental.make_csv_dataset(
            given, 4, ["a"], column_defaults=[""], header=False, num_epochs=1, shuffle=False
        ).map(lambda row: row["a"])

    return {
        "shuffled files": of(lines(listed)),
        "shuffled files, interleaved": of(again.interleave(tf.data.TextLineDataset, cycle_length=2).batch(4)),
        "windows of lines": of(pairs.batch(4)),
        "counted lines": of(lines(names).apply(tf.data.experimental.assert_cardinality(3))),
        "scanned": of(read.scan(0, lambda state, line: (state, line)).batch(4)),
        "scanned, files": raised(lambda: of(read.scan(0, lambda state, line: (state, line)).batch(4), "FILE")),
        "table": of(table(names)),
        "table, files": raised(lambda: of(table(names), "FILE")),
        "one by one": of(read.batch(1), "OFF")[:20],
        "in other batches": of(lines(names).rebatch(3), "OFF"),
        "in fixed batches": of(tf.data.Dataset.range(9).batch(3, drop_remainder=True).map(lambda x: x + 1), "OFF"),
    }


def mixed() -> Any:
    """The parts of a dataset of files beside one of numbers, and the error for too few files."""
    names = [__file__] * 3
    lines = tf.data.TextLineDataset(names).map(tf.strings.length)
    beside = tf.data.Dataset.zip((lines, tf.data.Dataset.range(8))).map(lambda *pair: pair[1])
    return [of(beside.batch(4)), raised(lambda: of(tf.data.TextLineDataset(names[:1]).batch(4)))]
