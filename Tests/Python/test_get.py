"""get, aget and one."""
from __future__ import annotations

import asyncio
import os
import pickle
import select
import threading
import time
from pathlib import Path
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Iterator, List, Optional

import imgfetch
import pytest
from conftest import Server, open_files, png


def test_rows_have_the_images_and_failures_are_rows_with_errors(server: Server) -> None:
    urls = [server.url("1.png"), server.url("gone.png"), server.url("2.png")]
    rows = sorted(imgfetch.get(urls), key=lambda row: row.index)
    assert [row.url for row in rows] == urls
    assert rows[0].bytes == png(8, 4, 1) and rows[2].bytes == png(8, 4, 2)
    assert (rows[0].format, rows[0].width, rows[0].height, rows[0].size) == ("png", 8, 4, len(png(8, 4, 1)))
    assert rows[0].path is None and rows[0].error is None and rows[0].cache == "none"
    error = rows[1].error
    assert error is not None and (error.kind, error.status, error.exit) == ("http", 404, 4)
    assert "404" in str(error) and rows[1].bytes is None
    with pytest.raises(imgfetch.Error):
        rows[1].unwrap()


def test_many_rows_come_in_order_on_request(server: Server) -> None:
    urls = [server.url(f"{n % 50}.png?{n}") for n in range(300)]
    rows = list(imgfetch.get(iter(urls), in_order=True, look_ahead=100))
    assert [row.index for row in rows] == list(range(300))
    assert [row.bytes for row in rows] == [png(8, 4, n % 50) for n in range(300)]


def test_urls_are_taken_as_they_are_needed(server: Server) -> None:
    taken: List[int] = []

    def urls() -> Iterator[str]:
        for n in range(100_000):
            taken.append(n)
            yield server.url(f"{n % 7}.png?{n}")

    rows = imgfetch.get(urls(), look_ahead=10)
    for _ in range(5):
        next(rows)
    assert len(taken) <= 16
    rows.close()


def test_a_slow_iterable_holds_up_no_row(server: Server) -> None:
    answered: List[bool] = []

    def urls() -> Iterator[str]:
        yield server.url("1.png")
        # The row of the first comes before the second URL is there.
        deadline = time.monotonic() + 10
        while not seen and time.monotonic() < deadline:
            yield server.url("2.png")
        answered.append(bool(seen))

    seen: List[imgfetch.Row] = []
    for row in imgfetch.get(urls()):
        seen.append(row)
    assert answered == [True]


def test_what_is_no_url_is_a_row_with_an_error_in_its_place(server: Server) -> None:
    given: List[Any] = [None, server.url("1.png"), float("nan"), "# a comment", "", "a\tb", server.url("2.png"), "word"]
    rows = list(imgfetch.get(given, in_order=True))
    assert [row.index for row in rows] == list(range(8))
    assert [row.error.kind if row.error else None for row in rows] == [
        "refused", None, "refused", "refused", "refused", "refused", None, "refused"]


@pytest.mark.parametrize("text", ["PAR1", "GIF8", "\ufeff", "\ufeff# none"])
def test_a_first_line_that_is_no_line_is_a_row_like_others(server: Server, text: str) -> None:
    rows = list(imgfetch.get([text, server.url("1.png")], in_order=True))
    assert rows[0].error is not None and rows[0].error.kind == "refused" and rows[1].bytes == png(8, 4, 1)
    with imgfetch.Session() as session:
        calls = [session.submit(text), session.submit(server.url("2.png"))]
        assert calls[0].result(20).error is not None and calls[1].result(20).bytes == png(8, 4, 2)


def test_a_byte_order_mark_before_the_first_url(server: Server) -> None:
    rows = list(imgfetch.get(["\ufeff" + server.url("1.png"), server.url("2.png")], in_order=True))
    assert [row.bytes for row in rows] == [png(8, 4, 1), png(8, 4, 2)] and rows[0].url == server.url("1.png")


