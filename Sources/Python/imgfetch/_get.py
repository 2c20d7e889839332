"""Images, one after the other and many at once."""
from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from ._arguments import arguments_of
from ._binary import Path, program_path
from ._process import Child, FrameReader, check_version, widen
from ._rows import Request, Row, Urls, line_of, refused, row_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import GetOptions

LOOK_AHEAD = 2_000
"""How many URLs are read ahead of the rows that were taken, by default: enough for slow hosts not to hold up others."""

_TO_FILES = ("output_dir", "name", "placeholder", "clobber", "adopt", "overwrite", "prune", "content_disposition", "xattr", "remote_time")


def get_arguments(options: Mapping[str, Any], *, stream: bool) -> Tuple[List[str], bool]:
    """The command line of a run that reads URLs, and whether its images come as bytes."""
    framed = not any(options.get(name) is not None for name in _TO_FILES)
    command = ["get", "--quiet", "--progress=none", "--exit-zero", *(["-o", "-", "--framed"] if framed else ["--json"])]
    command += arguments_of("get", options)
    return command + (["-i", "-"] if stream else []), framed


def get(
    urls: Union[Urls, Iterable[Urls]],
    *,
    in_order: bool = False,
    look_ahead: int = LOOK_AHEAD,
    program: Optional[Path] = None,
    **options: Unpack[GetOptions],
) -> Iterator[Row]:
    """Fetches images, and yields a row for each URL: as each is done, or in the order of the URLs.

    The images are in the rows' `bytes`, or, with an option that says where files go (`output_dir`, `name`, …), in files, whose names are
    the rows' `path`. The URLs are taken from the iterable as they are needed, in this thread: at most `look_ahead` of them have no row
    yet. What is no URL (None, NaN, text with a line feed) has a row with an error like any other failure. Options are those of
    `imgfetch get`, with `_` for `-`; what is not given is as on the command line, with its environment and configuration file.

    The program is ended when the iterator is closed or forgotten.
    """
    arguments, framed = get_arguments(options, stream=True)
    run = _Run(program_path(program), arguments, framed, urls, max(1, look_ahead))
    return _ordered(run.rows()) if in_order else run.rows()


def one(url: Urls, *, program: Optional[Path] = None, **options: Unpack[GetOptions]) -> bytes:
    """Fetches one image, and returns its bytes. Raises Error where it cannot be had."""
    if any(dict(options).get(name) is not None for name in _TO_FILES):
        raise TypeError("one() returns the image's bytes; get() takes options for files")
    for row in get([url], program=program, **options):
        return row.unwrap().bytes or b""
    raise AssertionError("a URL has one row")


def _ordered(rows: Iterator[Row]) -> Iterator[Row]:
    """The same rows by their indices. What waits is bounded by the look-ahead."""
    waiting: Dict[int, Row] = {}
    due = 0
    for row in rows:
        waiting[row.index] = row
        while due in waiting:
            yield waiting.pop(due)
            due += 1


class _Run:
    """One run of the program, fed and read by turns in the thread that takes the rows."""

    def __init__(
        self, path: str, arguments: List[str], framed: bool, urls: Union[Urls, Iterable[Urls]], look_ahead: int
    ) -> None:
        self._path = path
        self._arguments = arguments
        self._framed = framed
        self._urls: Iterator[Urls] = iter([urls] if isinstance(urls, (str, Request)) else urls)
        self._look_ahead = look_ahead
        self._given = 0
        self._lines = 0
        self._outstanding = 0
        self._is_fed = False
        self._unsent = b""
        self._local: List[Row] = []
        self._index_of: Dict[int, int] = {}

    def rows(self) -> Iterator[Row]:
        child = Child(self._path, self._arguments, stdin=True)
        finished = False
        try:
            os.set_blocking(child.stdin.fileno(), False)
            widen(child.stdin)
            reader = FrameReader(child.stdout)
            poll = select.poll()
            poll.register(child.stdout, select.POLLIN)
            is_open = True
            while True:
                can_take = self._feed(child) if is_open else False
                if self._local:
                    yield self._local.pop(0)
                    continue
                if is_open and self._is_fed and not self._unsent:
                    child.stdin.close()
                    is_open = False
                # Reading has precedence over more lines: what is done is wanted.
                if reader.has_more or poll.poll(0 if can_take else None if not self._unsent else 20):
                    row = self._next(reader)
                    if row is None:
                        break
                    if isinstance(row, Row):
                        self._outstanding -= 1
                        yield row
                    else:
                        check_version(self._path, row)
                        finished = True
            code = child.wait()
            if (code != 0 or not finished) and not (finished and self._options_end_early()):
                raise child.failure(code)
        finally:
            child.end()

    def _options_end_early(self) -> bool:
        return "--fail-fast" in self._arguments

    def _feed(self, child: Child) -> bool:
        """Hands over the next lines. Whether there is room for more of them."""
        for _ in range(64):
            if self._unsent:
                try:
                    sent = os.write(child.stdin.fileno(), self._unsent)
                except BlockingIOError:
                    return False
                except BrokenPipeError:
                    self._is_fed, self._unsent = True, b""
                    return False
                self._unsent = self._unsent[sent:]
                if self._unsent:
                    return False
            lines: List[bytes] = []
            begun = time.monotonic()
            while len(lines) < 64 and not self._is_fed and self._outstanding < self._look_ahead and not self._local:
                try:
                    item = next(self._urls)
                except StopIteration:
                    self._is_fed = True
                    break
                line = self._line(item)
                if line:
                    lines.append(line)
                    # An answer may be waiting while a slow iterable is asked for the next URL.
                    if time.monotonic() - begun > 0.005:
                        break
            if not lines:
                return False
            self._unsent = b"".join(lines)
            return True
        return True

    def _line(self, item: object) -> bytes:
        index = self._given
        self._given += 1
        line = line_of(item)
        if isinstance(line, str):
            id = item.id if isinstance(item, Request) else None
            self._local.append(refused(index, item.url if isinstance(item, Request) else item, line, id))
            return b""
        self._lines += 1
        self._outstanding += 1
        if self._lines - 1 != index:
            self._index_of[self._lines] = index
        return line

    def _next(self, reader: FrameReader) -> Union[Row, Dict[str, Any], None]:
        line = reader.line()
        if line is None:
            return None
        row = row_of(line, self._index_of)
        if not self._framed or not isinstance(row, Row):
            return row
        return with_bytes(row, reader)


def with_bytes(row: Row, reader: FrameReader) -> Optional[Row]:
    """The row with the bytes that follow it; None where they end before."""
    if row.size is None:
        return row
    image = reader.take(row.size)
    if image is None:
        return None
    fields = row.__dict__
    # In place: the row was made a moment ago, and no other thread has it.
    fields["bytes"] = image
    fields["path"] = None
    return row


async def aget(
    urls: Union[Urls, Iterable[Urls], AsyncIterable[Urls]],
    *,
    in_order: bool = False,
    look_ahead: int = LOOK_AHEAD,
    program: Optional[Path] = None,
    **options: Unpack[GetOptions],
) -> AsyncIterator[Row]:
    """The same as get() for asyncio; the URLs may come from an asynchronous iterable, too."""
    from ._async import async_rows

    arguments, framed = get_arguments(options, stream=True)
    rows = async_rows(program_path(program), arguments, framed, urls, max(1, look_ahead))
    waiting: Dict[int, Row] = {}
    due = 0
    try:
        async for row in rows:
            if not in_order:
                yield row
                continue
            waiting[row.index] = row
            while due in waiting:
                yield waiting.pop(due)
                due += 1
    finally:
        await rows.aclose()
