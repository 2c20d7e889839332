"""Tables as lists, and rows as tables. pyarrow is used where a table is Arrow's or a Parquet file, and only then."""
from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import os
from importlib import import_module
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

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
        if isinstance(source, (str, os.PathLike)):
            self._open(os.fspath(source))
        else:
            # Of a relation of duckdb that would be another query.
            if hasattr(source, "__len__") and not hasattr(source, "fetch_record_batch"):
                self.count = len(source)
            reader = _stream_of(source)
            if reader is not None:
                self.schema = reader.schema
                self._source = reader

    def _open(self, path: str) -> None:
        name = path[:-3] if path.endswith(".gz") else path
        kind = os.path.splitext(name)[1].lower()
        if kind in (".parquet", ".pq"):
            arrow()
            file = import_module("pyarrow.parquet").ParquetFile(path)
            self.count = file.metadata.num_rows
            self.schema = file.schema_arrow
            self._source = file
            return
        self.path = path
        self.format = _TEXTS.get(kind, "lines")

    def lines(self) -> Iterator[bytes]:
        """The records as lines of JSON, batch by batch."""
        source = self._source
        if self.schema is None:
            yield from _joined(source)
            return
        batches = source.iter_batches(batch_size=BATCH) if hasattr(source, "iter_batches") else source
        for batch in batches:
            yield from _joined(batch.to_pylist())


def _stream_of(source: Any) -> Any:
    """A reader of Arrow batches over a table or a frame; None: it is an iterable of records."""
    if hasattr(source, "__arrow_c_stream__"):
        pyarrow = arrow()
        if isinstance(source, pyarrow.RecordBatchReader):
            return source
        if hasattr(source, "to_reader"):
            return source.to_reader(max_chunksize=BATCH)
        if hasattr(pyarrow.RecordBatchReader, "from_stream"):
            return pyarrow.RecordBatchReader.from_stream(source)
    if hasattr(source, "fetch_record_batch"):  # duckdb
        arrow()
        return source.fetch_record_batch(BATCH)
    if hasattr(source, "to_arrow"):  # polars
        arrow()
        return source.to_arrow().to_reader(max_chunksize=BATCH)
    if hasattr(source, "iloc"):  # pandas
        return arrow().Table.from_pandas(source, preserve_index=False).to_reader(max_chunksize=BATCH)
    return None


def _joined(records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Lines, many at once."""
    lines: List[str] = []
    for record in records:
        if isinstance(record, str):
            record = {"url": record}
        lines.append(json.dumps(record, ensure_ascii=False, default=_plain, separators=(",", ":")))
        if len(lines) >= 512:
            yield ("\n".join(lines) + "\n").encode("utf-8", "replace")
            lines = []
    if lines:
        yield ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """Values that JSON has no form for: dates and decimals as text, bytes in base64."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(microseconds=1)
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if hasattr(value, "item"):  # numpy
        return value.item()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


def typed(value: Any, kind: Any) -> Any:
    """A value of a row as its column's type has it: the way back from _plain."""
    types = arrow().types
    if value is None:
        return None
    if types.is_struct(kind):
        return {kind.field(at).name: typed(value.get(kind.field(at).name), kind.field(at).type) for at in range(kind.num_fields)}
    if types.is_map(kind):
        return [(typed(key, kind.key_type), typed(item, kind.item_type)) for key, item in value]
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [typed(item, kind.value_type) for item in value]
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return base64.b64decode(value)
    if types.is_decimal(kind):
        return decimal.Decimal(str(value))
    if types.is_timestamp(kind):
        # As text, which has more digits than a datetime; Arrow reads it.
        return value
    if types.is_date(kind):
        return datetime.date.fromisoformat(value[:10])
    if types.is_time(kind):
        return datetime.time.fromisoformat(value)
    if types.is_duration(kind):
        return datetime.timedelta(microseconds=value)
    if types.is_floating(kind):
        return float(value)
    if types.is_dictionary(kind):
        return typed(value, kind.value_type)
    return value


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
            values = [(row.get(group) or {}).get(part) for row in rows]
        else:
            values = [row.get(name) for row in rows]
            values = [None if value is None else str(value) if kind == pyarrow.string() else value for value in values]
        columns[name] = pyarrow.array(values, kind)
    roles = _roles(rows, schema, named)
    for field in schema if schema is not None else []:
        role = roles.get(field.name)
        if field.name == role == "url":
            continue
        values = [_own(row, field.name, role) for row in rows]
        name = field.name if field.name not in columns else f"list_{field.name}"
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
    kind = _usual(pyarrow, kind)
    values = [typed(value, kind) for value in values]
    if pyarrow.types.is_timestamp(kind):
        if kind.tz is None:
            return pyarrow.array(values, pyarrow.string()).cast(kind)
        return pyarrow.array(values, pyarrow.string()).cast(pyarrow.timestamp(kind.unit, "UTC")).cast(kind)
    if pyarrow.types.is_dictionary(kind):
        return pyarrow.array(values, kind.value_type).dictionary_encode().cast(kind)
    return pyarrow.array(values, kind)


def _usual(pyarrow: Any, kind: Any) -> Any:
    """The type without views, which polars hands over, and of which Arrow cannot do all that it can with others."""
    if str(kind) in ("string_view", "binary_view"):
        return pyarrow.string() if str(kind) == "string_view" else pyarrow.binary()
    if pyarrow.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pyarrow.struct([(field.name, _usual(pyarrow, field.type)) for field in fields])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_usual(pyarrow, kind.value_type))
    if pyarrow.types.is_large_list(kind):
        return pyarrow.large_list(_usual(pyarrow, kind.value_type))
    return kind
