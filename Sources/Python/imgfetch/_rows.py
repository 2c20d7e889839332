"""Requests and their results."""
from __future__ import annotations

import datetime
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from ._binary import Path
from ._errors import Error


@dataclass(frozen=True)
class Request:
    """A URL with what belongs to it alone. A plain string will do where there is nothing."""

    url: str
    name: Optional[Path] = None
    """The name of its file; by default it is made from the URL."""
    id: Optional[str] = None
    """Any text, which is in its row."""
    priority: Optional[str] = None
    """high or low: before or after the others."""
    sha256: Optional[str] = None
    """In hex; an image with another one is a failure (checksum)."""
    referer: Optional[str] = None
    """The page that it was found on, which is sent as Referer."""
    mirrors: Sequence[str] = ()
    """Further URLs of the same image, which are tried where this one fails."""
    stem: Optional[str] = None
    """The name of its file without the extension, which follows its format."""


@dataclass(frozen=True)
class Row:
    """The result of one URL."""

    url: str
    """As it was given, without spaces around it."""
    index: int
    """The number of the URL among those given, from 0."""
    path: Optional[str] = None
    """The file with the image; None where it is in memory, or was not had."""
    bytes: Optional[bytes] = field(default=None, repr=False)
    """The image; None where it went into a file, or was not had."""
    error: Optional[Error] = None
    """Why it was not had; None: it was."""
    id: Optional[str] = None
    """The text that its Request had."""
    cache: Optional[str] = None
    """The cache that it came from: none (the network), memory, disk or remote."""
    status: Optional[int] = None
    """That of the last answer; None where there was none."""
    format: Optional[str] = None
    """The image's format, by its bytes: jpeg, png, webp, …"""
    mime: Optional[str] = None
    width: Optional[int] = None
    """In pixels, as the image is delivered."""
    height: Optional[int] = None
    """In pixels, as the image is delivered."""
    size: Optional[int] = None
    """The number of its bytes."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All fields that the program has printed, under its own names."""

    def unwrap(self) -> "Row":
        """This row, if its image was had; raises its error if not."""
        if self.error is not None:
            raise self.error
        return self


Urls = Union[str, Request]


def refused(index: int, item: object, why: str) -> Row:
    """The row of what is no line of a list."""
    url: object = item.url if isinstance(item, Request) else item
    id = item.id if isinstance(item, Request) else None
    text = url if isinstance(url, str) else repr(url)
    error = Error(f"{text!r}: {why}", kind="refused", exit=8, url=text)
    told = {"kind": error.kind, "message": error.message, "transient": False, "exit": error.exit}
    raw = {**_NOTHING, "url": text, "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "error": told}
    return Row(url=text, index=index, id=id, error=error, raw=raw if id is None else {**raw, "id": id})


# What the program has in the row of a line that it refuses.
_NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(("final_url", "key", "cache", "status", "mime", "format", "width", "height", "frames", "bytes", "output")),
    **dict.fromkeys(("revalidated", "shared", "stale"), False),
    **dict.fromkeys(("downloaded", "elapsed_ms", "attempts"), 0),
}


def line_of(item: object) -> Union[bytes, str]:
    """The line of a list that asks for this; a string says why there is none."""
    if isinstance(item, Request):
        url: object = item.url
    else:
        url = item
    if not isinstance(url, str):
        return "this is no URL, but " + ("nothing" if url is None else f"of the type {type(url).__name__}")
    # Lines of a file come with their ends, the first one with a byte order mark where the file has one.
    url = url.strip().lstrip("\ufeff").strip()
    # A line that the program passes over has no row.
    if not url or url.startswith("#"):
        return "this is no URL"
    # A list that begins with PAR1, or GIF8, is taken for a file of another kind: not behind a space.
    fields = [url if url.startswith("http") else f" {url}"]
    if isinstance(item, Request):
        if item.name is not None:
            if not isinstance(item.name, (str, os.PathLike)):
                return f"its name is of the type {type(item.name).__name__}"
            file = os.fsdecode(item.name)
            # A name that reads like a field is one of a folder here.
            fields.append(f"./{file}" if "=" in file else file)
        for name in ("priority", "sha256", "referer", "stem", "id"):
            value = getattr(item, name)
            if value is not None:
                fields.append(f"{name}={value}")
        mirrors: object = item.mirrors
        # A single one is a sequence, too: of its letters. An array of a table has no truth value.
        if mirrors is None or isinstance(mirrors, str):
            mirrors = [mirrors] if mirrors else []
        if not isinstance(mirrors, Iterable):
            return f"its mirrors are of the type {type(mirrors).__name__}"
        fields += [f"mirror={mirror}" for mirror in mirrors]
    if any("\t" in text or "\n" in text or "\r" in text or "\0" in text for text in fields):
        return "it holds a TAB, the end of a line or a NUL"
    try:
        return "\t".join(fields).encode() + b"\n"
    except UnicodeEncodeError:
        return "it is no text that UTF-8 has"


def object_of(line: bytes) -> Dict[str, Any]:
    """The object in a line that the program has printed. Raises Error where it is none: it is another program then."""
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Error(f"the program has printed what is no row: {line[:60]!r}")
    return found


def row_of(line: bytes, index_of: "Optional[Dict[int, int]]" = None) -> Union[Row, Dict[str, Any]]:
    """The row in a line of JSON, without its image's bytes; the object itself where it is no row (the summary)."""
    raw = object_of(line)
    if "summary" in raw:
        return raw
    url = raw["url"]
    status = raw.get("status")
    error = raw.get("error")
    number = raw.get("line") or 0
    if error is not None:
        # Which line of its input it is says nothing here.
        error = {**error, "message": str(error.get("message", "it failed")).replace(f"standard input:{number}: ", "", 1)}
    return Row(
        url=url,
        index=number - 1 if index_of is None else index_of.pop(number, number - 1),
        path=raw.get("output"),
        error=None if error is None else Error.of_row(error, status, url),
        id=raw.get("id"),
        cache=raw.get("cache"),
        status=status,
        format=raw.get("format"),
        mime=raw.get("mime"),
        width=raw.get("width"),
        height=raw.get("height"),
        size=raw.get("bytes"),
        raw=raw,
    )
