"""Session: one program for many calls."""
from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, List

import imgfetch
import pytest
from conftest import ROOT, Server, png


def until(holds: Callable[[], bool]) -> bool:
    """Returns True as soon as it holds, and False after ten seconds."""
    deadline = time.monotonic() + 10
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


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


def test_sessions_leave_nothing(server: Server, children: Callable[[], List[int]]) -> None:
    """Closed, abandoned, killed and forked by turns; TEST_SESSIONS says how many."""
    count = int(os.environ.get("TEST_SESSIONS", "8"))
    with imgfetch.Session() as session:
        session.get(server.url("1.png"))
    files = len(os.listdir("/proc/self/fd"))
    for n in range(count):
        session = imgfetch.Session()
        assert session.one(server.url("1.png")) == png(8, 4, 1)
        if n % 4 == 0:
            session.close()
        elif n % 4 == 1:
            session.submit(server.url("1.png"))
        elif n % 4 == 2:
            for child in children():
                os.kill(child, signal.SIGKILL)
        else:
            pid = os.fork()
            if pid == 0:
                try:
                    good = session.one(server.url("2.png")) == png(8, 4, 2)
                    session.close()
                    os._exit(0 if good else 1)
                except BaseException:
                    os._exit(2)
            assert os.waitpid(pid, 0)[1] == 0
            # The parent's program is as it was.
            assert session.one(server.url("3.png")) == png(8, 4, 3)
        del session
        gc.collect()
    assert until(lambda: children() == [])
    # The server of this process closes its connections in its own time.
    assert until(lambda: len(os.listdir("/proc/self/fd")) <= files)
    assert until(lambda: not [thread for thread in threading.enumerate() if thread.name == "imgfetch"])


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
    assert until(lambda: not Path(f"/proc/{pid}/stat").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())
