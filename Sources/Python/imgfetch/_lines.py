"""The lines of one run: what was given, what has no row yet, and which row belongs to which."""
from __future__ import annotations

import collections
import os
from typing import Deque, Dict, List, Optional, Sequence

from ._rows import Row, line_of, refused


class Lines:
    """Numbers what is given, and counts what is under way. One thread (or one event loop) has it."""

    def __init__(self, arguments: Sequence[str], look_ahead: int) -> None:
        # Lines of other parts have no row, so that counting them would stop the run in the middle; how far the program reads bounds it.
        self._look_ahead: Optional[int] = None if is_shard(arguments) else max(1, look_ahead)
        self._given = 0
        self._written = 0
        self._under_way = 0
        self.local: Deque[Row] = collections.deque()
        """Rows of what is no line, which the program never sees."""
        self.index_of: Dict[int, int] = {}
        """Of lines whose number is not their index: those behind what was no line."""

    @property
    def has_room(self) -> bool:
        """True if a further line may be written before another row has come."""
        return self._look_ahead is None or self._under_way < self._look_ahead

    def line(self, item: object) -> Optional[bytes]:
        """The line that asks for this; None: its row is among the local ones."""
        index = self._given
        self._given += 1
        line = line_of(item)
        if isinstance(line, str):
            self.local.append(refused(index, item, line))
            return None
        self._written += 1
        self._under_way += 1
        if self._written - 1 != index:
            self.index_of[self._written] = index
        return line

    def answered(self) -> None:
        """Takes note of a row."""
        self._under_way -= 1


class InOrder:
    """Holds rows until it is their turn. What waits is bounded by the look-ahead."""

    def __init__(self, arguments: Sequence[str]) -> None:
        # The program has them in order then, and which lines have none is not known here.
        self._has_gaps = is_shard(arguments)
        self._waiting: Dict[int, Row] = {}
        self._due = 0

    def take(self, row: Row) -> List[Row]:
        """Those whose turn it is, with this one."""
        self._waiting[row.index] = row
        if self._has_gaps:
            # Of the program's rows each is due as it comes, with what was no line before it.
            is_local = row.raw.get("line") is None
            return [] if is_local else [self._waiting.pop(index) for index in sorted(self._waiting) if index <= row.index]
        due: List[Row] = []
        while self._due in self._waiting:
            due.append(self._waiting.pop(self._due))
            self._due += 1
        return due

    def rest(self) -> List[Row]:
        """Those behind lines that have no row, at the end."""
        return [self._waiting.pop(index) for index in sorted(self._waiting)]


def is_shard(arguments: Sequence[str]) -> bool:
    """True if only a part of the lines have rows."""
    given = [argument for argument in arguments if argument.startswith(("--shard=", "--no-shard"))]
    return given[-1].startswith("--shard=") if given else bool(os.environ.get("IMGFETCH_SHARD"))
