"""Keywords as the arguments of a command line."""
from __future__ import annotations

import difflib
import os
from typing import Any, Iterable, List, Mapping, Tuple

from ._options import OPTIONS


_BETWEEN = {"header": ": ", "cookie": "="}
"""What stands between a name and its value on the command line."""


def arguments_of(command: str, options: Mapping[str, Any]) -> List[str]:
    """The options of a command, in the order given: transforms are done in that order.

    Raises TypeError for a keyword that is none of the command's options.
    """
    table = OPTIONS.get(command, {})
    arguments: List[str] = []
    for keyword, value in options.items():
        known = table.get(keyword)
        if known is None:
            alike = difflib.get_close_matches(keyword, table, 1)
            raise TypeError(
                f"{command}() has no option {keyword!r}" + (f"; did you mean {alike[0]!r}?" if alike else "")
            )
        if value is not None:
            arguments += _option(known, keyword, value)
    return arguments


def _option(known: Tuple[str, str], keyword: str, value: Any) -> List[str]:
    name, kind = known
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # a number or truth value of numpy
        value = value.item()
    if isinstance(value, bool):
        if kind != "switch":
            raise TypeError(f"the option {keyword!r} takes a value, and not {value}")
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, Mapping):
        if kind != "pairs":
            raise TypeError(f"the option {keyword!r} takes no names with values: {value!r}")
        return [f"--{name}={_text(key)}{_BETWEEN[name]}{_text(item)}" for key, item in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
        items = [_text(item) for item in value]
        if kind in ("values", "pairs"):
            return [f"--{name}={item}" for item in items]
        if kind == "list":
            return [f"--{name}=" + ",".join(items)] if items else []
        if kind == "size" and len(items) == 2:
            return [f"--{name}={items[0]}x{items[1]}"]
        wanted = "one value, or two for width and height," if kind == "size" else "one value,"
        raise TypeError(f"the option {keyword!r} takes {wanted} and not {value!r}")
    return [f"--{name}={_text(value)}"]


def _text(value: Any) -> str:
    return os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value)
