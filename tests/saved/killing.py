"""Processes that save checkpoints are killed at random moments; the next one restores, and checks the checkpoint.

python -m tests.saved.killing FOLDER ROUNDS SEED
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import struct
import sys
import time

import numpy as np

import tfcompat as tf

WAYS = ("manager", "write", "asynchronous")
# Some variables of different sizes, so that files are written in parts.
SIZES = (1, 300_000, 5, 70_000)
NUMBER = struct.Struct("<q")
LONGEST = 0.1


class Saver:
    """Restores and saves variables that all hold the number of the last save."""

    def __init__(self, way: str, folder: pathlib.Path) -> None:
        self.way, self.folder = way, folder
        self.variables = [tf.Variable(tf.zeros([size], tf.int64)) for size in SIZES]
        self.checkpoint = tf.train.Checkpoint(variables=self.variables)
        self.manager = tf.train.CheckpointManager(self.checkpoint, str(folder), max_to_keep=2)
        self.options = tf.train.CheckpointOptions(enable_async=way == "asynchronous")

    def restore(self) -> int:
        """Restores the last checkpoint, and returns its number; 0 without one."""
        if self.way == "write":
            path = str(self.folder / "ck") if (self.folder / "ck.index").exists() else None
        else:
            path = tf.train.latest_checkpoint(str(self.folder))
            assert self.manager.latest_checkpoint == path
            assert path is not None or not (self.folder / "checkpoint").exists()
        if path is None:
            return 0
        self.checkpoint.read(path).expect_partial().assert_existing_objects_matched()
        [number] = {int(each) for v in self.variables for each in (v.numpy().min(), v.numpy().max())}
        return number

    def save(self, number: int) -> int:
        """Saves `number`; returns the largest number that is certainly saved."""
        for v in self.variables:
            v.assign(np.full(v.shape, number))
        if self.way == "write":
            self.checkpoint.write(str(self.folder / "ck"))
        else:
            self.manager.save(checkpoint_number=number, options=self.options)
        return number - 1 if self.way == "asynchronous" else number


def child(way: str, folder: pathlib.Path, least: int, pipe: int) -> None:
    """Checks that the last checkpoint has at least the number `least`, then saves and reports until it is killed."""
    saver = Saver(way, folder)
    number = saver.restore()
    assert number >= least, f"{way}: {least} was saved, {number} was restored"
    while True:
        number += 1
        os.write(pipe, NUMBER.pack(saver.save(number)))


def killed(way: str, folder: pathlib.Path, least: int, pause: float, *, is_early: bool = False) -> int:
    """Kills a child `pause` seconds after it has reported a number above `least`, or any number if it `is_early`.

    Returns the largest number that is certainly saved.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        try:
            child(way, folder, least, writing)
        finally:
            os._exit(1)
    os.close(writing)
    largest = least
    while part := os.read(reading, NUMBER.size):
        largest = max(largest, *NUMBER.unpack(part))
        if is_early or largest > least:
            break
    time.sleep(pause)
    os.kill(process, signal.SIGKILL)
    while part := os.read(reading, NUMBER.size):
        largest = max(largest, *NUMBER.unpack(part))
    os.close(reading)
    _, status = os.waitpid(process, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        raise SystemExit(f"{way}: the process ended by itself")
    return largest


def main() -> None:
    """Kills as many processes as are asked for."""
    folder, rounds, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    draw = random.Random(seed)
    least = dict.fromkeys(WAYS, 0)
    for way in WAYS:
        (folder / way).mkdir()
    for turn in range(rounds):
        way = WAYS[turn % len(WAYS)]
        pause, is_early = LONGEST * draw.random(), turn < len(WAYS)
        least[way] = killed(way, folder / way, least[way], pause, is_early=is_early)
        for left in (folder / way).glob("*.tempstate*"):
            left.unlink()
    print(*least.values())


if __name__ == "__main__":
    main()
