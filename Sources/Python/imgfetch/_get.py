"""Images, one after the other and many at once."""
from __future__ import annotations

import os
import select
import time
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncGenerator,
    AsyncIterable,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    Union,
)

from ._arguments import arguments_of
from ._binary import Path, program_path
from ._errors import Error
from ._lines import InOrder, Lines, is_shard
from ._process import Child, FrameReader, check_version, variable, widen
from ._rows import Request, Row, Urls, row_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import GetOptions

LOOK_AHEAD = 2_000
"""How many URLs are read ahead of the rows that were taken, by default: enough for slow hosts not to hold up others."""

_TO_FILES = ("output_dir", "name", "placeholder", "clobber", "adopt", "overwrite", "prune", "content_disposition", "xattr", "remote_time")


def get_arguments(options: Mapping[str, Any], *, in_order: bool = False) -> Tuple[List[str], bool]:
    """The command line of a run that reads URLs, and whether its images come as bytes."""
    framed = not any(_is_set(name, options) for name in _TO_FILES)
    command = ["get", "--quiet", "--progress=none", "--exit-zero", *(["-o", "-", "--framed"] if framed else ["--json"])]
    # How many rows there are is known from keywords and the environment; a configuration file does not change it.
    command += [f"--no-{name}" for name in ("shard", "fail-fast") if not os.environ.get(variable(name))]
    command += arguments_of("get", options)
    if in_order and is_shard(command):
        # Which lines have no row is not known here: the program has to put the others in order, which it does for files only.
        if framed:
            raise TypeError("a shard cannot come in order where its images are in memory: leave out in_order, or give output_dir")
        command.append("--ordered")
    # Lines are what is written, whatever environment and configuration file say about lists.
    return [*command, "--list-format=lines", "--no-null", "-i", "-"], framed


def get(
    urls: Union[Urls, Iterable[Urls]],
    *,
    in_order: bool = False,
    look_ahead: int = LOOK_AHEAD,
    program: Optional[Path] = None,
    **options: Unpack[GetOptions],
) -> Generator[Row, None, None]:
    """Fetches images, and yields a row for each URL: as each is done, or in the order of the URLs.

    The images are in the rows' `bytes`, or, with an option that says where files go (`output_dir`, `name`, …), in files, whose names are
    the rows' `path`. The URLs are taken from the iterable as they are needed, in this thread: at most `look_ahead` of them have no row
    yet. With `shard`, those of other parts have no rows, and are read as fast as the program takes them. What is no URL (None, NaN, text
    with a line feed inside) has a row with an error like any other failure. Options are those of `imgfetch get`, with `_` for `-`; what
    is not given is as on the command line, with its environment and configuration file, whose lines shard and fail-fast do not count here.

    The program is ended when the iterator is closed or forgotten. After a fork the iterator is the parent's, and raises Error in the
    child. Raises Error, too, where the program cannot be started or does not come to its end, and TypeError, at once, for a keyword that
    is no option.
    """
    arguments, framed = get_arguments(options, in_order=in_order)
    rows = _Run(program_path(program), arguments, framed, urls, look_ahead).rows()
    return _ordered(rows, InOrder(arguments)) if in_order else rows


def one(url: Urls, *, program: Optional[Path] = None, **options: Unpack[GetOptions]) -> bytes:
    """Fetches one image, and returns its bytes. Raises Error where it cannot be had."""
    needs_bytes("one", options)
    for row in get([url], program=program, **options):
        return bytes_of(row)
    raise Error("the image has no row: it is in another part than `shard` names", kind="usage", exit=2)


def _is_set(name: str, options: Mapping[str, Any]) -> bool:
    """True if the option says more than its default: clobber is the switch that is on."""
    value = options.get(name)
    return value is not None and value is not (name == "clobber")


def needs_bytes(function: str, options: Mapping[str, Any]) -> None:
    """Raises TypeError where options lead images elsewhere."""
    for name in (*_TO_FILES, "dry_run"):
        if _is_set(name, options):
            raise TypeError(f"{function}() returns the image's bytes; get() takes {name!r}")


