"""One program for many calls."""
from __future__ import annotations

import atexit
import collections
import os
import threading
import weakref
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Deque, Dict, Iterable, Iterator, Optional, Union

from ._binary import Path, program_path
from ._errors import Error
from ._get import LOOK_AHEAD, bytes_of, get_arguments, needs_bytes, with_bytes
from ._process import Child, FrameReader, check_version
from ._rows import Row, Urls, line_of, refused, row_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import GetOptions


class Session:
    """Keeps one program for many calls, from any number of threads: its connections, names and memory serve all of them.

    The options are those of get(). The program starts with the first call, and ends when the session is closed or forgotten, and with
    the interpreter; after a fork the child starts one of its own, as does a process that unpickles the session, and so does the next
    call where the program was killed. Ctrl-C breaks off the call that waits, and the program only where that is too busy to take the
    call's line. A URL that failed is asked for again when it is called for again.
    """

    def __init__(self, *, program: Optional[Path] = None, **options: Unpack[GetOptions]) -> None:
        given = dict(options)
        if given.get("shard"):
            raise TypeError("a session takes no shard: a URL of another part would have no answer")
        given.setdefault("retry_failed", True)
        self._program = program
        self._options = given
        self._arguments, self._framed = get_arguments(given)
        self._arguments.append("--no-shard")
        self._lock = threading.Lock()
        self._channel: Optional[_Channel] = None
        self._finalizer: "Optional[weakref.finalize[[], Session]]" = None
        self._is_closed = False
        _sessions.add(self)

    def submit(self, url: Urls) -> "Future[Row]":
        """Asks for an image; the result of the future is its row. Callbacks of the future must not wait for another image: they are called
        by the thread that reads them. Raises ValueError once the session is closed.
        """
        line = line_of(url)
        if isinstance(line, str):
            future: "Future[Row]" = Future()
            future.set_result(refused(0, url, line))
            return future
        with self._lock:
            channel = self._live()
        # Without the lock: a program that is busy takes lines late, and close() must not wait for that.
        return channel.ask(line)

    def get(self, url: Urls) -> Row:
        """The row of one image, with its bytes, or the file that it went to. Raises Error where the program has ended meanwhile, and
        ValueError once the session is closed.
        """
        return self.submit(url).result()

    def one(self, url: Urls) -> bytes:
        """The bytes of one image. Raises Error where it cannot be had, and TypeError where the session's images go into files."""
        needs_bytes("one", self._options)
        return bytes_of(self.get(url))

    def map(self, urls: Iterable[Urls], *, look_ahead: int = LOOK_AHEAD) -> Iterator[Row]:
        """The rows of many, in the order of the URLs, of which at most `look_ahead` are asked for before their rows are taken."""
        waiting: "Deque[Future[Row]]" = collections.deque()
        index = 0
        for url in urls:
            waiting.append(self.submit(url))
            if len(waiting) >= max(1, look_ahead):
                yield _at(waiting.popleft().result(), index)
                index += 1
        while waiting:
            yield _at(waiting.popleft().result(), index)
            index += 1

    def close(self) -> None:
        """Ends the program. Calls that wait for an answer get an error of the kind cancelled."""
        channel = self._end()
        if channel is not None:
            channel.join()

    def _end(self) -> "Optional[_Channel]":
        with self._lock:
            self._is_closed = True
            if self._finalizer is not None:
                self._finalizer()
            channel, self._channel = self._channel, None
        return channel

    def __reduce__(self) -> Any:
        # Another process has a program of its own.
        return _remake, (self._program, self._options)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _live(self) -> "_Channel":
        if self._is_closed:
            raise ValueError("the session is closed")
        if self._channel is None or not self._channel.is_alive:
            if self._finalizer is not None:
                self._finalizer()
            self._channel = _Channel(program_path(self._program), [*self._arguments], self._framed)
            # Of the channel alone: a thread that reads must not keep the session.
            self._finalizer = weakref.finalize(self, self._channel.end)
        return self._channel

    def _forget(self) -> None:
        """In a child after a fork: the program is the parent's."""
        self._lock = threading.Lock()
        if self._finalizer is not None:
            self._finalizer.detach()
        self._channel = None
        self._finalizer = None


