"""Tables as lists, and rows as tables. pyarrow is used where a table is Arrow's or a Parquet file, and only then."""
from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import os
import re
import time
import uuid
from importlib import import_module
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

BATCH = 4_096
"""How many records are taken from a table at once, where it does not say by itself."""

_TEXTS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".txt": "lines", ".list": "lines"}


def arrow() -> Any:
    """The module pyarrow, with words that help where it is missing."""
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise ImportError("this takes pyarrow: install imgfetch with its extra 'parquet'") from error


class Table:
    """Records that the program is to read: a file that it reads by itself, or what is streamed to it."""

    def __init__(self, source: Any) -> None:
        self.path: Optional[str] = None
        self.format: Optional[str] = None
        self.count: Optional[int] = None
        self.schema: Any = None
        self._source = source
        self._file: Any = None
        if isinstance(source, (str, os.PathLike)):
            self._open(os.fspath(source))
        else:
            if isinstance(source, (bytes, Mapping)):
                raise TypeError(f"a table is a file, a frame or an iterable of mappings, and not of the type {type(source).__name__}")
            # Of a relation of duckdb that would be another query.
            if hasattr(source, "__len__") and not hasattr(source, "fetch_record_batch"):
                self.count = len(source)
            reader = _stream_of(source)
            if reader is not None:
                self.schema = reader.schema
                self._source = reader
        if self.schema is not None:
            twice = sorted({name for name in self.schema.names if self.schema.names.count(name) > 1})
            if twice:
                raise ValueError(f"the table has several columns of the name {twice[0]!r}")

    def _open(self, path: str) -> None:
        name = path[:-3] if path.endswith(".gz") else path
        kind = os.path.splitext(name)[1].lower()
        if kind in (".parquet", ".pq"):
            arrow()
            self._file = import_module("pyarrow.parquet").ParquetFile(path)
            self.count = self._file.metadata.num_rows
            self.schema = self._file.schema_arrow
            return
        self.path = path
        self.format = _TEXTS.get(kind, "lines")

    def lines(self) -> Iterator[bytes]:
        """The records as lines of JSON, batch by batch."""
        if self.schema is None:
            yield from _joined(self._source)
            return
        for batch in self._file.iter_batches(batch_size=BATCH) if self._file is not None else self._source:
            yield from _joined(_records(batch))

    def close(self) -> None:
        """Closes the file, if it is one of Parquet."""
        if self._file is not None:
            self._file.close()


def _records(batch: Any) -> List[Dict[str, Any]]:
    """The records of a batch."""
    try:
        if not any(_is_fine_time(field.type) for field in batch.schema):
            found: List[Dict[str, Any]] = batch.to_pylist()
            return found
    except (ValueError, OverflowError):
        pass
    return [dict(zip(batch.schema.names, values)) for values in zip(*map(_values, batch.schema.names, batch.columns))]


def _values(name: str, column: Any) -> List[Any]:
    """The values of a column: nanoseconds as text where there is no pandas to hold them, and of a time of day always."""
    pyarrow = arrow()
    if _is_fine_time(column.type):
        # As Python has it where it has as many digits.
        return [None if text is None else re.sub(r"(\.0+|000)$", "", text) for text in column.cast(pyarrow.string()).to_pylist()]
    try:
        found: List[Any] = column.to_pylist()
        return found
    except (ValueError, OverflowError) as error:
        texts: List[Any] = column.cast(pyarrow.string()).to_pylist() if pyarrow.types.is_timestamp(column.type) else ["<"]
        if any(text is not None and text.startswith("<") for text in texts):
            raise ValueError(f"the column {name!r} has a value that Python cannot hold: {error}") from error
        return texts


def _is_fine_time(kind: Any) -> bool:
    """True for times of day in nanoseconds, whose last three digits pyarrow leaves out of Python's values without a word."""
    return bool(arrow().types.is_time64(kind) and kind.unit == "ns")


