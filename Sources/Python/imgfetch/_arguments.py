"""Keywords as the arguments of a command line."""
from __future__ import annotations

import difflib
import os
from typing import Any, List, Mapping, Tuple

from ._options import OPTIONS


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
    if isinstance(value, bool):
        if kind != "switch":
            raise TypeError(f"the option {keyword!r} takes a value, and not {value}")
        return [f"--{name}" if value else f"--no-{name}"]
    if kind == "values" and not isinstance(value, (str, os.PathLike)) and hasattr(value, "__iter__"):
        return [f"--{name}={_text(one)}" for one in value]
    if kind == "list" and not isinstance(value, str) and hasattr(value, "__iter__"):
        return [f"--{name}=" + ",".join(_text(one) for one in value)]
    if isinstance(value, tuple) and len(value) == 2:
        return [f"--{name}={_text(value[0])}x{_text(value[1])}"]
    return [f"--{name}={_text(value)}"]


def _text(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return str(value)