def test_an_iterable_that_raises_ends_the_run_with_its_error(server: Server, children: Callable[[], List[int]]) -> None:
    def urls() -> Iterator[str]:
        yield server.url("1.png")
        raise LookupError("no more")

    with pytest.raises(LookupError):
        list(imgfetch.get(urls()))
    assert children() == []


def test_lines_of_a_file_are_urls(server: Server, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(f"{server.url('1.png')}\n  {server.url('2.png')}\r\n")
    with open(tmp_path / "list.txt") as lines:
        assert [row.bytes for row in imgfetch.get(lines, in_order=True)] == [png(8, 4, 1), png(8, 4, 2)]


def test_messages_of_lines_do_not_number_them(server: Server) -> None:
    (row,) = imgfetch.get(imgfetch.Request(server.url("1.png"), sha256="none"))
    assert row.error is not None and str(row.error).startswith("'sha256=none'")


def test_the_environment_does_not_say_what_lines_are(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMGFETCH_NULL", "1")
    monkeypatch.setenv("IMGFETCH_LIST_FORMAT", "csv")
    rows = list(imgfetch.get([server.url("1.png"), server.url("2.png")], in_order=True))
    assert [row.bytes for row in rows] == [png(8, 4, 1), png(8, 4, 2)]


@pytest.mark.parametrize("given", ["option", "environment"])
def test_lines_of_other_parts_hold_up_no_run(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    urls: List[Optional[str]] = [server.url(f"{n}.png") for n in range(60)]
    urls.insert(30, None)
    found: List[int] = []
    for part in ("1/3", "2/3", "3/3"):
        if given == "environment":
            monkeypatch.setenv("IMGFETCH_SHARD", part)
        # More lines of other parts than are read ahead.
        shard = part if given == "option" else None
        rows = list(imgfetch.get(urls, look_ahead=3, shard=shard))  # type: ignore[arg-type]
        found += [row.index for row in rows if row.error is None]
        ordered = [row.index for row in imgfetch.get(urls, look_ahead=3, in_order=True, shard=shard, output_dir=tmp_path)]  # type: ignore[arg-type]
        assert ordered == sorted(row.index for row in rows) and 30 in ordered

        async def some() -> List[int]:
            return [row.index async for row in imgfetch.aget(urls, look_ahead=3, shard=shard)]  # type: ignore[arg-type]

        assert sorted(asyncio.run(some())) == ordered
        with pytest.raises(TypeError, match="shard"):
            imgfetch.get([], in_order=True, shard=shard)
    assert sorted(found) == [n for n in range(61) if n != 30]


def test_a_forked_process_does_not_hold_up_a_run(server: Server) -> None:
    rows = imgfetch.get([server.url(f"{n}.png") for n in range(20)], look_ahead=3)
    next(rows)
    ready, done = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            next(rows)
            os._exit(1)
        except imgfetch.Error as error:
            os.write(ready[1], b"1" if "fork" in str(error) else b"0")
        # Until the parent has had all of its rows.
        os._exit(0 if select.select([done[0]], [], [], 20)[0] else 2)
    assert os.read(ready[0], 1) == b"1"
    assert len(list(rows)) == 19
    os.write(done[1], b".")
    assert os.waitpid(pid, 0)[1] == 0
    for file in (*ready, *done):
        os.close(file)


def test_a_configuration_file_takes_no_rows_away(server: Server, surroundings: Path) -> None:
    (surroundings / ".config" / "imgfetch").mkdir(parents=True)
    (surroundings / ".config" / "imgfetch" / "config").write_text("shard = 1/1000\nfail-fast = 1\n")
    rows = list(imgfetch.get([server.url(name) for name in ("gone.png", "1.png", "2.png")], in_order=True, look_ahead=1))
    assert [row.bytes for row in rows] == [None, png(8, 4, 1), png(8, 4, 2)]


def test_failing_fast_by_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMGFETCH_FAIL_FAST", "1")
    (row,) = imgfetch.get(server.url("gone.png"))
    assert row.error is not None and row.error.status == 404


def test_files_have_paths(server: Server, tmp_path: Path) -> None:
    rows = list(imgfetch.get([imgfetch.Request(server.url("1.png"), name="one", id="first")], output_dir=tmp_path / "out"))
    assert rows[0].path == str(tmp_path / "out" / "one.png") and rows[0].bytes is None and rows[0].id == "first"
    assert Path(rows[0].path).read_bytes() == png(8, 4, 1)


def test_names_that_look_like_fields(server: Server, tmp_path: Path) -> None:
    requests = [imgfetch.Request(server.url("1.png"), name=name) for name in ("id=5", "priority=x.png", "a/b=c")]
    requests.append(imgfetch.Request(server.url("1.png"), stem="stem"))
    rows = list(imgfetch.get(requests, output_dir=tmp_path, in_order=True))
    assert [row.path for row in rows] == [str(tmp_path / name) for name in ("id=5.png", "priority=x.png", "a/b=c.png", "stem.png")]


class Column(List[str]):
    """Like an array of numpy, which is neither true nor false."""

    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")


def test_requests_from_tables(server: Server, tmp_path: Path) -> None:
    gone = server.url("gone.png")
    requests = [
        imgfetch.Request(gone, mirrors=server.url("1.png")),
        imgfetch.Request(server.url("2.png"), name=float("nan")),  # type: ignore[arg-type]
        imgfetch.Request(server.url("3.png"), name=Path("folder") / "three"),
        imgfetch.Request(server.url("4.png"), mirrors=float("nan")),  # type: ignore[arg-type]
        imgfetch.Request(server.url("away.png"), mirrors=Column([server.url("5.png")])),
    ]
    rows = list(imgfetch.get(requests, output_dir=tmp_path, in_order=True))
    assert rows[0].path is not None and Path(rows[0].path).read_bytes() == png(8, 4, 1)
    assert rows[1].error is not None and "float" in str(rows[1].error)
    assert rows[2].path == str(tmp_path / "folder" / "three.png")
    assert rows[3].error is not None and "mirrors" in str(rows[3].error)
    assert rows[4].path is not None and Path(rows[4].path).read_bytes() == png(8, 4, 5)


def test_options_are_those_of_the_command_line(server: Server) -> None:
    (row,) = imgfetch.get(server.url("1.png"), resize=(4, 2), convert="jpeg", fingerprint=["dhash", "phash"])
    assert row.bytes is not None and row.bytes[:2] == b"\xff\xd8" and (row.width, row.height) == (4, 2)
    assert set(row.raw["fingerprints"]) == {"dhash", "phash"}
    # What says no more than the default does leads no image into a file.
    (row,) = imgfetch.get(server.url("1.png"), overwrite=False, clobber=True, prune=False, resize=(4, 2))
    assert row.bytes is not None and row.path is None and row.width == 4
    # An empty list says nothing.
    (row,) = imgfetch.get(server.url("1.png"), fingerprint=[], only_format=[], header=[])
    assert row.bytes == png(8, 4, 1) and "fingerprints" not in row.raw
    # Two values are a size only where that is wanted, and names with their values a header only there.
    with pytest.raises(TypeError, match="one value, and not"):
        imgfetch.get([], output_dir=["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="names with values"):
        imgfetch.get([], allow_host={"a": "b"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="width and height"):
        imgfetch.get([], resize=(1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean 'resize'"):
        imgfetch.get([], resise="4x4")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes a value"):
        imgfetch.get([], resize=True)
    with pytest.raises(imgfetch.Error) as caught:
        list(imgfetch.get(server.url("1.png"), resize="nonsense"))
    assert (caught.value.kind, caught.value.exit) == ("usage", 2) and "resize" in str(caught.value)


def test_header_fields_are_names_with_values_or_lines(server: Server) -> None:
    (row,) = imgfetch.get(server.url("1.png"), header={"X-One": "1", "X-Two": "2"}, cookie={"a": "b"})
    assert row.bytes == png(8, 4, 1)
    assert [server.fields[-1].get(name) for name in ("X-One", "X-Two", "Cookie")] == ["1", "2", "a=b"]
    list(imgfetch.get(server.url("2.png"), header=["X-One: 3", "X-Two: 4"], cookie="c=d"))
    assert [server.fields[-1].get(name) for name in ("X-One", "X-Two", "Cookie")] == ["3", "4", "c=d"]


def test_one_is_bytes_or_an_error(server: Server) -> None:
    assert imgfetch.one(server.url("3.png")) == png(8, 4, 3)
    with pytest.raises(imgfetch.Error) as caught:
        imgfetch.one(server.url("gone.png"))
    assert caught.value.status == 404 and not caught.value.transient
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.kind, again.status, str(again)) == ("http", 404, str(caught.value))
    for option in ({"output_dir": "x"}, {"dry_run": True}):
        with pytest.raises(TypeError, match="bytes"):
            imgfetch.one(server.url("3.png"), **option)
    with pytest.raises(imgfetch.Error) as caught:
        imgfetch.one(server.url("3.png"), user_agent="a\0b")
    assert caught.value.kind == "usage"


def large(side: int) -> bytes:
    """A picture that cannot be compressed."""
    return png(side, side, pixels=b"".join(b"\0" + os.urandom(3 * side) for _ in range(side)))


def test_images_larger_than_what_is_read_at_once(server: Server) -> None:
    images = [large(side) for side in (290, 295, 300, 600, 16)]
    for n, image in enumerate(images):
        server.answers[f"/large.png?{n}"] = (200, "image/png", image)
    urls = [server.url(f"large.png?{n}") for n in range(len(images))]
    assert [row.bytes for row in imgfetch.get(urls, in_order=True)] == images
    with imgfetch.Session() as session:
        assert [session.one(url) for url in urls] == images


def test_the_second_run_has_them_from_the_cache(server: Server) -> None:
    for cache in ("none", "disk"):
        (row,) = imgfetch.get(server.url("1.png"))
        assert row.cache == cache and row.bytes == png(8, 4, 1)
    assert server.requests == ["/1.png"]


def test_an_iterator_that_is_forgotten_leaves_no_process(server: Server, children: Callable[[], List[int]]) -> None:
    server.gates["/9.png"] = threading.Event()
    rows = imgfetch.get([server.url("1.png"), server.url("9.png")])
    next(rows)
    assert len(children()) == 1
    del rows
    assert children() == []
    before = open_files()
    list(imgfetch.get(server.url("1.png")))
    assert open_files() == before


def test_asyncio(server: Server, children: Callable[[], List[int]]) -> None:
    async def main() -> None:
        urls = [server.url(f"{n}.png") for n in range(200)]
        rows = [row async for row in imgfetch.aget(urls, in_order=True, look_ahead=20)]
        assert [row.bytes for row in rows] == [png(8, 4, n) for n in range(200)]

        async def some() -> Any:
            for n in (1, 2):
                await asyncio.sleep(0)
                yield server.url(f"{n}.png")
            yield None

        found = {row.index: row async for row in imgfetch.aget(some())}
        assert found[0].bytes == png(8, 4, 1) and found[1].bytes == png(8, 4, 2)
        assert found[2].error is not None and found[2].error.kind == "refused"
        with pytest.raises(imgfetch.Error) as caught:
            [row async for row in imgfetch.aget(urls, resize="nonsense")]
        assert caught.value.exit == 2

        async for row in imgfetch.aget(urls):
            break

    asyncio.run(main())
    assert children() == []


def test_asyncio_has_the_row_of_what_is_no_url_at_once(server: Server) -> None:
    async def main() -> List[int]:
        had = asyncio.Event()

        async def some() -> AsyncIterator[Any]:
            yield None
            await asyncio.wait_for(had.wait(), 10)
            yield server.url("1.png")

        found = []
        async for row in imgfetch.aget(some()):
            found.append(row.index)
            had.set()
        return found

    assert asyncio.run(main()) == [0, 1]


def test_asyncio_raises_what_the_iterable_raises(server: Server, children: Callable[[], List[int]]) -> None:
    server.gates["/9.png"] = threading.Event()

    async def main() -> None:
        async def some() -> AsyncIterator[str]:
            yield server.url("9.png")
            raise LookupError("no more")

        # It does not wait for the image.
        with pytest.raises(LookupError):
            [row async for row in imgfetch.aget(some())]

    asyncio.run(main())
    assert children() == []


def test_an_asynchronous_iterator_that_is_left_while_images_wait_ends(server: Server, children: Callable[[], List[int]]) -> None:
    """More of them than any buffer holds, so that the program waits for its reader."""
    image = large(1_300)
    for n in range(16):
        server.answers[f"/large{n}.png"] = (200, "image/png", image)

    async def main() -> None:
        rows = imgfetch.aget([server.url(f"large{n}.png") for n in range(16)])
        async for row in rows:
            assert row.bytes == image
            # A reader that takes what comes, wanted or not, has had more than 32 MB by then, or has all.
            deadline = time.monotonic() + 2
            while len(server.requests) < 16 and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
            break
        await asyncio.wait_for(rows.aclose(), 10)

    asyncio.run(main())
    assert children() == []


def test_an_event_loop_that_ends_closes_what_was_left(server: Server, children: Callable[[], List[int]]) -> None:
    problems: List[Any] = []

    async def main() -> imgfetch.Row:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
        left.append(imgfetch.aget([server.url(f"{n}.png") for n in range(40)]))
        return await left[0].__anext__()

    left: List[AsyncGenerator[imgfetch.Row, None]] = []
    assert asyncio.run(main()).error is None
    assert children() == [] and problems == []


def test_a_program_of_another_version_is_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from imgfetch import _process

    monkeypatch.setattr(_process, "__version__", "0.0.1")
    monkeypatch.setattr(_process, "_told", [])
    with pytest.warns(RuntimeWarning, match="and this module is for 0.0.1"):
        list(imgfetch.get(server.url("1.png")))


def test_another_program_is_an_error(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho usage\n")
    other.chmod(0o755)

    async def some() -> int:
        return len([row async for row in imgfetch.aget(["http://127.0.0.1/"], program=other)])

    calls: List[Callable[[], object]] = [
        lambda: list(imgfetch.get(["http://127.0.0.1/"], program=other)),
        lambda: asyncio.run(some()),
        lambda: imgfetch.Session(program=other).get("http://127.0.0.1/"),
        lambda: list(imgfetch.inspect("a.png", program=other)),
        lambda: imgfetch.pack(["http://127.0.0.1/"], tmp_path / "set", parquet=False, program=other),
    ]
    for call in calls:
        with pytest.raises(imgfetch.Error, match="usage"):
            call()


def test_where_the_program_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from imgfetch import _binary

    def put(folder: Path) -> str:
        folder.mkdir(parents=True)
        (folder / "imgfetch").write_text("#!/bin/sh\n")
        (folder / "imgfetch").chmod(0o755)
        return str(folder / "imgfetch")

    target = tmp_path / "target" / "imgfetch" / "_binary.py"
    prefix = tmp_path / "prefix" / "lib" / "python3.99" / "site-packages" / "imgfetch" / "_binary.py"
    for module in (target, prefix):
        module.parent.mkdir(parents=True)
        module.write_text("")
    there = put(tmp_path / "target" / "bin")
    monkeypatch.setattr(_binary, "__file__", str(target))
    assert imgfetch.find_imgfetch_bin() == there
    there = put(tmp_path / "prefix" / "bin")
    monkeypatch.setattr(_binary, "__file__", str(prefix))
    assert imgfetch.find_imgfetch_bin() == there
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setattr(_binary, "_folders", lambda: iter([]))
    with pytest.raises(FileNotFoundError):
        imgfetch.find_imgfetch_bin()