def bytes_of(row: Row) -> bytes:
    """The image of a row, which has it in memory if it was had."""
    image = row.unwrap().bytes
    if image is None:
        raise Error(f"{row.url}: the image was not fetched", kind="program", url=row.url)
    return image


def _ordered(rows: Generator[Row, None, None], order: InOrder) -> Generator[Row, None, None]:
    try:
        for row in rows:
            yield from order.take(row)
        yield from order.rest()
    finally:
        rows.close()


class _Run:
    """One run of the program, fed and read by turns in the thread that takes the rows."""

    def __init__(
        self, path: str, arguments: List[str], framed: bool, urls: Union[Urls, Iterable[Urls]], look_ahead: int
    ) -> None:
        self._path = path
        self._arguments = arguments
        self._framed = framed
        self._urls: Iterator[Urls] = iter([urls] if isinstance(urls, (str, bytes, Request)) else urls)
        self._lines = Lines(arguments, look_ahead)
        self._is_fed = False
        self._unsent = b""

    def rows(self) -> Generator[Row, None, None]:
        child = Child(self._path, self._arguments, stdin=True)
        summary: Optional[Mapping[str, Any]] = None
        try:
            os.set_blocking(child.stdin.fileno(), False)
            widen(child.stdin)
            reader = FrameReader(child.stdout)
            poll = select.poll()
            poll.register(child.stdout, select.POLLIN)
            is_open = True
            while not child.is_abandoned:
                can_take = self._feed(child) if is_open else False
                if self._lines.local:
                    yield self._lines.local.popleft()
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
                        self._lines.answered()
                        yield row
                    else:
                        check_version(self._path, row)
                        summary = row
            child.check(summary)
        finally:
            child.end()

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
            while len(lines) < 64 and not self._is_fed and self._lines.has_room and not self._lines.local:
                try:
                    item = next(self._urls)
                except StopIteration:
                    self._is_fed = True
                    break
                line = self._lines.line(item)
                if line is not None:
                    lines.append(line)
                    # An answer may be waiting while a slow iterable is asked for the next URL.
                    if time.monotonic() - begun > 0.005:
                        break
            if not lines:
                return False
            self._unsent = b"".join(lines)
            return True
        return True

    def _next(self, reader: FrameReader) -> Union[Row, Dict[str, Any], None]:
        line = reader.line()
        if line is None:
            return None
        row = row_of(line, self._lines.index_of)
        if not self._framed or not isinstance(row, Row):
            return row
        return with_bytes(row, reader)


def with_bytes(row: Row, reader: FrameReader) -> Optional[Row]:
    """The row with the bytes that follow it; None where they end before."""
    fields = row.__dict__
    # In place: the row was made a moment ago, and no other thread has it.
    fields["path"] = None
    if row.size is not None:
        image = reader.take(row.size)
        if image is None:
            return None
        fields["bytes"] = image
    return row


async def aget(
    urls: Union[Urls, Iterable[Urls], AsyncIterable[Urls]],
    *,
    in_order: bool = False,
    look_ahead: int = LOOK_AHEAD,
    program: Optional[Path] = None,
    **options: Unpack[GetOptions],
) -> AsyncGenerator[Row, None]:
    """The same as get() for asyncio; the URLs may come from an asynchronous iterable, too.

    The program is ended when the iterator is closed, or the task that awaits it is cancelled; an iterator that is left half-way is closed
    by the event loop.
    """
    from ._async import AsyncRun

    arguments, framed = get_arguments(options, in_order=in_order)
    run = AsyncRun(program_path(program), arguments, framed, urls, look_ahead)
    order = InOrder(arguments)
    try:
        while True:
            row = await run.row()
            if row is None:
                break
            for due in order.take(row) if in_order else (row,):
                yield due
        for due in order.rest():
            yield due
    finally:
        await run.close()