def _stream_of(source: Any) -> Any:
    """A reader of Arrow batches over a table or a frame; None: it is an iterable of records."""
    if hasattr(source, "iloc"):  # pandas
        return _stream_of_pandas(source)
    if hasattr(source, "read_next_batch"):  # a reader of Arrow
        return source
    if hasattr(source, "to_reader"):  # a table of Arrow
        return source.to_reader(max_chunksize=BATCH)
    if hasattr(source, "to_pylist") and hasattr(source, "schema"):  # a batch of Arrow
        return _stream_of(arrow().Table.from_batches([source]))
    for method in ("to_arrow_reader", "fetch_record_batch"):  # duckdb
        if hasattr(source, method):
            arrow()
            return getattr(source, method)(BATCH)
    if hasattr(source, "to_arrow") and hasattr(source, "columns"):  # polars
        arrow()
        return source.to_arrow().to_reader(max_chunksize=BATCH)
    if hasattr(source, "__arrow_c_stream__") and not hasattr(source, "__iter__"):
        return arrow().RecordBatchReader.from_stream(source)
    if hasattr(source, "collect_schema"):  # polars, not computed yet
        return _stream_of(source.collect())
    return None


def _stream_of_pandas(source: Any) -> Any:
    """A reader over a frame, with those parts of its index that have a name; None: it is a series of URLs."""
    if not hasattr(source, "columns"):
        return None
    named = [name for name in source.index.names if name is not None]
    if named:
        source = source.reset_index(level=named)
    return arrow().Table.from_pandas(source, preserve_index=False).to_reader(max_chunksize=BATCH)


def _joined(records: Iterable[Any]) -> Iterator[bytes]:
    """Lines, many at once: as many as come within a moment. Half of a surrogate pair becomes JSON's escape for it."""
    lines: List[str] = []
    due = 0.0
    for record in records:
        if isinstance(record, str):
            record = {"url": record}
        elif not isinstance(record, Mapping):
            raise TypeError(f"a record of a table is a mapping or a URL, and not of the type {type(record).__name__}")
        lines.append(json.dumps(record, ensure_ascii=False, default=_plain, separators=(",", ":")))
        if len(lines) >= 512 or time.monotonic() > due:
            yield ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")
            lines = []
            due = time.monotonic() + 0.05
    if lines:
        yield ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    """Values that JSON has no form for: dates and decimals as text, bytes in base64."""
    if isinstance(value, (datetime.date, datetime.time)):
        # That of pandas which is none is of the type, too, and not equal to itself.
        return value.isoformat() if value == value else None
    if isinstance(value, datetime.timedelta):
        if getattr(value, "nanoseconds", 0):  # pandas
            return str(decimal.Decimal(value.value) / 1_000)  # type: ignore[attr-defined]
        return value // datetime.timedelta(microseconds=1)
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, and tensors
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        # Another process has them in another order, and goes on with the same list only.
        return sorted(value, key=repr)
    if type(value).__name__ == "NAType":  # pandas
        return None
    return str(value)


Converter = Callable[[Any], Any]


def typed(kind: Any) -> Converter:
    """What makes a value of a row one of its column's type: the way back from _plain. Times are numbers of their units, which have more
    digits than what Python has for them.
    """
    convert = _typed(kind)
    return lambda value: None if value is None else convert(value)


