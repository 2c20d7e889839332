"""Session: one program for many calls."""
from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Callable, List

import imgfetch
import pytest
from conftest import ROOT, Server, open_files, png


def has_ended(pid: int) -> bool:
    """Waits for the end of a process that need not be a child of this one; False after ten seconds."""
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(file, select.POLLIN)
        return bool(poll.poll(10_000))
    finally:
        os.close(file)


def programs(home: Path) -> List[int]:
    """The processes that were started with this home, and have not ended: children of forked processes, too, and helpers."""
    found: List[int] = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:  # It has ended meanwhile.
            pass
    return found


def test_many_threads_share_one_program(server: Server, children: Callable[[], List[int]]) -> None:
    with imgfetch.Session() as session:
        with ThreadPoolExecutor(8) as threads:
            images = list(threads.map(lambda n: session.one(server.url(f"{n % 40}.png?{n}")), range(150)))
        assert images == [png(8, 4, n % 40) for n in range(150)]
        assert len(children()) == 1
        rows = list(session.map([server.url("1.png"), None, server.url("gone.png")]))  # type: ignore[list-item]
        assert [row.index for row in rows] == [0, 1, 2] and rows[0].bytes == png(8, 4, 1)
        assert rows[1].error is not None and rows[1].error.kind == "refused"
        assert rows[2].error is not None and rows[2].error.status == 404
    assert children() == []
    with pytest.raises(ValueError):
        session.get(server.url("1.png"))


def test_an_answer_does_not_wait_for_a_slow_one(server: Server) -> None:
    server.gates["/9.png"] = threading.Event()
    with imgfetch.Session() as session:
        slow = session.submit(server.url("9.png"))
        assert session.one(server.url("1.png")) == png(8, 4, 1)
        assert not slow.done()
        server.gates["/9.png"].set()
        assert slow.result().bytes == png(8, 4, 9)


def test_what_failed_is_asked_for_again(server: Server) -> None:
    with imgfetch.Session() as session:
        assert session.get(server.url("late.png")).error is not None
        server.answers["/late.png"] = (200, "image/png", png(8, 4, 5))
        assert session.one(server.url("late.png")) == png(8, 4, 5)


def test_a_program_that_was_killed_is_started_anew(server: Server, children: Callable[[], List[int]]) -> None:
    server.gates["/9.png"] = threading.Event()
    with imgfetch.Session() as session:
        waiting = session.submit(server.url("9.png"))
        os.kill(children()[0], signal.SIGKILL)
        with pytest.raises(imgfetch.Error, match="SIGKILL"):
            waiting.result(10)
        assert session.one(server.url("1.png")) == png(8, 4, 1)


def test_an_interrupt_breaks_off_the_call_alone(server: Server) -> None:
    server.gates["/9.png"] = threading.Event()
    script = f"""
import os, signal, sys, threading
sys.path.insert(0, {str(ROOT / "Sources" / "Python")!r})
import imgfetch
signal.signal(signal.SIGINT, signal.default_int_handler)
with imgfetch.Session() as session:
    waiting = session.submit({server.url("9.png")!r})
    before = session._channel
    # As the terminal and Jupyter do it: to all processes of the group.
    try:
        os.killpg(os.getpgrp(), signal.SIGINT)
        waiting.result()
    except KeyboardInterrupt:
        print(len(session.one({server.url("1.png")!r})), session._channel is before)
"""
    said = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, timeout=20
    )
    assert (said.stdout.decode().strip(), said.stderr) == (f"{len(png(8, 4, 1))} True", b"")


