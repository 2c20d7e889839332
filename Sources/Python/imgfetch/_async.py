"""The run of aget(): the program's pipes in an event loop."""
from __future__ import annotations

import asyncio
import collections.abc
import os
import time
from typing import Any, Dict, List, Mapping, Optional, Union

from ._lines import Lines
from ._process import Child, FrameReader, check_version, widen
from ._rows import Request, Row, row_of

_AT_ONCE = 64
"""How many rows or lines in a row are handled before others of the event loop have their turn."""


async def _ended(child: Child, patience: float = float("inf")) -> None:
    """Waits for the program's end. An event loop has no portable way of being told, and it is a matter of moments."""
    deadline = time.monotonic() + patience
    delay = 0.0005
    while child.process.poll() is None and time.monotonic() < deadline:
        await asyncio.sleep(delay)
        delay = min(2 * delay, 0.05)


class AsyncRun:
    """One run, fed by a task. It is no asynchronous generator: an event loop that ends closes all of these at once, and one that another
    one closes, too, is an error.
    """

    def __init__(self, path: str, arguments: List[str], framed: bool, urls: Any, look_ahead: int) -> None:
        self._child = Child(path, arguments, stdin=True)
        for stream in (self._child.stdin, self._child.stdout):
            os.set_blocking(stream.fileno(), False)
        widen(self._child.stdin)
        self._framed = framed
        self._urls = urls
        self._lines = Lines(arguments, look_ahead)
        self._reader = FrameReader(self._child.stdout)
        self._awaits_bytes: Optional[Row] = None
        self._summary: Optional[Mapping[str, Any]] = None
        self._count = 0
        self._answered = asyncio.Event()
        # Tells the reader of whatever it may wait for.
        self._wake = asyncio.Event()
        self._feeding = asyncio.ensure_future(self._feed())
        self._feeding.add_done_callback(lambda _: self._wake.set())

    async def row(self) -> Optional[Row]:
        """The next row, as it comes; None at the end. Raises what the iterable raises, and the error of a run that did not end well."""
        while not self._child.is_abandoned:
            if self._feeding.done():
                self._feeding.result()
            row = self._next()
            if row is None:
                await self._readable()
            elif isinstance(row, Row):
                self._count += 1
                if self._count % _AT_ONCE == 0:
                    await asyncio.sleep(0)
                return row
            elif row:
                check_version(self._child.path, row)
                self._summary = row
            else:
                break
        await _ended(self._child)
        self._child.check(self._summary)
        return None

    async def close(self) -> None:
        """Ends the program, wherever it is."""
        try:
            self._feeding.cancel()
            await asyncio.wait([self._feeding])
            if not self._feeding.cancelled():
                self._feeding.exception()
            self._child.ask_to_end()
            await _ended(self._child, 2)
        finally:
            self._child.end(patience=0)

    def _next(self) -> Union[Row, Dict[str, Any], None]:
        """The next row or summary, {} at the end; None: nothing is there yet."""
        self._wake.clear()
        if self._lines.local:
            self._answered.set()
            return self._lines.local.popleft()
        try:
            row: Union[Row, Dict[str, Any]]
            if self._awaits_bytes is None:
                line = self._reader.line()
                if line is None:
                    return {}
                row = row_of(line, self._lines.index_of)
                if not isinstance(row, Row):
                    return row
                self._awaits_bytes = row
            row = self._awaits_bytes
            if self._framed:
                row.__dict__["path"] = None
                if row.size is not None:
                    image = self._reader.take(row.size)
                    if image is None:
                        return {}
                    row.__dict__["bytes"] = image
        except BlockingIOError:
            return None
        self._awaits_bytes = None
        self._lines.answered()
        self._answered.set()
        return row

    async def _readable(self) -> None:
        """Waits for bytes of the program, or for what has no line."""
        loop, file = asyncio.get_running_loop(), self._child.stdout.fileno()
        loop.add_reader(file, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            loop.remove_reader(file)

    async def _feed(self) -> None:
        """Writes the lines, as far as the look-ahead allows."""
        try:
            if isinstance(self._urls, collections.abc.AsyncIterable):
                async for item in self._urls:
                    await self._write(await self._line(item))
            else:
                await self._feed_all([self._urls] if isinstance(self._urls, (str, bytes, Request)) else self._urls)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The program has ended, and tells why.
        finally:
            self._child.stdin.close()

    async def _feed_all(self, items: Any) -> None:
        lines: List[bytes] = []
        begun = time.monotonic()
        for item in items:
            if lines and not (self._lines.has_room and len(lines) < _AT_ONCE and time.monotonic() - begun < 0.005):
                await self._write(b"".join(lines))
                await asyncio.sleep(0)
                lines, begun = [], time.monotonic()
            lines.append(await self._line(item))
        await self._write(b"".join(lines))

    async def _line(self, item: object) -> bytes:
        """The line of an item, once there is room for it; none where it has a local row."""
        while not self._lines.has_room or len(self._lines.local) >= _AT_ONCE:
            self._answered.clear()
            await self._answered.wait()
        line = self._lines.line(item)
        if line is None:
            self._wake.set()
        return line or b""

    async def _write(self, lines: bytes) -> None:
        loop, file = asyncio.get_running_loop(), self._child.stdin.fileno()
        while lines:
            try:
                lines = lines[os.write(file, lines) :]
            except BlockingIOError:
                writable = asyncio.Event()
                loop.add_writer(file, writable.set)
                try:
                    await writable.wait()
                finally:
                    loop.remove_writer(file)
