"""Watches the other processes of a cluster: which of them have ended, or have not been heard for some time.

The first process has a connection to each of the others, at their addresses, and informs them about those that it has
lost. Each end sends a message every second.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
from collections.abc import Sequence
from typing import Any

from tfcompat._core.system.error import UnavailableError

# Seconds between two messages, and between two attempts to connect.
_BEAT, _RETRY = 1.0, 0.05
# Seconds in which all processes have to start.
_CONNECTING = 300.0
# Seconds without a message after which a process counts as lost.
SILENCE = "TFCOMPAT_WORKER_TIMEOUT"
_SILENCE = 40.0
_GREETING = b"tfcompat watch\n"
_ALIVE, _LEFT = b".", b"left"
# Seconds until the watch knows the process because of which an exchange has failed, and between two looks at that.
_NAMING, _PAUSE = 2.0, 0.01
# Waits for connections of any number; `select` only knows those below 1,024.
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)
_ENDED, _GONE, _SILENT = "has ended", "has left", "has not been heard for {} seconds"


class _Peer:
    """A connection to another process.

    Attributes:
      number: its number.
      heard: when it was heard last.
    """

    def __init__(self, number: int, connection: socket.socket) -> None:
        self.number = number
        self.heard = time.monotonic()
        self._connection = connection
        self._received = b""
        self._sending = threading.Lock()

    def fileno(self) -> int:
        """The number of the connection, for `select`."""
        return self._connection.fileno()

    def send(self, message: bytes) -> None:
        """Sends `message`, unless the process has ended."""
        try:
            with self._sending:
                self._connection.sendall(message + b"\n")
        except OSError:
            return  # `receive` finds out

    def receive(self) -> list[bytes] | None:
        """The messages that have arrived; None if the process has ended."""
        try:
            given = self._connection.recv(4096)
        except OSError:
            return None
        if not given:
            return None
        self.heard = time.monotonic()
        *messages, self._received = (self._received + given).split(b"\n")
        return messages

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


class Watch(threading.Thread):
    """A thread that exchanges messages with the other processes.

    Attributes:
      lost: what has happened to processes that are no longer there, by number.
    """

    def __init__(self, names: Sequence[str], addresses: Sequence[str], index: int, listening: socket.socket) -> None:
        """Connects the process with number `index` of those with `names` at `addresses`; waits until they have started.

        The first process connects to the others, which are `listening`. Raises OSError after some minutes.
        """
        super().__init__(name="tfcompat-watch", daemon=True)
        self._names = names
        self.lost: dict[int, str] = {}
        self._index = index
        self._silence = float(os.environ.get(SILENCE, _SILENCE))
        if index:
            self._peers = [_Peer(0, _accepted(listening))]
        else:
            self._peers = [_Peer(number, _connected(address)) for number, address in enumerate(addresses) if number]
        self.start()

    def run(self) -> None:
        """Exchanges messages until the process ends."""
        beaten = 0.0
        while self._peers:
            readable = self._readable()
            if time.monotonic() > beaten + _BEAT:
                beaten = time.monotonic()
                self._tell(_ALIVE)
            for peer in readable:
                self._read(peer)
            for peer in list(self._peers):
                if time.monotonic() > peer.heard + self._silence:
                    self._lose(peer, _SILENT.format(f"{self._silence:g}"))

    def leave(self, patience: float) -> None:
        """Says that this process ends, and waits for the others to do so, for up to `patience` seconds."""
        self._tell(_LEFT)
        limit = time.monotonic() + patience
        while self._peers and time.monotonic() < limit:
            time.sleep(_RETRY)

    def error(self, reason: str) -> UnavailableError:
        """The error for an exchange that failed for `reason`; it names the processes that have left."""
        limit = time.monotonic() + _NAMING
        while not self.lost and time.monotonic() < limit:
            time.sleep(_PAUSE)
        lost = [f"{self._names[number]} {how}" for number, how in sorted(self.lost.items())]
        who = "; ".join(lost) or "a process that cannot be named"
        return UnavailableError.of(
            f"Collective ops is aborted by: {who}: {reason}\n"
            "Start the job again: it can continue from its last checkpoint."
        )

    def abandon(self) -> None:
        """Closes the connections of a forked child, which would outlive those of its parent."""
        for peer in self._peers:
            peer.close()
        self._peers = []

    def _readable(self) -> list[Any]:
        """The processes that have sent something, within the time between two messages."""
        with _Selector() as selector:
            for peer in self._peers:
                selector.register(peer, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(_BEAT)]

    def _tell(self, message: bytes) -> None:
        for peer in list(self._peers):
            peer.send(message)

    def _read(self, peer: _Peer) -> None:
        messages = peer.receive()
        if messages is None:
            self._lose(peer, self.lost.get(peer.number, _ENDED))
            return
        for message in messages:
            if message == _LEFT:
                self._note(peer.number, _GONE)
            elif message != _ALIVE:
                number, _, how = message.decode().partition(" ")
                self._note(int(number), how)

    def _lose(self, peer: _Peer, how: str) -> None:
        self._peers.remove(peer)
        peer.close()
        self._note(peer.number, how)

    def _note(self, number: int, how: str) -> None:
        """Notes what has happened to a process; the first one informs the others."""
        if number == self._index or number in self.lost:
            return
        self.lost[number] = how
        if not self._index:
            self._tell(f"{number} {how}".encode())


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _connected(address: str) -> socket.socket:
    """A connection to the process at `address`, once it listens there. Raises OSError after some minutes."""
    limit = time.monotonic() + _CONNECTING
    while True:
        try:
            connection = socket.create_connection(_split(address), timeout=_CONNECTING)
        except OSError:
            if time.monotonic() > limit:
                raise
            time.sleep(_RETRY)
        else:
            connection.settimeout(None)
            connection.sendall(_GREETING)
            return connection


def listening_at(address: str) -> socket.socket:
    """The socket at which the process at `address` waits for the first one. Raises OSError if the port is taken."""
    host, port = _split(address)
    return socket.create_server(("", port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def _accepted(listening: socket.socket) -> socket.socket:
    """The connection that the first process makes to this one. Raises OSError after some minutes."""
    listening.settimeout(_CONNECTING)
    while True:
        connection, _ = listening.accept()
        connection.settimeout(_BEAT)
        with contextlib.suppress(OSError):
            if connection.recv(len(_GREETING), socket.MSG_WAITALL) == _GREETING:
                connection.settimeout(None)
                return connection
        connection.close()  # of another program
