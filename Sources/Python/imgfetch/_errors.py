"""The one exception of this package."""
from __future__ import annotations

from typing import Any, Mapping, Optional


class Error(Exception):
    """An image that was not had, or a run that did not come to its end.

    `kind` is one of name, connect, tls, timeout, truncated, http, not-image, damaged, limit, checksum, offline, file, refused and
    cancelled for an image; usage for options that the program does not take; and program where it ended otherwise. `exit` is the exit
    code that the program has for it, `status` that of the server's answer, if there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "program",
        exit: int = 1,
        status: Optional[int] = None,
        transient: bool = False,
        url: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.exit = exit
        self.status = status
        self.transient = transient
        self.url = url

    def __reduce__(self) -> Any:
        # With its keywords, so that a worker's error reaches the process that waits for it.
        return _remake, (self.message, self.kind, self.exit, self.status, self.transient, self.url)

    @classmethod
    def of_row(cls, error: Mapping[str, Any], status: Optional[int], url: Optional[str]) -> "Error":
        """The error that a row tells of."""
        return cls(
            str(error.get("message", "it failed")),
            kind=str(error.get("kind", "program")),
            exit=int(error.get("exit", 1)),
            status=status,
            transient=bool(error.get("transient", False)),
            url=url,
        )


def _remake(
    message: str, kind: str, exit: int, status: Optional[int], transient: bool, url: Optional[str]
) -> Error:
    return Error(message, kind=kind, exit=exit, status=status, transient=transient, url=url)
