#!/usr/bin/env python3
"""Runs imgfetch beside other fetchers over lists of several kinds, and prints a table for each: race.py PLACE.

PLACE is an empty folder. BENCH_ROUNDS says how often each runs, BENCH_IMAGES how many images one host has, BENCH_HOSTS how many hosts
the lists of many have, BENCH_RACES and BENCH_PEERS which of them run, and BENCH_LIMIT after how many seconds a run is cut off. Fails if
imgfetch has a file too few or too many, or an exit code that does not say so.
"""

import collections
import hashlib
import os
import platform
import random
import subprocess
import sys

from race_peers import IMGFETCH, PEERS, version
from race_run import LIMIT, ROUNDS, Race, median, rounds
from race_server import Dead, Missing, Server, address

IMAGES = int(os.environ.get("BENCH_IMAGES", "2000"))
HOSTS = [int(number) for number in os.environ.get("BENCH_HOSTS", "300 3000").split()]
EACH = 7
PHOTOGRAPHS = 24


class Pictures:
    """What the server has: small pictures, each another one, some halves of them, and photographs."""

    def __init__(self, place):
        self.folder = f"{place}/pictures"
        for path in (self.folder, f"{place}/half"):
            os.mkdir(path)
        subprocess.run([os.environ["TOOL"], "draw", self.folder, str(max(IMAGES, 300)), "12000"], check=True)
        self.sums = []
        for number in range(1, max(IMAGES, 300) + 1):
            with open(f"{self.folder}/p{number}.png", "rb") as file:
                data = file.read()
            self.sums.append(hashlib.sha256(data).hexdigest())
            if number % 20 == 0:
                with open(f"{place}/half/p{number}.png", "wb") as half:
                    half.write(data[: len(data) // 2])
        self.first = data

    def of(self, number):
        """The name and the sum of a picture, by any number from 0 on."""
        number %= len(self.sums)
        return f"p{number + 1}.png", self.sums[number]

    def photograph(self, server, place):
        """Draws JPEGs of 1280 x 960 pixels as cameras make them: smooth, with grain."""
        lines = []
        for number in range(PHOTOGRAPHS):
            with open(f"{self.folder}/photo{number}.ppm.png", "wb") as file:
                file.write(photograph(number, 1280, 960))
            lines.append(f"http://127.0.0.1:{server.plain}/fresh/photo{number}.ppm.png\tphoto{number}.jpg\n")
        subprocess.run(
            [IMGFETCH, "get", "-q", "--no-config", "--cache", "off", "--convert", "jpeg", "-d", self.folder, "-i", "-"],
            input="".join(lines),
            text=True,
            check=True,
            cwd=place,
        )


def photograph(seed, width, height):
    """A PNG of slow waves in three colours, with grain."""
    import math
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    chance = random.Random(seed)
    size = width * 3
    speeds = [chance.uniform(0.003, 0.02) for _ in range(6)]
    across = bytes(int(50 + 49 * math.sin(x * speeds[channel])) for x in range(width) for channel in range(3))
    across, grain, ones = int.from_bytes(across, "big"), int.from_bytes(b"\x1f" * size, "big"), int.from_bytes(b"\1" * size, "big")
    rows = []
    for y in range(height):
        # No byte gets beyond 255, so rows can be added as numbers.
        down = int(50 + 49 * math.sin(y * speeds[3]) * math.cos(y * speeds[4]))
        row = across + down * ones + (chance.getrandbits(8 * size) & grain)
        rows.append(b"\0" + row.to_bytes(size, "big"))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def of_one_host(name, address_, pictures, at_once, **more):
    urls, wanted = zip(*((f"{address_}/fresh/{file}", sum) for file, sum in map(pictures.of, range(IMAGES))))
    return Race(name, list(urls), list(wanted), at_once, **more)


def of_many_hosts(name, server, pictures, hosts, dead=None, **more):
    """Seven lines of each host, shuffled; of a twentieth of the hosts, with `dead`, none can be had."""
    lines = []
    for host in range(hosts):
        port = server.tls if dead is None or host % 20 else (dead.refused, dead.swallowed, dead.silent)[host // 20 % 3]
        for number in range(EACH):
            file, sum = pictures.of(host * EACH + number)
            lines.append((f"https://{address(host)}:{port}/slow/{file}", sum if port == server.tls else None))
    random.Random(3).shuffle(lines)
    urls, wanted = zip(*lines)
    return Race(name, list(urls), list(wanted), 100, **more)


def spoilt(server, pictures, dead):
    """One line in twenty is not found, a login page, half a picture, or broken off."""
    plain = f"http://127.0.0.1:{server.plain}"
    bad = (f"{plain}/fresh/none-", f"{plain}/login/", f"{plain}/half/", f"http://127.0.0.1:{dead.cut}/")
    urls, wanted = [], []
    for number in range(IMAGES):
        file, sum = pictures.of(number)
        is_bad = number % 20 == 19
        urls.append(f"{bad[number // 20 % 4] if is_bad else f'{plain}/fresh/'}{file}")
        wanted.append(None if is_bad else sum)
    return Race("one host, one line in twenty is spoilt", urls, wanted, 6, kind="checked")


def races(server, pictures, dead, place):
    """All races by their names, each made when its turn comes."""
    plain, secure = f"http://127.0.0.1:{server.plain}", f"https://127.0.0.1:{server.secure}"

    def duplicates():
        lines = [(f"{plain}/fresh/{file}", sum) for file, sum in map(pictures.of, range(IMAGES)) for _ in range(5)]
        random.Random(5).shuffle(lines)
        urls, wanted = zip(*lines)
        return Race(f"{len(urls)} lines of {IMAGES} images", list(urls), list(wanted), 32)

    def thumbnails():
        pictures.photograph(server, place)
        urls = [f"{plain}/fresh/photo{number % PHOTOGRAPHS}.jpg?{number}" for number in range(max(PHOTOGRAPHS, IMAGES // 8))]
        return Race(f"thumbnails of {len(urls)} photographs of 1280 x 960", urls, ["any"] * len(urls), 16, kind="thumbnails")

    yield "http1", lambda: of_one_host(f"one host, {IMAGES} images, HTTP/1.1", plain, pictures, 6)
    yield "http2", lambda: of_one_host(f"one host, {IMAGES} images, HTTP/2", secure, pictures, 32)
    for hosts in HOSTS:
        yield f"hosts{hosts}", lambda: of_many_hosts(
            f"{hosts} hosts over TLS, {EACH} images each, shuffled",
            server,
            pictures,
            hosts,
            # The others take minutes for thousands of handshakes.
            rounds=ROUNDS if hosts < 1000 else 1,
        )
    yield "dead", lambda: of_many_hosts(f"{HOSTS[0]} hosts over TLS, a twentieth dead", server, pictures, HOSTS[0], dead)
    yield "spoilt", lambda: spoilt(server, pictures, dead)
    yield "duplicates", duplicates
    yield "again", lambda: of_one_host("the second run of one host's list", plain, pictures, 6, kind="again")
    yield "one", lambda: Race("one image alone", [f"{plain}/fresh/p1.png"], [pictures.sums[0]], 1, kind="one", rounds=3 * ROUNDS)
    yield "thumbnails", thumbnails
    yield "set", lambda: of_many_hosts(f"a data set of {HOSTS[0]} hosts", server, pictures, HOSTS[0], kind="set")


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
    print(
        f"{os.cpu_count()} processors, Linux {platform.release()}, the server beside the fetchers; medians of {ROUNDS} rounds; MB of the largest process\n"
    )
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
