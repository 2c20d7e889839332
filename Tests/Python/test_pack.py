"""pack: tables of all kinds in, shards and rows out."""
from __future__ import annotations

import datetime
import decimal
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Type

import imgfetch
import pytest
from conftest import ROOT, Server, png


def members(path: Path) -> Dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {item.name: tar.extractfile(item).read() for item in tar}  # type: ignore[union-attr]


def records(server: Server, count: int = 5) -> List[Dict[str, Any]]:
    return [
        {
            "url": server.url(f"{n}.png"),
            "caption": f"picture {n}",
            "score": n / 2 if n else float("nan"),
            "when": datetime.datetime(2026, 1, 1 + n, 12, 30, 0, 123456),
            "day": datetime.date(2026, 1, 1 + n),
            "price": decimal.Decimal("10.50") + n,
            "hash": bytes([n, 255, 0]),
            "tags": {"names": [f"a{n}", None], "size": n},
        }
        for n in range(count)
    ]


def test_an_iterable_of_mappings(server: Server, tmp_path: Path) -> None:
    given = records(server, 3) + [{"url": server.url("gone.png"), "caption": None}]
    packed = imgfetch.pack(iter(given), tmp_path / "set", parquet=False, without=["svg", "tiff"])
    assert (packed.images, packed.failed, len(packed.shards), packed.summary["complete"]) == (3, 1, 1, True)
    inside = members(tmp_path / "set" / "00000.tar")
    assert inside["000000000001.png"] == png(8, 4, 1) and inside["000000000001.txt"] == b"picture 1"
    row = json.loads(inside["000000000001.json"])
    assert row["columns"]["tags"] == {"names": ["a1", None], "size": 1}
    assert (row["columns"]["price"], row["columns"]["when"]) == ("11.50", "2026-01-02T12:30:00.123456")
    assert json.loads(inside["000000000000.json"])["columns"]["score"] is None
    assert not list((tmp_path / "set").glob("*.parquet"))


def test_values_of_numpy_and_pandas_in_mappings(server: Server, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    arrays = {"one": numpy.array([1.5]), "many": numpy.array([[1, 2], [3, 4]]), "scalar": numpy.int64(2**53 + 1), "none": numpy.array([])}
    given = [{"url": server.url("1.png"), "caption": pandas.NA, "when": pandas.NaT, "day": pandas.Timestamp("2026-01-02"), **arrays}]
    imgfetch.pack(given, tmp_path / "set", parquet=False)
    inside = members(tmp_path / "set" / "00000.tar")
    columns = json.loads(inside["000000000000.json"])["columns"]
    assert (columns["when"], columns["day"]) == (None, "2026-01-02T00:00:00") and inside["000000000000.txt"] == b""
    assert {name: columns[name] for name in arrays} == {"one": [1.5], "many": [[1, 2], [3, 4]], "scalar": 2**53 + 1, "none": []}


def test_half_of_a_surrogate_pair_is_the_programs_replacement(server: Server, tmp_path: Path) -> None:
    imgfetch.pack([{"url": server.url("1.png"), "caption": 'a\ud800b\\\udc00"'}], tmp_path / "set", parquet=False)
    assert members(tmp_path / "set" / "00000.tar")["000000000000.txt"].decode() == 'a\ufffdb\\\ufffd"'


def test_sets_are_in_the_same_order_in_each_process(server: Server, tmp_path: Path) -> None:
    script = f"""
import imgfetch
imgfetch.pack([{{"url": {server.url("1.png")!r}, "tags": {{"cat", "dog", "roof", "tree", "sea", "tower"}}}}], "set", parquet=False)
"""
    for seed in "123":
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "Sources" / "Python"), "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    row = json.loads(members(tmp_path / "set" / "00000.tar")["000000000000.json"])
    assert row["columns"]["tags"] == ["cat", "dog", "roof", "sea", "tower", "tree"]


def test_images_of_a_slow_iterable_are_fetched_as_their_records_come(server: Server, tmp_path: Path) -> None:
    def records() -> Iterator[Dict[str, Any]]:
        yield {"url": server.url("1.png")}
        assert server.was_asked.wait(20)
        yield {"url": server.url("2.png")}

    assert imgfetch.pack(records(), tmp_path / "set", parquet=False).images == 2


