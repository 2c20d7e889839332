"""Data sets."""
from __future__ import annotations

import io
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import zlib
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from ._arguments import arguments_of
from ._binary import Path, program_path
from ._process import Child, check_version, failure, log
from ._rows import object_of
from ._tables import Table, arrow, table_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import PackOptions


@dataclass(frozen=True)
class Packed:
    """A data set that stands: every shard is there, and each record of the table has a row in one of them."""

    shards: List[Mapping[str, Any]]
    """The report on each shard: its file, rows, images, failures."""
    summary: Mapping[str, Any]
    rows: Any = field(default=None, repr=False)
    """The rows of all shards as an Arrow table; None if they were not asked for."""

    @property
    def images(self) -> int:
        """How many images are in the shards."""
        return sum(shard["images"] for shard in self.shards)

    @property
    def failed(self) -> int:
        """How many records have none."""
        return sum(shard["failed"] for shard in self.shards)


def pack(
    table: Any,
    place: Path,
    *,
    rows: bool = False,
    parquet: Optional[bool] = None,
    progress: Optional[bool] = None,
    each_row: Optional[Callable[[Mapping[str, Any]], None]] = None,
    arguments: Sequence[str] = (),
    program: Optional[Path] = None,
    **options: Unpack[PackOptions],
) -> Packed:
    """Makes a data set of the images that a table names, in a folder or a place.

    `table` is a file (Parquet, CSV, TSV, JSON lines, lines of URLs), an Arrow table or reader, a frame of pandas, polars or duckdb, or an
    iterable of mappings or of URLs; it is read as a stream, and of an index of pandas what has a name is a column. It has a column url,
    and perhaps id and caption; all others go along, in JSON (dates and decimals as text, bytes in base64, NaN and infinity as null), and
    have their types again in the rows. What Arrow cannot make of Python's values (unions, intervals) stays JSON there.

    With `rows` the rows of all shards come back as an Arrow table. With `parquet` (by default where pyarrow is installed and `place` is
    a folder) NUMBER.parquet with its rows stands beside each shard. `progress` shows a bar of tqdm, where that is installed; by default
    on a terminal. `each_row` is called with each row as the shard has it, before pack() returns. `arguments` are further ones of the command
    line, as they are typed there.

    A run that is interrupted, or whose table cannot be read to its end, leaves complete shards only, and the same call goes on from there.
    Raises Error where not every shard could be made, ImportError where pyarrow is needed and missing, and what reading the table raises.
    """
    target = os.fspath(place)
    source = Table(table)
    if parquet is None:
        parquet = "://" not in target and _has_arrow()
    if rows or parquet:
        arrow()
    command = ["pack", "-d", target, "--json", "--progress=json"]
    if rows or parquet or each_row is not None:
        command.append("--rows")
    if source.path is None:
        command += ["-i", "-", "--list-format=jsonl"]
    else:
        command += ["-i", source.path, f"--list-format={source.format}"]
    if source.format != "lines":
        # What the environment says about lists of lines is none of a table's business.
        command.append("--no-null")
    command += [*arguments_of("pack", options), *arguments]
    run = _Packing(program_path(program), command, source, target, progress)
    run.keeps_rows, run.writes_parquet, run.each_row = rows, parquet, each_row
    run.named = _named(options)
    return run.run()


def _named(options: Mapping[str, Any]) -> Dict[str, str]:
    """The columns that options name, by what they are in a row."""
    given = {role: options.get(f"{role}_column") for role in ("url", "id", "caption")}
    return {role: str(name) for role, name in given.items() if name}


def _has_arrow() -> bool:
    try:
        arrow()
    except ImportError:
        return False
    return True


