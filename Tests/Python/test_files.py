"""find, inspect and report."""
from __future__ import annotations

from pathlib import Path

import imgfetch
import pytest
from conftest import Server, png
from imgfetch._options import OPTIONS


def test_inspect(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 4))
    (tmp_path / "b.png").write_bytes(png(8, 4)[:-20])
    (tmp_path / "c.png").write_bytes(b"<html>")
    files = [tmp_path / name for name in ("a.png", "b.png", "c.png")]
    found = list(imgfetch.inspect(files))
    assert [Path(one.path).name for one in found] == ["a.png", "b.png", "c.png"]
    assert (found[0].format, found[0].width, found[0].whole, found[0].error) == ("png", 8, True, None)
    assert found[1].whole is False and found[1].error
    assert found[2].error and "HTML" in found[2].error
    assert [one.path for one in imgfetch.inspect(tmp_path, recursive=True)] == [str(path) for path in files]
    assert list(imgfetch.inspect([])) == []


def test_more_paths_than_a_command_line_holds(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 4))
    path = str(tmp_path) + "/." * 1_500 + "/a.png"
    found = list(imgfetch.inspect(path for _ in range(1_000)))
    assert [one.path for one in found] == [path] * 1_000 and found[-1].format == "png"


@pytest.mark.skipif(not OPTIONS["find"], reason="the program has no find")
def test_find(server: Server) -> None:
    page = b'<p><img src="1.png" alt="one"><img src="2.png"><a href="3.png">three</a>'
    server.answers["/page"] = (200, "text/html", page)
    found = list(imgfetch.find(server.url("page")))
    assert [one.url for one in found] == [server.url(f"{n}.png") for n in (1, 2, 3)]
    assert found[0].alt == "one"
    server.answers["/none"] = (200, "text/html", b"<p>nothing")
    assert list(imgfetch.find(server.url("none"))) == []
    with pytest.raises(imgfetch.Error):
        list(imgfetch.find(server.url("gone")))
    assert list(imgfetch.find([])) == []


@pytest.mark.skipif(not OPTIONS["report"], reason="the program has no report")
def test_report(server: Server, tmp_path: Path) -> None:
    rows = list(imgfetch.get([server.url("1.png"), server.url("gone.png")]))
    assert imgfetch.report(rows)
    # What was no URL counts, too.
    assert imgfetch.report(imgfetch.get([None, server.url("1.png")]))["kinds"] == {"refused": 1}  # type: ignore[list-item]
    list(imgfetch.get(server.url("1.png"), report=tmp_path / "rows.jsonl"))
    assert imgfetch.report(tmp_path / "rows.jsonl")