@pytest.mark.parametrize("kind", ["parquet", "table", "reader", "pandas", "polars", "duckdb"])
def test_tables_come_back_with_their_types(server: Server, tmp_path: Path, kind: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pylist(records(server))
    given: Any = table
    if kind == "parquet":
        parquet.write_table(table, tmp_path / "list.parquet", row_group_size=2)
        given = tmp_path / "list.parquet"
    elif kind == "reader":
        given = table.to_reader(max_chunksize=2)
    elif kind == "pandas":
        pytest.importorskip("pandas")
        table = table.drop_columns(["tags"])
        given = table.to_pandas()
    elif kind == "polars":
        given = pytest.importorskip("polars").from_arrow(table)
    elif kind == "duckdb":
        given = pytest.importorskip("duckdb").from_arrow(table)
    packed = imgfetch.pack(given, tmp_path / "set", rows=True, per_shard=2, caption_column="caption")
    assert [shard["rows"] for shard in packed.shards] and packed.images == 5
    rows = packed.rows.sort_by("record")
    assert rows.column("status").to_pylist() == [200] * 5
    for name in set(table.column_names) - {"url"}:
        wanted = [None if isinstance(value, float) and value != value else value for value in table.column(name).to_pylist()]
        assert rows.column(name).to_pylist() == wanted, name
    for name in ("when", "day", "price", "hash"):
        if kind in ("parquet", "table", "reader"):
            assert rows.schema.field(name).type == table.schema.field(name).type
    files = sorted(path.name for path in (tmp_path / "set").glob("*.parquet"))
    assert files == ["00000.parquet", "00001.parquet", "00002.parquet"]
    beside = [parquet.read_table(tmp_path / "set" / name) for name in files]
    assert sum(part.num_rows for part in beside) == 5
    # The same once more: what stands is kept, and told again.
    again = imgfetch.pack(table, tmp_path / "set", rows=True, per_shard=2, caption_column="caption") if kind == "table" else None
    if again is not None:
        assert again.rows.sort_by("record") == rows and len(server.requests) == 5


def test_columns_of_other_names_keep_their_names_and_values(server: Server, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"URL": [server.url("1.png")], "TEXT": ["a picture"], "sample": [17], "caption": ["another"]})
    packed = imgfetch.pack(table, tmp_path / "set", rows=True, caption_column="TEXT", id_column="sample")
    beside = parquet.read_table(tmp_path / "set" / "00000.parquet")
    for rows in (packed.rows.to_pylist(), beside.to_pylist()):
        assert [rows[0][name] for name in table.column_names] == [table.column(name)[0].as_py() for name in table.column_names]
        assert rows[0]["consent_verdict"] == "silent"
    # Named where only the program reads it.
    said = imgfetch.pack(table, tmp_path / "set", rows=True, arguments=["--caption-column=TEXT", "--id-column=sample"]).rows.to_pylist()
    assert (said[0]["row_caption"], said[0]["caption"], said[0]["id"]) == ("a picture", "another", "17")
    # The only column that holds URLs.
    link = pyarrow.table({"link": [server.url("1.png")], "Caption": ["a picture"]})
    found = imgfetch.pack(link, tmp_path / "other", rows=True).rows.to_pylist()
    assert (found[0]["link"], found[0]["Caption"]) == (server.url("1.png"), "a picture")


@pytest.mark.parametrize("names", [["status", "list_status"], ["list_status", "status"]])
def test_columns_named_like_facts_replace_no_other(server: Server, tmp_path: Path, names: List[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"url": [server.url("1.png")], **{name: [f"my {name}"] for name in names}})
    row = imgfetch.pack(table, tmp_path / "set", rows=True).rows.to_pylist()[0]
    assert (row["status"], row["list_status"], row["list_list_status"]) == (200, "my list_status", "my status")


