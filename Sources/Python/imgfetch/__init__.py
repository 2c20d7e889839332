"""Fetches images: from a cache if it can, over the network if it must.

The work is done by the program imgfetch, which this package brings along; nothing else is needed. Tables of Arrow and Parquet take
pyarrow, which `imgfetch[parquet]` installs.
"""
from __future__ import annotations

from ._binary import find_imgfetch_bin
from ._errors import Error
from ._files import Found, Inspected, find, inspect, report
from ._get import aget, get, one
from ._pack import Packed, pack
from ._rows import Request, Row
from ._session import Session
from ._version import __version__

__all__ = [
    "Error",
    "Found",
    "Inspected",
    "Packed",
    "Request",
    "Row",
    "Session",
    "__version__",
    "aget",
    "find",
    "find_imgfetch_bin",
    "get",
    "inspect",
    "one",
    "pack",
    "report",
]