class _Packing:
    keeps_rows = False
    writes_parquet = False
    each_row: Optional[Callable[[Mapping[str, Any]], None]] = None
    named: Mapping[str, str] = {}

    def __init__(self, path: str, arguments: List[str], source: Table, target: str, progress: Optional[bool]) -> None:
        self._path = path
        self._source = source
        self._target = target
        self._child = Child(path, arguments, stdin=source.path is None, stderr=subprocess.PIPE)
        self._progress = progress
        self._bar: Any = None
        self._said: List[str] = []
        self._problem: Optional[BaseException] = None

    def run(self) -> Packed:
        child = self._child
        threads = [threading.Thread(target=self._listen, daemon=True)]
        if child.stdin is not None:
            threads.append(threading.Thread(target=self._feed, daemon=True))
        try:
            # An import, and so whatever it may raise.
            self._bar = _bar(self._progress, self._source.count)
            for thread in threads:
                thread.start()
            packed = self._read()
            code = child.process.wait()
            threads[0].join()
        except KeyboardInterrupt:
            # As in the shell: shards that are complete stay, and the program says so. Where it was told by the terminal already, this is
            # the same signal to it.
            child.process.send_signal(signal.SIGINT)
            try:
                child.process.wait(3)
            except subprocess.TimeoutExpired:
                pass
            raise
        finally:
            child.end()
            if self._bar is not None:
                self._bar.close()
            # Not for long: it may wait for a record of the caller's.
            if threads[-1].is_alive():
                threads[-1].join(1)
            self._source.close()
        if self._problem is not None:
            raise self._problem
        if code != 0 or packed is None or not packed.summary.get("complete", False):
            raise failure(self._path, code, "\n".join(self._said))
        return packed

    def _feed(self) -> None:
        """Streams the table, compressed: a stream that is cut short does not look like the list's end then, whatever ends this process."""
        stream = self._child.stdin
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        try:
            for lines in self._source.lines():
                # Nothing is held back: the next record may be a long time in coming.
                if not _write(stream, packer.compress(lines) + packer.flush(zlib.Z_SYNC_FLUSH)):
                    return
            _write(stream, packer.flush())
        except BaseException as problem:
            self._problem = problem
            self._child.process.terminate()
        finally:
            try:
                stream.close()
            except OSError:
                pass

    def _listen(self) -> None:
        """Reads the program's messages, and its progress."""
        for line in _whole_lines(self._child.process.stderr):
            try:
                said = json.loads(line)
            except ValueError:
                self._said.append(line.decode(errors="replace").strip())
                continue
            if "progress" in said:
                if self._bar is not None:
                    self._bar.update(said["progress"]["done"] - self._bar.n)
                continue
            for kind, text in said.items():
                if kind == "error":
                    self._said.append(str(text))
                log.log({"error": 40, "warning": 30}.get(kind, 20), "%s", text)

    def _read(self) -> Optional[Packed]:
        shards: List[Mapping[str, Any]] = []
        tables: List[Any] = []
        waiting: List[Dict[str, Any]] = []
        summary: Optional[Dict[str, Any]] = None
        for line in _whole_lines(self._child.stdout):
            said = object_of(line)
            if "summary" in said:
                check_version(self._path, said)
                summary = said["summary"]
            elif said.get("outcome") == "not-made":
                pass  # It has no rows, and the exit code tells.
            elif "shard" in said:
                shards.append(said)
                if self.keeps_rows or self.writes_parquet:
                    made = table_of(waiting, self._source.schema, self.named)
                    waiting = []
                    if self.writes_parquet:
                        self._write_parquet(made, said["shard"])
                    if self.keeps_rows:
                        tables.append(made)
            else:
                if self.each_row is not None:
                    self.each_row(said)
                if self.keeps_rows or self.writes_parquet:
                    waiting.append(said)
        if summary is None:
            return None
        if self.keeps_rows and not tables:
            tables.append(table_of([], self._source.schema, self.named))
        return Packed(shards=shards, summary=summary, rows=arrow().concat_tables(tables, **_promotion()) if tables else None)

    def _write_parquet(self, table: Any, number: str) -> None:
        """Appears whole or not at all, as the shard does."""
        # What a killed process leaves must not be taken for one: DuckDB's *.parquet takes hidden files, too.
        path = os.path.join(self._target, f".{number}.{secrets.token_hex(8)}.part")
        try:
            # Made here, with the mode that the umask leaves.
            with open(path, "xb") as file:
                import_module("pyarrow.parquet").write_table(table, file)
            os.replace(path, os.path.join(self._target, f"{number}.parquet"))
        except BaseException:
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass
            raise


def _whole_lines(stream: Any) -> Iterator[bytes]:
    """The lines of a program that may be ended within one, or whose stream may be closed by another thread."""
    with io.BufferedReader(stream, 1 << 18) as lines:
        while True:
            try:
                line = lines.readline()
            except ValueError:
                return
            if not line.endswith(b"\n"):
                return
            yield line


def _promotion() -> Dict[str, Any]:
    return {"promote_options": "default"} if int(arrow().__version__.split(".")[0]) >= 14 else {"promote": True}


def _write(stream: Any, piece: bytes) -> bool:
    """Writes all of it. False where the program has ended, which tells why."""
    try:
        while piece:
            piece = piece[stream.write(piece) :]
    except (BrokenPipeError, ValueError):  # The latter of a stream that was closed.
        return False
    return True


def _bar(progress: Optional[bool], total: Optional[int]) -> Any:
    """A bar of tqdm; None where there is to be none, or no tqdm."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return None
    try:
        return import_module("tqdm.auto").tqdm(total=total, unit="image")
    except ImportError:
        return None