def test_a_shard_that_is_not_made_has_no_rows_beside_it(server: Server, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for name in ("busy", "full"):
        server.answers[f"/{name}.png"] = (503, "text/plain", b"later")
    urls = [server.url(f"{name}.png") for name in ("busy", "full", "1", "2")]
    with pytest.raises(imgfetch.Error):
        imgfetch.pack(pyarrow.table({"url": urls}), tmp_path / "set", per_shard=2, retry=0)
    assert sorted(path.name for path in (tmp_path / "set").iterdir()) == ["00001.parquet", "00001.tar"]


@pytest.mark.parametrize("moment", ["begun", "written"])
def test_a_process_that_is_killed_leaves_no_parquet_of_another_name(server: Server, tmp_path: Path, moment: str) -> None:
    pytest.importorskip("pyarrow.parquet")
    script = f"""
import imgfetch, os, pyarrow.parquet, signal
write = pyarrow.parquet.write_table
def killed(table, file):
    if {moment == "written"}:
        write(table, file)
        file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
pyarrow.parquet.write_table = killed
imgfetch.pack([{server.url("1.png")!r}], "set")
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "Sources" / "Python")}
    assert subprocess.run([sys.executable, "-c", script], env=environment).returncode == -signal.SIGKILL
    assert imgfetch.pack([server.url("1.png")], tmp_path / "set").images == 1
    names = [path.name for path in (tmp_path / "set").iterdir()]
    assert [name for name in names if name.endswith(".parquet")] == ["00000.parquet"], names


def columns_of(pyarrow: Any) -> Dict[str, Any]:
    """Columns that Python has no value for, or fewer digits, or that are nested, each of two records."""
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_000)
    zone = "Europe/Berlin"
    return {
        "milliseconds": pyarrow.array([when, None], pyarrow.timestamp("ms")),
        "nanoseconds": pyarrow.array([1_767_323_045_000_000_001, -1], pyarrow.timestamp("ns")),
        "in_a_zone": pyarrow.array([1_782_961_445_000_000_001, None], pyarrow.timestamp("ns", zone)),
        "by_an_offset": pyarrow.array([1, -1], pyarrow.timestamp("ms", "+05:30")),
        "list_of_times": pyarrow.array([[when, None], []], pyarrow.list_(pyarrow.timestamp("us", zone))),
        "struct_of_times": pyarrow.array([{"time": when}, None], pyarrow.struct([("time", pyarrow.timestamp("us"))])),
        "map_of_times": pyarrow.array([[("a", when)], None], pyarrow.map_(pyarrow.string(), pyarrow.timestamp("us"))),
        "dictionary_of_times": pyarrow.array([when, None]).dictionary_encode(),
        "time_of_day": pyarrow.array([45_296_000_000_001, 86_399_500_000_000], pyarrow.time64("ns")),
        "whole_seconds": pyarrow.array([45_296_000_000_000, None], pyarrow.time64("ns")),
        "list_of_hours": pyarrow.array([[45_296_000_001_000], None], pyarrow.list_(pyarrow.time64("ns"))),
        "duration": pyarrow.array([1, -1_001], pyarrow.duration("ns")),
        "list_of_decimals": pyarrow.array([[decimal.Decimal("1.50")], None]),
        "fixed_list": pyarrow.array([[1, 2], None], pyarrow.list_(pyarrow.int8(), 2)),
        "largest": pyarrow.array([2**64 - 1, None], pyarrow.uint64()),
        **({"identity": pyarrow.array([b"0123456789abcdef", None], pyarrow.uuid())} if hasattr(pyarrow, "uuid") else {}),
    }


def test_columns_of_every_type_come_back(server: Server, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    columns = {**columns_of(pyarrow), "naïve": [1, 2], "": [3, 4]}
    table = pyarrow.table({"url": [server.url("1.png"), server.url("2.png")], **columns})
    rows = imgfetch.pack(table, tmp_path / "set", rows=True).rows
    for name in columns:
        assert rows.column(name).combine_chunks().equals(table.column(name).combine_chunks()), name


def test_columns_come_back_without_pandas(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = columns_of(pyarrow)
    # Nanoseconds that Python cannot hold, and what Parquet keeps without its dictionary.
    del columns["duration"], columns["dictionary_of_times"]
    table = pyarrow.table({"url": [server.url("1.png"), server.url("2.png")], **columns})
    parquet.write_table(table, tmp_path / "list.parquet")
    script = """
import sys
class Without:
    def find_spec(self, name, *_):
        if name.split(".")[0] == "pandas":
            raise ImportError(name)
sys.meta_path.insert(0, Without())
import imgfetch
imgfetch.pack("list.parquet", "set")
"""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "Sources" / "Python"))
    subprocess.run([sys.executable, "-c", script], check=True)
    rows = parquet.read_table(tmp_path / "set" / "00000.parquet")
    for name in columns:
        assert rows.column(name).combine_chunks().equals(table.column(name).combine_chunks()), name


def test_columns_without_a_form_become_json(server: Server, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    union = pyarrow.UnionArray.from_sparse(pyarrow.array([0, 1], pyarrow.int8()), [pyarrow.array([1, 2]), pyarrow.array(["a", "b"])])
    table = pyarrow.table({"url": [server.url("1.png"), server.url("2.png")], "union": union, "nothing": [{}, None]})
    rows = imgfetch.pack(table, tmp_path / "set", rows=True).rows
    assert rows.column("union").to_pylist() == ["1", '"b"'] and rows.column("nothing").to_pylist() == ["{}", None]


def test_tables_that_cannot_be_packed_are_errors_before_anything_is_fetched(server: Server, tmp_path: Path) -> None:
    url = server.url("1.png")
    for given in ({"url": [url]}, [imgfetch.Request(url)], b"list.parquet", [[url]]):
        with pytest.raises(TypeError, match="mapping"):
            imgfetch.pack(given, tmp_path / "set", parquet=False)
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="'url'"):
        imgfetch.pack(pyarrow.table([pyarrow.array([url])] * 2, names=["url", "url"]), tmp_path / "set")
    with pytest.raises(ValueError, match="'far'"):
        imgfetch.pack(pyarrow.table({"url": [url], "far": pyarrow.array([2**40], pyarrow.timestamp("s"))}), tmp_path / "set")
    assert server.requests == [] and not list((tmp_path / "set").glob("0*"))


def test_an_index_of_pandas_goes_along_where_it_has_a_name(server: Server, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"url": [server.url(f"{n}.png") for n in range(4)], "n": range(4)})
    for place, given, names in (
        ("named", frame.set_index("url"), ["n"]),
        ("filtered", frame[frame["n"] > 1], ["n"]),
        ("both", frame.assign(k=7).set_index(["k", "n"]), ["k", "n"]),
    ):
        packed = imgfetch.pack(given, tmp_path / place, rows=True)
        assert packed.images == len(given) and packed.rows.column_names[-len(names) :] == names
        assert not [name for name in packed.rows.column_names if name.startswith("__")]
    assert imgfetch.pack(frame["url"], tmp_path / "series", parquet=False).images == 4


def test_a_table_without_records_has_rows_of_its_columns(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    packed = imgfetch.pack(pyarrow.table({"url": pyarrow.array([], pyarrow.string()), "n": [0][:0]}), tmp_path / "set", rows=True)
    assert packed.images == 0 and packed.rows.num_rows == 0 and packed.rows.column_names[-1] == "n"


def test_the_environment_does_not_say_how_records_of_a_table_end(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMGFETCH_NULL", "1")
    (tmp_path / "list.csv").write_text(f"url\n{server.url('1.png')}\n")
    assert imgfetch.pack(tmp_path / "list.csv", tmp_path / "one", parquet=False).images == 1
    assert imgfetch.pack([server.url("2.png")], tmp_path / "two", parquet=False).images == 1


def test_files_that_the_program_reads_itself(server: Server, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("url,id\n" + "".join(f"{server.url(f'{n}.png')},n{n}\n" for n in range(3)))
    assert imgfetch.pack(tmp_path / "list.csv", tmp_path / "one", parquet=False).images == 3
    (tmp_path / "list.txt").write_text(server.url("1.png") + "\n")
    assert imgfetch.pack(str(tmp_path / "list.txt"), str(tmp_path / "two"), parquet=False).images == 1


@pytest.mark.parametrize("problem", [LookupError, ValueError])
@pytest.mark.parametrize("count", [0, 3])
def test_a_table_that_breaks_off_commits_no_shard_of_what_came(
    server: Server, tmp_path: Path, problem: Type[Exception], count: int
) -> None:
    def broken() -> Iterator[Dict[str, Any]]:
        yield from records(server, count)
        raise problem("the table ends here")

    with pytest.raises(problem, match="ends here"):
        imgfetch.pack(broken(), tmp_path / "set", parquet=False)
    assert not list((tmp_path / "set").glob("0*.tar"))


@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGINT"])
def test_a_process_that_ends_commits_no_shard_of_what_came(server: Server, tmp_path: Path, signal_name: str) -> None:
    script = f"""
import os, signal, sys, time
sys.path.insert(0, {str(ROOT / "Sources" / "Python")!r})
import imgfetch
# A shell that starts this in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
def records():
    for n in range(3):
        yield {{"url": {server.url("")!r} + str(n) + ".png"}}
    os.kill(os.getpid(), signal.{signal_name})
    time.sleep(20)
imgfetch.pack(records(), {str(tmp_path / "set")!r}, parquet=False)
"""
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, start_new_session=True) as started:
        assert started.stderr is not None
        # Read to its end: the program has it open, too.
        said = started.stderr.read()
        assert started.wait(20) == -getattr(signal, signal_name), said
    assert not list((tmp_path / "set").glob("0*.tar"))


def test_mistakes_are_errors_in_the_programs_words(server: Server, tmp_path: Path) -> None:
    with pytest.raises(imgfetch.Error, match="url") as caught:
        imgfetch.pack([{"name": "no url"}, {"name": "none"}, {"name": "none"}], tmp_path / "set", parquet=False)
    assert caught.value.exit == 7
    with pytest.raises(imgfetch.Error) as caught:
        imgfetch.pack([], tmp_path / "set", per_shard="none", parquet=False)
    assert caught.value.exit == 2
    with pytest.raises(TypeError):
        imgfetch.pack([], tmp_path / "set", per_shards=7)  # type: ignore[call-arg]


def test_progress_is_tqdms(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    imgfetch.pack(records(server, 4), tmp_path / "set", parquet=False, progress=True)
    assert "4/4" in capsys.readouterr().err


def test_a_bar_that_cannot_be_shown_leaves_no_process(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: Callable[[], List[int]]
) -> None:
    from imgfetch import _pack

    def broken(*_: Any) -> None:
        raise LookupError("no bar")

    monkeypatch.setattr(_pack, "_bar", broken)
    with pytest.raises(LookupError):
        imgfetch.pack(records(server, 4), tmp_path / "set", parquet=False)
    assert children() == []