def _typed(kind: Any) -> Converter:
    types = arrow().types
    if _has_no_form(kind):
        return lambda value: json.dumps(value, ensure_ascii=False)
    if types.is_struct(kind):
        parts = [(kind.field(at).name, typed(kind.field(at).type)) for at in range(kind.num_fields)]
        return lambda value: {name: part(value.get(name)) for name, part in parts}
    if types.is_map(kind):
        key, item = typed(kind.key_type), typed(kind.item_type)
        return lambda value: [(key(pair[0]), item(pair[1])) for pair in value]
    if _is_list(kind):
        each = typed(kind.value_type)
        return lambda value: [each(item) for item in value]
    if types.is_dictionary(kind) or _is_run(kind):
        return _typed(kind.value_type)
    if isinstance(kind, arrow().BaseExtensionType):
        if str(getattr(kind, "extension_name", "")) == "arrow.uuid":
            return lambda value: uuid.UUID(value).bytes
        return int if types.is_int8(kind.storage_type) else _typed(kind.storage_type)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or str(kind) == "binary_view":
        return base64.b64decode
    if types.is_decimal(kind):
        return lambda value: decimal.Decimal(str(value))
    if types.is_timestamp(kind):
        return lambda value: _moment(value, kind.unit)
    if types.is_date(kind):
        return lambda value: datetime.date.fromisoformat(value[:10])
    if _is_fine_time(kind):
        return lambda value: _moment(f"1970-01-01T{value}", "ns")
    if types.is_time(kind):
        return datetime.time.fromisoformat
    if types.is_duration(kind):
        digits = _DIGITS[kind.unit] - 6
        return lambda value: int(decimal.Decimal(str(value)).scaleb(digits))
    return float if types.is_floating(kind) else lambda value: value


def _is_list(kind: Any) -> bool:
    types = arrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or str(kind).startswith(("list_view<", "large_list_view<")))


def _is_run(kind: Any) -> bool:
    return str(kind).startswith("run_end_encoded<")


def _has_no_form(kind: Any) -> bool:
    """True if Arrow cannot make a column of Python's values, or Parquet hold one: it becomes JSON."""
    types = arrow().types
    return bool(types.is_union(kind) or types.is_interval(kind) or types.is_struct(kind) and kind.num_fields == 0)


_DIGITS: Mapping[str, int] = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_EPOCH = datetime.datetime(1970, 1, 1)
_FRACTION = re.compile(r"(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d)(?::?(\d\d))?)?$")


def _moment(text: str, unit: str) -> int:
    """A timestamp as its number of units since 1970, in UTC where it tells its distance from that."""
    seconds = (datetime.datetime.fromisoformat(text[:19]) - _EPOCH) // datetime.timedelta(seconds=1)
    parts = _FRACTION.match(text, 19)
    fraction, sign, *distance = parts.groups() if parts is not None else (None, None)
    if sign is not None:
        hours, minutes, rest = (int(part or 0) for part in distance)
        seconds -= (3600 * hours + 60 * minutes + rest) * (-1 if sign == "-" else 1)
    digits = _DIGITS[unit]
    return seconds * int(10**digits) + int(str(fraction or "").ljust(9, "0")[:digits] or 0)


def _facts(pyarrow: Any) -> List[Tuple[str, Any]]:
    """The fields of a row beside the list's own columns."""
    text, number = pyarrow.string(), pyarrow.int64()
    names = [("record", text), ("url", text), ("final_url", text), ("key", text), ("status", number), ("mime", text)]
    names += [("format", text), ("width", number), ("height", number), ("frames", number), ("bytes", number), ("sha256", text)]
    names += [("source_sha256", text), ("duplicate_of", text)]
    names += [(f"consent_{part}", text) for part in ("verdict", "source", "text")]
    return names + [("error_kind", text), ("error_message", text)]


