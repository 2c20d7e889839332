"""The commands on sources, files and rows: find, inspect, report."""
from __future__ import annotations

import io
import json
import os
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from ._arguments import arguments_of
from ._binary import Path, program_path
from ._process import Child
from ._rows import Row, object_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import FindOptions, InspectOptions, ReportOptions


_COMMAND_LINE = 1 << 16
"""How many characters of paths one command line takes: Linux allows for more, less what the environment needs."""


@dataclass(frozen=True)
class Found:
    """An image that a page, a feed, a site map, a table or a manifest names."""

    url: str
    kind: Optional[str] = None
    alt: Optional[str] = None
    title: Optional[str] = None
    width: Optional[int] = None
    height: Optional[int] = None
    page: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Inspected:
    """The facts about a file."""

    path: str
    format: Optional[str] = None
    mime: Optional[str] = None
    width: Optional[int] = None
    height: Optional[int] = None
    frames: Optional[int] = None
    size: Optional[int] = None
    whole: Optional[bool] = None
    """True if every pixel is there, or None where that cannot be told."""
    error: Optional[str] = None
    """Why it is no image, or none that can be read; None: it is one."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def find(
    source: Union[Path, Sequence[Path]], *, program: Optional[Path] = None, **options: Unpack[FindOptions]
) -> Iterator[Found]:
    """Yields the images that a source names: a URL or a file, or several. Raises Error where one cannot be had."""
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    if not sources:
        return
    command = ["find", "--json", "--quiet", *arguments_of("find", options), "--", *[os.fspath(one) for one in sources]]
    for raw in _objects(program_path(program), command, fine=(0, 5)):
        if "url" in raw:
            yield Found(
                url=raw["url"],
                kind=raw.get("kind"),
                alt=raw.get("alt"),
                title=raw.get("title"),
                width=raw.get("width"),
                height=raw.get("height"),
                page=raw.get("page"),
                raw=raw,
            )


def inspect(
    paths: Union[Path, Iterable[Path]], *, program: Optional[Path] = None, **options: Unpack[InspectOptions]
) -> Iterator[Inspected]:
    """Yields what image files are, and whether they are whole; of folders what is in them, with `recursive=True`. A file that is no image,
    or cannot be read, has an error. Paths are taken from the iterable as they are needed, up to some hundreds at a time.
    """
    command = ["inspect", "--json", "--quiet", *arguments_of("inspect", options), "--"]
    each = iter([paths] if isinstance(paths, (str, os.PathLike)) else paths)
    path = program_path(program)
    while names := _some(each):
        for raw in _objects(path, [*command, *names], fine=(0, 1, 5, 7)):
            if "file" in raw:
                yield _inspected(raw)


def _some(paths: Iterator[Path]) -> List[str]:
    """As many of the paths as a command line holds for certain."""
    names: List[str] = []
    room = _COMMAND_LINE
    for path in paths:
        names.append(os.fspath(path))
        room -= len(names[-1])
        if room < 0:
            break
    return names


def _inspected(raw: Mapping[str, Any]) -> Inspected:
    error = raw.get("error")
    return Inspected(
        path=raw["file"],
        format=raw.get("format"),
        mime=raw.get("mime"),
        width=raw.get("width"),
        height=raw.get("height"),
        frames=raw.get("frames"),
        size=raw.get("bytes"),
        whole=raw.get("whole"),
        error=error.get("message") if isinstance(error, dict) else error,
        raw=raw,
    )


def report(
    rows: Union[Path, Iterable[Union[Path, Row, Mapping[str, Any]]]],
    *,
    program: Optional[Path] = None,
    **options: Unpack[ReportOptions],
) -> Dict[str, Any]:
    """Sums up runs as an object: failures by host and cause, formats, sizes, times, duplicates.

    Takes rows as get() yields them, or files and folders that have them (what `--report` wrote, shards of a data set).
    """
    paths: List[str] = []
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        has_rows = False
        for item in [rows] if isinstance(rows, (str, os.PathLike)) else rows:
            if isinstance(item, (str, os.PathLike)):
                paths.append(os.fspath(item))
            else:
                has_rows = True
                file.write(json.dumps(dict(item.raw if isinstance(item, Row) else item)) + "\n")
        if has_rows or not paths:
            file.flush()
            paths.append(file.name)
        command = ["report", "--json", *arguments_of("report", options), "--", *paths]
        found: Dict[str, Any] = {}
        for raw in _objects(program_path(program), command, fine=(0,)):
            found.update(raw)
        return found


def _objects(path: str, command: List[str], fine: Sequence[int]) -> Iterator[Dict[str, Any]]:
    """The objects that the program prints, one a line."""
    child = Child(path, command, stdin=False)
    count = 0
    try:
        with io.BufferedReader(child.stdout, 1 << 18) as lines:
            for line in lines:
                if not line.endswith(b"\n"):  # It was ended within a line.
                    break
                count += 1
                yield object_of(line)
        code = child.process.wait()
        if code not in fine or (count == 0 and code not in (0, 5)):
            raise child.failure(code)
        child.log_messages()
    finally:
        child.end()
