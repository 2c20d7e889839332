"""The program that is tested, and a server of its own for each test. TEST_IMGFETCH names the program."""
from __future__ import annotations

import os
import struct
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Sources" / "Python"))

# In the place of a program that this Python's environment may have.
_program = os.environ.get("TEST_IMGFETCH") or str(ROOT / ".build" / "release" / "imgfetch")


def png(width: int, height: int, seed: int = 1, pixels: bytes = b"") -> bytes:
    """A small picture, another one for each seed, or one of these lines."""
    rows = pixels or b"".join(b"\0" + bytes((x * seed + y * 7) & 255 for x in range(3 * width)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Server:
    """Serves pictures by their names: /N.png is the one with the seed N. Everything else is not there."""

    def __init__(self) -> None:
        self.requests: List[str] = []
        self.fields: List[Dict[str, str]] = []
        self.was_asked = threading.Event()
        self.answers: Dict[str, Tuple[int, str, bytes]] = {}
        self.gates: Dict[str, threading.Event] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.requests.append(self.path)
                server.fields.append(dict(self.headers.items()))
                server.was_asked.set()
                if self.path in server.gates:
                    server.gates[self.path].wait(20)
                status, kind, body = server.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, path: str) -> Tuple[int, str, bytes]:
        if path in self.answers:
            return self.answers[path]
        name = path.strip("/").split("?")[0]
        if name.endswith(".png") and name[:-4].isdigit():
            return 200, "image/png", png(8, 4, int(name[:-4]))
        return 404, "text/plain", b"not here"

    def url(self, path: object) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/{path}"

    def close(self) -> None:
        for gate in self.gates.values():
            gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, without a cache or a configuration of the user's; the program is the first of PATH."""
    for name in list(os.environ):
        if name.startswith("IMGFETCH_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "imgfetch").symlink_to(_program)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return home


def open_files() -> int:
    """Descriptors of this process without sockets, which its server closes in its own time."""
    count = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            count += not os.readlink(entry).startswith("socket:")
        except OSError:  # That of this listing.
            pass
    return count


@pytest.fixture
def children() -> Callable[[], List[int]]:
    """The processes that this one has started and that are there still, zombies too."""

    def all_of() -> List[int]:
        found: List[int] = []
        for folder in Path("/proc/self/task").iterdir():
            try:
                found += [int(word) for word in (folder / "children").read_text().split()]
            except OSError:  # A thread that has ended.
                pass
        return found

    return all_of
