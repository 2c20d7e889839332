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
from ._rows import Row

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import FindOptions, InspectOptions, ReportOptions


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
    """Yields the images that a source names: a URL or a file, or several."""
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
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
    """Yields what image files are, and whether they are whole; of folders what is in them, with `recursive=True`."""
    names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not names:
        return
    command = ["inspect", "--json", "--quiet", *arguments_of("inspect", options), "--", *[os.fspath(one) for one in names]]
    for raw in _objects(program_path(program), command, fine=(0, 1, 5, 7)):
        if "file" not in raw:
            continue
        error = raw.get("error")
        whole = raw.get("whole")
        yield Inspected(
            path=raw["file"],
            format=raw.get("format"),
            mime=raw.get("mime"),
            width=raw.get("width"),
            height=raw.get("height"),
            frames=raw.get("frames"),
            size=raw.get("bytes"),
            whole=whole,
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
    items: List[Any] = [rows] if isinstance(rows, (str, os.PathLike)) else list(rows)
    paths = [os.fspath(item) for item in items if isinstance(item, (str, os.PathLike))]
    given = [item for item in items if not isinstance(item, (str, os.PathLike))]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        if given or not paths:
            for item in given:
                file.write(json.dumps(dict(item.raw if isinstance(item, Row) else item)) + "\n")
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
                try:
                    raw = json.loads(line)
                except ValueError:  # It was ended within a line.
                    break
                if isinstance(raw, dict):
                    count += 1
                    yield raw
        code = child.process.wait()
        if code not in fine or (count == 0 and code not in (0, 5)):
            raise child.failure(code)
        child.log_messages()
    finally:
        child.end()
