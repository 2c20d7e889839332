#!/usr/bin/env python3
"""Runs imgfetch beside other fetchers over lists of several kinds, and prints a table for each: race.py PLACE.

PLACE is an empty folder. BENCH_ROUNDS says how often each runs, BENCH_IMAGES how many images one host has, BENCH_HOSTS how many hosts
the lists of many have, BENCH_RACES and BENCH_PEERS which of them run, and BENCH_LIMIT after how many seconds a run is cut off. Fails if
imgfetch has a file too few or too many, or an exit code that does not say so.
"""

import collections
import os
import platform
import sys

from race_lists import EACH, IMAGES, Pictures, of_duplicates, of_many_hosts, of_one_host, of_photographs, of_spoilt_answers
from race_peers import IMGFETCH, PEERS, version
from race_run import ROUNDS, Race, median, rounds
from race_server import Dead, Missing, Server

HOSTS = [int(number) for number in os.environ.get("BENCH_HOSTS", "300 3000").split()]


def races(server, pictures, dead, place):
    """All races by their names, each made when its turn comes."""
    plain, secure = f"http://127.0.0.1:{server.plain}", f"https://127.0.0.1:{server.secure}"
    ways = (dead.refused, dead.swallowed, dead.silent)
    twentieth = lambda host: None if host % 20 else ways[host // 20 % 3]
    few = HOSTS[0]

    yield "http1", lambda: of_one_host(f"one host, {IMAGES} images, HTTP/1.1", plain, pictures, 6)
    yield "http2", lambda: of_one_host(f"one host, {IMAGES} images, HTTP/2", secure, pictures, 32)
    for hosts in HOSTS:
        name = f"{hosts} hosts over TLS, {EACH} images each, shuffled"
        # Thousands of hosts take the others minutes.
        yield f"hosts{hosts}", lambda: of_many_hosts(name, server, pictures, hosts, rounds=ROUNDS if hosts < 1000 else 1)
    yield "dead", lambda: of_many_hosts(f"{few} hosts over TLS, a twentieth dead", server, pictures, few, twentieth)
    yield "spoilt", lambda: of_spoilt_answers(server, pictures, dead)
    yield "duplicates", lambda: of_duplicates(server, pictures)
    yield "again", lambda: of_one_host("the second run of one host's list", plain, pictures, 6, kind="again")
    yield "one", lambda: Race("one image alone", [f"{plain}/fresh/p1.png"], [pictures.sums[0]], 1, kind="one", rounds=3 * ROUNDS)
    yield "thumbnails", lambda: of_photographs(server, pictures, place)
    yield "set", lambda: of_many_hosts(f"a data set of {few} hosts", server, pictures, few, kind="set")


HEAD = ["", "seconds", "images/s", "images a processor s", "MB", "requests an image", "connections a host", "wrong", "missing", "exit code"]


def exit_code(runs):
    codes = collections.Counter("cut off" if run.code is None else str(run.code) for run in runs)
    said = " or ".join(code for code, _ in codes.most_common())
    return said if all(run.is_honest for run in runs) else f"{said}, not honest"


def cells(peer, race, runs):
    if runs is None:
        return [peer.name] + ["does not do it"] + [""] * (len(HEAD) - 2)
    least = max(1, race.count)
    return [
        peer.name,
        f"{median(runs, lambda run: run.seconds):.3g}",
        f"{median(runs, lambda run: run.right / run.seconds):.0f}",
        f"{median(runs, lambda run: run.right / max(run.processor, 1e-9)):.0f}",
        f"{median(runs, lambda run: run.megabytes):.0f}",
        f"{median(runs, lambda run: run.requests) / least:.2f}",
        f"{median(runs, lambda run: run.connections / max(1, run.hosts)):.2f}",
        str(max(run.wrong for run in runs)),
        str(max(run.missing for run in runs)),
        exit_code(runs),
    ]


def table(race, peers, runs):
    rows = [HEAD] + [cells(peer, race, runs[peer.name]) for peer in peers]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def chosen():
    """The fetchers that run. Those that are missing are told."""
    names = os.environ.get("BENCH_PEERS", "").split()
    peers = [peer for peer in PEERS if not names or peer.program == IMGFETCH or peer.program in names]
    for peer in peers:
        if peer.path is None:
            print(f"{peer.name} is not installed, so it does not run")
    peers = [peer for peer in peers if peer.path is not None]
    print("; ".join(dict.fromkeys(version(peer) for peer in peers)))
    machine = f"{os.cpu_count()} processors, Linux {platform.release()}, the server beside the fetchers"
    print(f"{machine}; medians of {ROUNDS} rounds; MB of the largest process\n", flush=True)
    return peers


def main():
    place = os.path.abspath(sys.argv[1])
    peers, wanted = chosen(), os.environ.get("BENCH_RACES", "").split()
    pictures = Pictures(place)
    is_right = True
    with Server(place, pictures.folder, max(HOSTS)) as server, Dead(pictures.first) as dead:
        for name, make in races(server, pictures, dead, place):
            if wanted and name not in wanted:
                continue
            race = make()
            runs = rounds(race, peers, server, place)
            print(f"{race.name} ({name}):\n\n{table(race, peers, runs)}\n", flush=True)
            ours = [run for peer in peers if peer.program == IMGFETCH for run in runs[peer.name] or []]
            is_right = is_right and all(run.is_honest and run.wrong == run.missing == 0 for run in ours)
    return 0 if is_right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as missing:
        sys.exit(str(missing))
