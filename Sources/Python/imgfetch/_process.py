"""The program as a child: how it is started, read and ended."""
from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from typing import IO, Any, List, Mapping, Optional, Sequence

from ._binary import program_environment, program_version
from ._errors import Error
from ._version import __version__

log = logging.getLogger("imgfetch")

# A group of its own is enough; older Pythons have that with a session only.
_DETACHED: Mapping[str, Any] = {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}
_PIPE_SIZE = 1 << 20
_F_SETPIPE_SZ = 1031
_told: List[str] = []


class Child:
    """A running program, its three streams, and what became of it."""

    def __init__(
        self, path: str, arguments: Sequence[str], *, stdin: bool, stderr: Optional[int] = None, is_detached: bool = False
    ) -> None:
        """A detached one does not hear of Ctrl-C on the terminal."""
        self.path = path
        self.is_abandoned = False
        """True in a process that was forked from the one that has started it."""
        self._fails_fast = _is_on("fail-fast", arguments)
        # Unnamed: what it says is read once it has ended, and goes with it.
        self.said: Optional[IO[bytes]] = tempfile.TemporaryFile() if stderr is None else None
        try:
            with _starting:
                self.process = subprocess.Popen(
                    [path, *arguments],
                    stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=self.said if self.said is not None else stderr,
                    env=program_environment(),
                    bufsize=0,
                    **(_DETACHED if is_detached else {}),
                )
                _children.add(self)
        except OSError as error:
            self._close_said()
            raise Error(f"{path} cannot be started: {error.strerror}", exit=7) from error
        except ValueError as error:  # A NUL, or what UTF-8 does not have.
            self._close_said()
            raise Error(f"an option cannot be handed to the program: {error}", kind="usage", exit=2) from error
        widen(self.process.stdout)

    @property
    def stdin(self) -> Any:
        return self.process.stdin

    @property
    def stdout(self) -> Any:
        return self.process.stdout

    def ask_to_end(self) -> None:
        """Has it end as Ctrl-C does, without waiting for it."""
        self._close_streams()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, *, patience: float = 2.0) -> None:
        """Ends it, wherever it is: as Ctrl-C does, and by force where that takes longer."""
        process = self.process
        try:
            if patience > 0:
                self.ask_to_end()
                process.wait(patience)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # An exception of a signal's handler may have come in between.
            self._close_streams()
            if process.poll() is None:
                process.kill()
                process.wait()
            self._close_said()

    def abandon(self) -> None:
        """In a child after a fork: closes this process's ends of the pipes, and leaves the program alone."""
        self.is_abandoned = True
        self._close_streams()
        self._close_said()
        # Not this process's to wait for.
        self.process.returncode = 0

    def check(self, summary: Optional[Mapping[str, Any]]) -> None:
        """Waits for its end, and logs what it has said. Raises its error where it did not come to the end of its work."""
        if self.is_abandoned:
            raise Error("this was begun by another process, of which this one is a fork")
        code = self.process.wait()
        if summary is None or code != 0 and not (self._fails_fast and code > 0):
            raise self.failure(code)
        self.log_messages()

    def log_messages(self) -> None:
        """Logs what it has said."""
        for line in self.messages().splitlines():
            log.log(logging.WARNING if line.startswith("imgfetch: ") else logging.INFO, "%s", line)

    def messages(self) -> str:
        """The text on its standard error so far."""
        if self.said is None:
            return ""
        self.said.seek(0)
        return self.said.read().decode(errors="replace").strip()

    def _close_streams(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass

    def _close_said(self) -> None:
        if self.said is not None:
            self.said.close()
            self.said = None

    def failure(self, code: int) -> Error:
        """The error of a run that did not come to its end."""
        return failure(self.path, code, self.messages())


# The pipes of a program that is being started are in no object yet: a fork waits for that.
_starting = threading.RLock()
_children: "weakref.WeakSet[Child]" = weakref.WeakSet()


def _abandon_all() -> None:
    # Where a child kept an end of a pipe open, the parent's program would not see the end of its list.
    for child in list(_children):
        child.abandon()
    _starting.release()


os.register_at_fork(before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_abandon_all)


def _is_on(switch: str, arguments: Sequence[str]) -> bool:
    given = [argument for argument in arguments if argument in (f"--{switch}", f"--no-{switch}")]
    if given:
        return given[-1] == f"--{switch}"
    return os.environ.get(variable(switch), "").lower() in ("1", "true", "yes")


def variable(option: str) -> str:
    """The variable of the environment that sets an option."""
    return "IMGFETCH_" + option.upper().replace("-", "_")


def failure(path: str, code: int, said: str) -> Error:
    """The error of a run that did not come to its end, in the program's words where it had any."""
    lines = [line for line in said.splitlines() if not line.startswith("Try '")]
    # Warnings came before it, and are not the cause.
    lines = [line for line in lines if not line.startswith("imgfetch: warning: ")] or lines
    text = "; ".join(line[10:] if line.startswith("imgfetch: ") else line for line in lines[:3])
    if code < 0:
        text = text or f"{path} was ended by {_name_of(-code)}"
    elif not text:
        text = f"{path} ended with exit code {code}" + (", and without a summary" if code == 0 else "")
    if code == 2:
        version = program_version(path)
        if version != __version__:
            text += f" ({path} is version {version}, and this module is for {__version__})"
    return Error(text, kind="usage" if code == 2 else "program", exit=code if code > 0 else 128 - code if code else 1)


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # One of the real-time signals.
        return f"signal {number}"


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