def table_of(rows: List[Dict[str, Any]], schema: Any, named: Mapping[str, str] = {}) -> Any:
    """Rows of shards as an Arrow table: their facts, then the columns of the list, in the list's types.

    `named` has the columns of the list that are url, id and caption in the rows, as far as options name them.
    """
    pyarrow = arrow()
    columns: Dict[str, Any] = {}
    for name, kind in _facts(pyarrow):
        group, _, part = name.partition("_")
        if group in ("error", "consent"):
            # Of an owner who is silent there are empty texts.
            values = [(row.get(group) or {}).get(part) or None for row in rows]
        else:
            values = [row.get(name) for row in rows]
            values = [None if value is None else str(value) if kind == pyarrow.string() else value for value in values]
        columns[name] = pyarrow.array(values, kind)
    roles = _roles(rows, schema, named)
    own = set(schema.names) if schema is not None else set()
    for field in schema if schema is not None else []:
        role = roles.get(field.name)
        if field.name == role == "url":
            continue
        values = [_own(row, field.name, role) for row in rows]
        name = field.name
        # The list may have a column of the longer name, too.
        while name in columns or name != field.name and name in own:
            name = f"list_{name}"
        columns[name] = _array(pyarrow, values, field.type)
    for name in ("id", "caption"):
        if name not in roles.values() and any(name in row for row in rows):
            texts = [None if row.get(name) is None else str(row[name]) for row in rows]
            columns[name if name not in columns else f"row_{name}"] = pyarrow.array(texts, pyarrow.string())
    if schema is None:
        columns["columns"] = pyarrow.array([json.dumps(row["columns"]) if row.get("columns") else None for row in rows], pyarrow.string())
    return pyarrow.table(columns)


def _roles(rows: List[Dict[str, Any]], schema: Any, named: Mapping[str, str]) -> Dict[str, str]:
    """The columns of the list that a row has as its url, id and caption, and not among its columns, as the program chooses them: by the
    name that an option gives, else by their own; the column of the URLs may have any."""
    given = [row["columns"] for row in rows if row.get("columns")]
    names = [field.name for field in schema if not any(field.name in own for own in given)] if schema is not None else []
    roles: Dict[str, str] = {}
    for role in ("url", "id", "caption"):
        wanted = named.get(role, role)
        alike = [name for name in names if name.strip(" ").lower() == wanted.lower()] if role == "url" or role not in named else []
        found = [name for name in names if name == wanted] or alike
        if found and found[0] not in roles:
            roles[found[0]] = role
    if "url" not in roles.values():
        left = [name for name in names if name not in roles]
        if len(left) == 1:
            roles[left[0]] = "url"
    return roles


def _own(row: Mapping[str, Any], name: str, role: Optional[str]) -> Any:
    """A column of the list in a row."""
    value = row.get(role) if role is not None else (row.get("columns") or {}).get(name)
    return None if isinstance(value, float) and math.isnan(value) else value


def _array(pyarrow: Any, values: List[Any], kind: Any) -> Any:
    found = list(map(typed(kind), values))
    if isinstance(kind, pyarrow.BaseExtensionType):
        return kind.wrap_array(pyarrow.array(found, _usual(pyarrow, kind.storage_type)))
    usual = _usual(pyarrow, kind)
    if pyarrow.types.is_dictionary(usual):
        return pyarrow.array(found, usual.value_type).dictionary_encode().cast(usual)
    return pyarrow.array(found, usual)


def _usual(pyarrow: Any, kind: Any) -> Any:
    """The type without what Arrow cannot make of Python's values: views, which polars hands over, and extensions that are nested."""
    if _has_no_form(kind) or str(kind) == "string_view":
        return pyarrow.string()
    if str(kind) == "binary_view":
        return pyarrow.binary()
    if isinstance(kind, pyarrow.BaseExtensionType):
        return _usual(pyarrow, kind.storage_type)
    if _is_run(kind):
        return _usual(pyarrow, kind.value_type)
    if pyarrow.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pyarrow.struct([(field.name, _usual(pyarrow, field.type)) for field in fields])
    if pyarrow.types.is_map(kind):
        return pyarrow.map_(_usual(pyarrow, kind.key_type), _usual(pyarrow, kind.item_type))
    if pyarrow.types.is_fixed_size_list(kind):
        return pyarrow.list_(_usual(pyarrow, kind.value_type), kind.list_size)
    if pyarrow.types.is_large_list(kind):
        return pyarrow.large_list(_usual(pyarrow, kind.value_type))
    if _is_list(kind):
        return pyarrow.list_(_usual(pyarrow, kind.value_type))
    return kind
