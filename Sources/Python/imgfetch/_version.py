"""The version, which stands in one place: the installed package's."""
from __future__ import annotations

from importlib import metadata

try:
    __version__ = metadata.version("imgfetch")
except metadata.PackageNotFoundError:  # In a checkout: the program beside it has one.
    from ._binary import find_imgfetch_bin, program_version

    try:
        __version__ = program_version(find_imgfetch_bin()) or "0"
    except FileNotFoundError:
        __version__ = "0"
