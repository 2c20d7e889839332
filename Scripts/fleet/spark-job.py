#!/usr/bin/env python3
"""Makes a data set on Spark: a table in, shards and a table of their rows out.

usage: spark-submit spark-job.py [--parts N] [--program PATH] [--format FORMAT] TABLE DIR ROWS -- OPTIONS OF imgfetch pack

TABLE (Parquet, or what --format says) has a column url, and perhaps id and caption; all others go along. Its lines are divided by their
hosts into N parts, each of which is a folder DIR/part-NNNNN of shards. ROWS becomes a Parquet table: part, record, url, status, error,
and the row as JSON. DIR must be a folder that all executors share, and all need imgfetch's wheel. See imgfetch-fleet(7).

A task that Spark runs twice (a lost executor, speculation) makes the same shards: the second attempt keeps what is there, and gives the
rows that stand in it, so that ROWS has each line once.
"""
import argparse
import json
import sys
import tempfile

from pyspark.sql import SparkSession, functions


def attempt(program, folder, options):
    """What an executor does with the lines of one part."""

    def rows(part, lines):
        import imgfetch

        # The list is complete before imgfetch starts: from a part that breaks off, no shard is made.
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as listed:
            count = 0
            for line in lines:
                listed.write(line.line + "\n")
                count += 1
            listed.flush()
            if count == 0:
                return
            found = []
            imgfetch.pack(
                listed.name, f"{folder}/part-{part:05}", parquet=False, program=program, arguments=options, each_row=found.append)
            if len(found) != count:
                raise RuntimeError(f"part {part} has {len(found)} rows in place of {count}")
            for row in found:
                error = row.get("error") or {}
                yield part, row["record"], row["url"], row["status"], error.get("kind"), json.dumps(row)

    return rows


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--parts", type=int, default=8, help="the same for every run of one data set")
    parser.add_argument("--program", help="by default that of the wheel")
    parser.add_argument("--format", default="parquet")
    parser.add_argument("table")
    parser.add_argument("folder")
    parser.add_argument("rows")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()

    spark = SparkSession.builder.appName("imgfetch").getOrCreate()
    table = spark.read.format(arguments.format).load(arguments.table)
    line = functions.to_json(functions.struct(*table.columns))
    host = functions.lower(functions.regexp_extract("url", r"^[A-Za-z]+://(?:[^/?#@]*@)?([^/?#:]*)", 1))
    # The order within a part must not hang on the attempt: by a hash, so that hosts are mixed, then by all that the line has.
    lines = (
        table.select(line.alias("line"), host.alias("host"))
        .repartition(arguments.parts, "host")
        .sortWithinPartitions(functions.xxhash64("line"), "line")
        .select("line")
    )
    work = attempt(arguments.program, arguments.folder, arguments.options)
    schema = "part int, record string, url string, status int, error string, row string"
    rows = lines.rdd.mapPartitionsWithIndex(work)
    spark.createDataFrame(rows, schema).write.mode("overwrite").parquet(arguments.rows)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
