"""Requests and their results."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._errors import Error


@dataclass(frozen=True)
class Request:
    """A URL with what belongs to it alone. A plain string will do where there is nothing."""

    url: str
    name: Optional[str] = None
    id: Optional[str] = None
    priority: Optional[str] = None
    sha256: Optional[str] = None
    referer: Optional[str] = None
    mirrors: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """The result of one URL."""

    url: str
    """As it was given."""
    index: int
    """The number of the URL among those given, from 0."""
    path: Optional[str] = None
    """The file with the image; None where it is in memory, or was not had."""
    bytes: Optional[bytes] = field(default=None, repr=False)
    """The image; None where it went into a file, or was not had."""
    error: Optional[Error] = None
    """Why it was not had; None: it was."""
    id: Optional[str] = None
    cache: Optional[str] = None
    """The cache that it came from: none (the network), memory, disk or remote."""
    status: Optional[int] = None
    format: Optional[str] = None
    mime: Optional[str] = None
    width: Optional[int] = None
    height: Optional[int] = None
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


def refused(index: int, url: object, why: str, id: Optional[str] = None) -> Row:
    """The row of what is no line of a list."""
    text = url if isinstance(url, str) else repr(url)
    return Row(url=text, index=index, id=id, error=Error(f"{text!r}: {why}", kind="refused", exit=8, url=text))


def line_of(item: object) -> Union[bytes, str]:
    """The line of a list that asks for this; a string says why there is none."""
    if isinstance(item, Request):
        url: object = item.url
    else:
        url = item
    if not isinstance(url, str):
        return "this is no URL, but " + ("nothing" if url is None else f"a {type(url).__name__}")
    fields = [url]
    if isinstance(item, Request):
        if item.name is not None:
            fields.append(item.name)
        for name in ("priority", "sha256", "referer", "id"):
            value = getattr(item, name)
            if value is not None:
                fields.append(f"{name}={value}")
        fields += [f"mirror={mirror}" for mirror in item.mirrors]
    if any("\t" in text or "\n" in text or "\r" in text or "\0" in text for text in fields):
        return "it holds a TAB, a line feed or a NUL"
    stripped = url.strip()
    # A line that the program passes over has no row.
    if not stripped or stripped.startswith("#"):
        return "this is no URL"
    try:
        return "\t".join(fields).encode() + b"\n"
    except UnicodeEncodeError:
        return "it is no text that UTF-8 has"


def row_of(line: bytes, index_of: "Optional[Dict[int, int]]" = None) -> Union[Row, Dict[str, Any]]:
    """The row in a line of JSON, without its image's bytes; the object itself where it is no row (the summary)."""
    raw: Dict[str, Any] = json.loads(line)
    if "summary" in raw:
        return raw
    url = raw["url"]
    status = raw.get("status")
    error = raw.get("error")
    number = raw.get("line") or 0
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
