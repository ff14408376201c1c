"""The buffer of TensorFlow's shuffle, which holds elements of several repetitions."""

from __future__ import annotations

from tfcompat._data.blocks.order import Order, Pair

# The buffer is not filled further once it holds elements of this many repetitions.
_MOST_REPETITIONS = 3
# More elements than any program reads.
_ENDLESS = 1 << 62
# The most elements that are drawn at once.
_AT_ONCE = 1 << 16


class ShuffleBuffer:
    """The buffer after `number` draws, over an input of `length` elements that is read `count` times.

    The input has no end if `length` is negative, and the repetitions have none if `count` is. Elements are numbered
    through all repetitions. Element n is put into the place `n % size`. Before a draw the buffer is filled.

    Attributes:
      front, back: the repetitions of the last draw, and of the last element that was read.
      drawn: the number of draws from the front repetition.
      read: the number of elements that were read of the back repetition.
      has_ended: whether nothing is read of the input: it has not begun, or has ended.
    """

    def __init__(self, size: int, length: int, number: int, count: int) -> None:
        length = _ENDLESS if length < 0 else length
        self._size, self._length, self._number = size, length, number
        self.front = self.back = self.drawn = self.read = self._filled = 0
        self.has_ended = True
        if not number:
            return
        total = _ENDLESS if count < 0 else length * count
        self.front = (number - 1) // length
        self.drawn = number - self.front * length
        # The repetition of the draw before is removed only by this draw.
        limit = (max(0, number - 2) // length + _MOST_REPETITIONS) * length
        wanted = number - 1 + size
        self._filled = min(wanted, limit, total)
        self.has_ended = wanted > total <= limit
        self.back = (self._filled - 1) // length
        if wanted > limit and limit < total:
            self.back += 1
        self.read = self._filled - self.back * length

    def counters(self) -> dict[str, int]:
        """The counters of the kernel."""
        found = {"end_of_input_sequence": int(self.has_ended)}
        number = self._number
        slices = range(self.front, self.back + 1) if number else range(0)
        found |= {"epoch": self.back + 1 if number else 0, "num_elements": self._filled - number}
        found["slices_size"] = len(slices)
        for place, turn in enumerate(slices):
            start = turn * self._length
            found[f"slices_start_{place}"] = max(start, number)
            found[f"slices_end_{place}"] = min(self._filled, start + self._length)
            found[f"slices_reached_end_of_sequence_{place}"] = int(turn < self.back or self.has_ended)
        return found

    def slots(self, order: Order) -> dict[int, int]:
        """The elements of the buffer by place, as numbers of elements of the input.

        `order` is `self.order` of the front's seeds, or the one that an earlier buffer of the same draws has used.
        """
        length, size, begin = self._length, self._size, self.front * self._length
        if not self._number:
            return {}
        _draw(order, self.drawn, length)
        held = order.size
        own, slots = range(self.drawn, min(length, self._filled - begin)), order.slots
        found = {(begin + place) % size: slots[place % held] for place in own}
        later = range(begin + length, self._filled)
        return found | {place % size: place % length for place in later}

    def order(self, seeds: Pair) -> Order:
        """The order of the front repetition before its first draw."""
        held = min(self._size, self._length)
        return Order(seeds, list(range(held)), held)


def _draw(order: Order, number: int, length: int) -> None:
    """Draws up to `number` elements from a buffer that is full at first; slots hold the numbers of elements.

    It draws one, then one for each element that is left of the input, then the rest.
    """
    size = order.size
    order.drain(min(number, 1) - min(order.at, 1))
    while order.at < min(number, length - size + 1):
        start = size + order.at - 1
        order.exchange(list(range(start, min(start + _AT_ONCE, length, size + number - 1))))
    order.drain(number - order.at)
