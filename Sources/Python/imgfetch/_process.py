"""The program as a child: how it is started, read and ended."""
from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
import warnings
from typing import IO, Any, List, Mapping, Optional, Sequence

from ._binary import program_environment, program_version
from ._errors import Error
from ._version import __version__

log = logging.getLogger("imgfetch")

_PIPE_SIZE = 1 << 20
_F_SETPIPE_SZ = 1031
_told: List[str] = []


class Child:
    """A running program, its three streams, and what became of it."""

    def __init__(self, path: str, arguments: Sequence[str], *, stdin: bool, stderr: Optional[int] = None) -> None:
        self.path = path
        # Unnamed: what it says is read once it has ended, and goes with it.
        self.said: Optional[IO[bytes]] = tempfile.TemporaryFile() if stderr is None else None
        try:
            self.process = subprocess.Popen(
                [path, *arguments],
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self.said if self.said is not None else stderr,
                env=program_environment(),
                bufsize=0,
            )
        except OSError as error:
            self._close_said()
            raise Error(f"{path} cannot be started: {error.strerror}", exit=7) from error
        widen(self.process.stdout)

    @property
    def stdin(self) -> Any:
        return self.process.stdin

    @property
    def stdout(self) -> Any:
        return self.process.stdout

    def end(self, *, patience: float = 2.0) -> None:
        """Ends it, wherever it is: as Ctrl-C does, and by force where that takes longer."""
        process = self.process
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._close_said()

    def wait(self) -> int:
        """Waits for its end, and logs what it has said."""
        code = self.process.wait()
        for line in self.messages().splitlines():
            log.log(logging.WARNING if line.startswith("imgfetch: ") else logging.INFO, "%s", line)
        return code

    def messages(self) -> str:
        """The text on its standard error so far."""
        if self.said is None:
            return ""
        self.said.seek(0)
        return self.said.read().decode(errors="replace").strip()

    def _close_said(self) -> None:
        if self.said is not None:
            self.said.close()
            self.said = None

    def failure(self, code: int) -> Error:
        """The error of a run that did not come to its end."""
        return failure(self.path, code, self.messages())


def failure(path: str, code: int, said: str) -> Error:
    """The error of a run that did not come to its end, in the program's words where it had any."""
    text = "; ".join(line[10:] if line.startswith("imgfetch: ") else line for line in said.splitlines()[:3])
    if code < 0:
        text = text or f"{path} was ended by {signal.Signals(-code).name}"
    elif not text:
        text = f"{path} ended with exit code {code}"
    if code == 2:
        version = program_version(path)
        if version != __version__:
            text += f" ({path} is version {version}, and this module is for {__version__})"
    return Error(text, kind="usage" if code == 2 else "program", exit=code if code > 0 else 128 - code)


def check_version(path: str, summary: Mapping[str, Any]) -> None:
    """Warns, once, where the program is of another version than this module."""
    version = (summary.get("summary") or {}).get("version")
    if version is None or __version__ in ("0", version) or path in _told:
        return
    _told.append(path)
    warnings.warn(f"{path} is imgfetch {version}, and this module is for {__version__}", RuntimeWarning, stacklevel=3)


def widen(stream: Any) -> None:
    """Has a pipe take more at once, so that the two ends wait less often for each other."""
    try:
        import fcntl

        fcntl.fcntl(stream.fileno(), _F_SETPIPE_SZ, _PIPE_SIZE)
    except (OSError, ImportError, AttributeError):
        pass


class FrameReader:
    """Reads rows, and the bytes behind each, from the program's standard output."""

    def __init__(self, stream: Any) -> None:
        self._file: int = stream.fileno()
        # Read into again and again: new memory for each piece would cost more than the copy out of it.
        self._buffer = bytearray(1 << 18)
        self._view = memoryview(self._buffer)
        self._begin = 0
        self._end = 0

    @property
    def has_more(self) -> bool:
        """True if bytes were read that have not been returned yet."""
        return self._begin < self._end

    def line(self) -> Optional[bytes]:
        """The next line; None at the end."""
        searched = self._begin
        while True:
            end = self._buffer.find(b"\n", searched, self._end)
            if end >= 0:
                line = bytes(self._view[self._begin : end])
                self._begin = end + 1
                return line
            searched = self._end - self._begin
            if not self._read(searched + 1):
                return None
            searched += self._begin

    def take(self, count: int) -> Optional[bytes]:
        """So many bytes; None where the stream ends before."""
        while self._end - self._begin < count:
            if not self._read(count):
                return None
        taken = bytes(self._view[self._begin : self._begin + count])
        self._begin += count
        return taken

    def _read(self, count: int) -> bool:
        """Reads more, behind what is held, with room for so many bytes in all. False at the end of the stream."""
        held = self._end - self._begin
        if self._begin + count > len(self._buffer):
            if count > len(self._buffer):
                # Twice as many, so that a long line is moved a few times only.
                larger = bytearray(max(count, 2 * len(self._buffer)))
                larger[:held] = self._view[self._begin : self._end]
                self._buffer, self._view = larger, memoryview(larger)
            else:
                self._view[:held] = self._view[self._begin : self._end]
            self._begin, self._end = 0, held
        got = os.readv(self._file, [self._view[self._end :]])
        self._end += got
        return got > 0