class Interrupted:
    """A pipe whose next write is broken off by Ctrl-C, as one is that waits for a busy program."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._is_due = True

    def write(self, line: bytes) -> Any:
        if self._is_due:
            self._is_due = False
            raise KeyboardInterrupt
        return self._stream.write(line)

    def close(self) -> None:
        self._stream.close()


def test_after_an_interrupted_write_each_call_has_its_own_image(server: Server) -> None:
    with imgfetch.Session() as session:
        session.one(server.url("1.png"))
        assert session._channel is not None
        process = session._channel._child.process
        process.stdin = Interrupted(process.stdin)  # type: ignore[assignment]
        with pytest.raises(KeyboardInterrupt):
            session.submit(server.url("2.png"))
        assert session.submit(server.url("3.png")).result(timeout=10).bytes == png(8, 4, 3)


def test_options_that_the_program_does_not_take_are_told_by_the_call(server: Server) -> None:
    with imgfetch.Session(resize="nonsense") as session:
        with pytest.raises(imgfetch.Error, match="resize"):
            session.get(server.url("1.png"))


def test_closing_ends_what_waits(server: Server) -> None:
    server.gates["/9.png"] = threading.Event()
    session = imgfetch.Session()
    waiting = session.submit(server.url("9.png"))
    session.close()
    # The program ends in order, and tells that the download was broken off.
    try:
        row = waiting.result(10)
        assert row.error is not None and row.error.kind == "cancelled"
    except imgfetch.Error as error:
        assert error.kind == "cancelled"


@pytest.fixture
def deaf(tmp_path: Path) -> Path:
    """A program that takes no line, and has no answer."""
    path = tmp_path / "deaf"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    return path


def test_closing_does_not_wait_for_a_call_that_writes(deaf: Path) -> None:
    session = imgfetch.Session(program=deaf)
    waiting = [session.submit("http://127.0.0.1/")]
    # More than a pipe holds.
    calling = threading.Thread(target=lambda: waiting.append(session.submit("http://127.0.0.1/" + "a" * (1 << 21))), daemon=True)
    calling.start()
    closing = threading.Thread(target=session.close, daemon=True)
    closing.start()
    closing.join(10)
    assert not closing.is_alive()
    calling.join(10)
    assert not calling.is_alive()
    with pytest.raises(imgfetch.Error) as caught:
        waiting[0].result(10)
    assert caught.value.kind == "cancelled"


def test_a_call_that_was_cancelled_is_over_once_the_session_is(deaf: Path) -> None:
    session = imgfetch.Session(program=deaf)
    calls = [session.submit("http://127.0.0.1/") for _ in range(2)]
    assert calls[0].cancel()
    session.close()
    assert not wait(calls, 10).not_done


def test_options_that_leave_calls_without_an_image(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="shard"):
        imgfetch.Session(shard="1/2")
    with imgfetch.Session(output_dir=tmp_path) as session, pytest.raises(TypeError, match="bytes"):
        session.one(server.url("1.png"))
    monkeypatch.setenv("IMGFETCH_SHARD", "1/1000")
    with imgfetch.Session() as session:
        assert session.one(server.url("1.png")) == png(8, 4, 1)


def test_a_pickled_session_has_a_program_of_its_own(server: Server, children: Callable[[], List[int]]) -> None:
    with imgfetch.Session(resize=(4, 2)) as session:
        first = session.one(server.url("1.png"))
        other: imgfetch.Session = pickle.loads(pickle.dumps(session))
        with other:
            assert other.one(server.url("1.png")) == first and len(children()) == 2
        assert session.one(server.url("1.png")) == first and len(first) != len(png(8, 4, 1))
    assert children() == []


def forked(session: imgfetch.Session, server: Server, closes: bool) -> None:
    """Uses a session in a child, which then closes it, or ends as if it had none."""
    pid = os.fork()
    if pid == 0:
        try:
            good = session.one(server.url("2.png")) == png(8, 4, 2)
            if closes:
                session.close()
            os._exit(0 if good else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    # The parent's program is as it was.
    assert session.one(server.url("3.png")) == png(8, 4, 3)


def test_sessions_leave_nothing(
    server: Server,
    surroundings: Path,
    tmp_path: Path,
    children: Callable[[], List[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Closed, abandoned, killed and forked by turns; TEST_SESSIONS says how many."""
    count = int(os.environ.get("TEST_SESSIONS", "8"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    with imgfetch.Session() as session:
        session.get(server.url("1.png"))
    files = open_files()
    for n in range(count):
        session = imgfetch.Session()
        assert session.one(server.url("1.png")) == png(8, 4, 1)
        if n % 4 == 0:
            session.close()
        elif n % 4 == 1:
            session.submit(server.url("1.png"))
        elif n % 4 == 2:
            os.kill(session._channel._child.process.pid, signal.SIGKILL)  # type: ignore[union-attr]
        else:
            forked(session, server, closes=n % 8 == 3)
        del session
        gc.collect()
    for thread in threading.enumerate():
        if thread.name == "imgfetch":
            thread.join(10)
            assert not thread.is_alive()
    assert children() == []
    assert open_files() == files
    assert all(has_ended(pid) for pid in programs(surroundings)) and programs(surroundings) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)", "raise SystemExit(3)"])
def test_it_ends_with_the_interpreter(server: Server, tmp_path: Path, ending: str) -> None:
    server.gates["/9.png"] = threading.Event()
    script = f"""
import os, sys
sys.path.insert(0, {str(ROOT / "Sources" / "Python")!r})
import imgfetch
session = imgfetch.Session()
session.get({server.url("1.png")!r})
session.submit({server.url("9.png")!r})
print(session._channel._child.process.pid, flush=True)
{ending}
"""
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=20)
    pid = int(done.stdout)
    assert has_ended(pid)
