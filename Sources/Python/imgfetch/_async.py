"""The run of aget(), with asyncio's own streams."""
from __future__ import annotations

import asyncio
import collections.abc
import signal
import tempfile
from typing import Any, AsyncGenerator, Dict, List, Union

from ._binary import program_environment
from ._process import check_version, failure
from ._rows import Request, Row, line_of, refused, row_of

_LONGEST_LINE = 1 << 24


async def async_rows(
    path: str, arguments: List[str], framed: bool, urls: Any, look_ahead: int
) -> AsyncGenerator[Row, None]:
    """The rows of one run, as they come."""
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            path,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=said,
            env=program_environment(),
            limit=_LONGEST_LINE,
        )
        assert process.stdin is not None and process.stdout is not None
        run = _Feeding(process.stdin, urls, look_ahead)
        feeding = asyncio.ensure_future(run.feed())
        finished = False
        try:
            while True:
                row = await _next(process.stdout, framed, run.index_of)
                while run.local:
                    yield run.local.pop(0)
                if row is None:
                    break
                if isinstance(row, Row):
                    run.room.release()
                    yield row
                else:
                    check_version(path, row)
                    finished = True
            # What the iterable has raised is raised here.
            await feeding
            code = await process.wait()
            while run.local:
                yield run.local.pop(0)
            if (code != 0 or not finished) and not (finished and "--fail-fast" in arguments):
                said.seek(0)
                raise failure(path, code, said.read().decode(errors="replace").strip())
        finally:
            feeding.cancel()
            await _end(process)


async def _end(process: "asyncio.subprocess.Process") -> None:
    if process.returncode is not None:
        return
    try:
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asyncio.shield(process.wait()), 2)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
    except ProcessLookupError:
        await process.wait()


async def _next(
    stream: "asyncio.StreamReader", framed: bool, index_of: Dict[int, int]
) -> Union[Row, Dict[str, Any], None]:
    try:
        line = await stream.readuntil(b"\n")
        row = row_of(line, index_of)
        if not framed or not isinstance(row, Row) or row.size is None:
            return row
        row.__dict__.update(bytes=await stream.readexactly(row.size), path=None)
        return row
    except asyncio.IncompleteReadError:
        return None


class _Feeding:
    """Writes the lines, as far as the look-ahead allows."""

    def __init__(self, stream: "asyncio.StreamWriter", urls: Any, look_ahead: int) -> None:
        self.room = asyncio.Semaphore(look_ahead)
        self.local: List[Row] = []
        self.index_of: Dict[int, int] = {}
        self._stream = stream
        self._urls = urls
        self._given = 0
        self._lines = 0

    async def feed(self) -> None:
        try:
            if isinstance(self._urls, collections.abc.AsyncIterable):
                async for item in self._urls:
                    await self._give(item)
            else:
                for item in [self._urls] if isinstance(self._urls, (str, Request)) else self._urls:
                    await self._give(item)
            await self._stream.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass  # The program has ended, and tells why.
        finally:
            self._stream.close()

    async def _give(self, item: object) -> None:
        index = self._given
        self._given += 1
        line = line_of(item)
        if isinstance(line, str):
            url: object = item.url if isinstance(item, Request) else item
            self.local.append(refused(index, url, line, item.id if isinstance(item, Request) else None))
            return
        await self.room.acquire()
        self._lines += 1
        if self._lines - 1 != index:
            self.index_of[self._lines] = index
        self._stream.write(line)
        if self._lines % 64 == 0:
            await self._stream.drain()