def _remake(program: Optional[Path], options: "GetOptions") -> Session:
    return Session(program=program, **options)


def _at(row: Row, index: int) -> Row:
    row.__dict__["index"] = index
    return row


class _Channel:
    """A running program and the thread that reads its rows."""

    def __init__(self, path: str, arguments: "list[str]", framed: bool) -> None:
        self._path = path
        self._framed = framed
        self._child = Child(path, arguments, stdin=True, is_detached=True)
        # Of those that write lines; the reading thread never takes it, since a write may wait for it.
        self._writing = threading.Lock()
        # Of the futures, and of what became of the program.
        self._lock = threading.Lock()
        self._waiting: "Dict[int, Future[Row]]" = {}
        self._over: Optional[Error] = None
        self._lines = 0
        self.is_alive = True
        self._is_ending = False
        self._thread = threading.Thread(target=self._read, name="imgfetch", daemon=True)
        self._thread.start()

    def ask(self, line: bytes) -> "Future[Row]":
        future: "Future[Row]" = Future()
        with self._writing:
            try:
                self._lines += 1
                with self._lock:
                    if self._over is not None:
                        future.set_exception(self._over)
                        return future
                    self._waiting[self._lines] = future
                while line:
                    line = line[self._child.stdin.write(line) :]
            except (OSError, ValueError):
                # The reading thread finds out why.
                self.is_alive = False
            except BaseException:
                # Ctrl-C: the program may have this line or not, so that the numbers of later ones would say nothing.
                self.end()
                raise
        return future

    def end(self) -> None:
        """Has the program end, without waiting for it: the reading thread does."""
        self._is_ending = True
        self.is_alive = False
        process = self._child.process
        try:
            process.terminate()
        except OSError:
            pass

    def join(self) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(3)
            if self._thread.is_alive():
                self._child.process.kill()
                self._thread.join()

    def _read(self) -> None:
        reader = FrameReader(self._child.stdout)
        error: Optional[Error] = None
        try:
            self._answer(reader)
        except BaseException as cause:  # What is no row, or an exit within a callback: all that wait are told.
            error = Error(f"{self._path} has written what cannot be read: {cause!r}")
            self._child.process.kill()
        self.is_alive = False
        code = self._child.process.wait()
        self._child.log_messages()
        if error is None:
            error = (
                Error("the session was closed", kind="cancelled", exit=130, transient=True)
                if self._is_ending
                else self._child.failure(code)
            )
        with self._lock:
            left, self._waiting, self._over = self._waiting, {}, error
        # A call that is writing gets an error of the pipe, since its reader has gone.
        with self._writing:
            self._child.end()
        for future in left.values():
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def _answer(self, reader: FrameReader) -> None:
        while True:
            line = reader.line()
            if line is None:
                return
            row: Union[Row, Dict[str, object], None] = row_of(line)
            if not isinstance(row, Row):
                check_version(self._path, row or {})
                continue
            number = row.index + 1
            row = with_bytes(row, reader) if self._framed else row
            if row is None:
                return
            with self._lock:
                future = self._waiting.pop(number, None)
            if future is not None and future.set_running_or_notify_cancel():
                future.set_result(row)


_sessions: "weakref.WeakSet[Session]" = weakref.WeakSet()


def _end_all() -> None:
    # All are told before the first is waited for.
    for channel in [session._end() for session in list(_sessions)]:
        if channel is not None:
            channel.join()


def _forget_all() -> None:
    for session in list(_sessions):
        session._forget()


# weakref.finalize ends what is left by itself; this also waits for it, so that nothing outlives the interpreter.
atexit.register(_end_all)
os.register_at_fork(after_in_child=_forget_all)
