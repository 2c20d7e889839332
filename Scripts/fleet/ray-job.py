#!/usr/bin/env python3
"""Makes a data set on Ray: one task for each part of the hosts.

usage: ray-job.py [--parts N] [--program PATH] [--address ADDRESS] [--cpus N] -- OPTIONS OF imgfetch pack

A task that was killed, or whose node has gone, is run again by Ray; what it had finished, the next attempt keeps. imgfetch's wheel, the list and
the data set's folder must be there under the same names on all nodes. Standard output has the object of each finished shard, once, and
then a summary. See imgfetch-fleet(7).
"""
import argparse
import json
import sys

import ray


class NotComplete(Exception):
    """An attempt did not make its shards; the next one goes on where it ended."""


class Wrong(Exception):
    """The command line or the data set's folder is wrong: another attempt would find the same."""


def attempt(part, parts, program, options):
    """Runs imgfetch for a part, and gives the objects of its shards."""
    import imgfetch

    # Absolute paths in the options: a task's working folder is Ray's.
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-i", "--input", required=True)
    parser.add_argument("-d", "--output-dir", required=True)
    known, others = parser.parse_known_args(options)
    others += ["--shard-by", "host", "--shard", f"{part}/{parts}"]
    try:
        return imgfetch.pack(known.input, known.output_dir, parquet=False, program=program, arguments=others).shards
    except imgfetch.Error as error:
        if error.exit == 2:
            raise Wrong(str(error)) from error
        raise NotComplete(f"part {part}: {error}") from error


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--parts", type=int, default=8, help="the same for every run of one data set")
    parser.add_argument("--program", help="by default that of the wheel")
    parser.add_argument("--address", default="auto")
    parser.add_argument("--cpus", type=float, default=1, help="of a task")
    parser.add_argument("options", nargs="+")
    arguments = parser.parse_args()

    ray.init(address=arguments.address, log_to_driver=False)
    # Ray runs a task again whose worker died, and with retry_exceptions one whose imgfetch was killed.
    task = ray.remote(num_cpus=arguments.cpus, max_retries=20, retry_exceptions=[NotComplete])(attempt)
    waiting = [
        task.remote(part, arguments.parts, arguments.program, arguments.options)
        for part in range(1, arguments.parts + 1)
    ]
    totals = {"shards": 0, "rows": 0, "images": 0, "failed": 0}
    problems = []
    while waiting:
        (ready, *_), waiting = ray.wait(waiting)
        try:
            for shard in ray.get(ready):
                print(json.dumps(shard), flush=True)
                totals["shards"] += 1
                for name in ("rows", "images", "failed"):
                    totals[name] += shard[name]
        except ray.exceptions.RayError as error:
            problems.append(str(error))
    print(json.dumps({"summary": {**totals, "complete": not problems}}), flush=True)
    for problem in problems:
        print(f"ray-job: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
