#!/usr/bin/env python3
"""Measures the Python module beside aiohttp: python-bench.py PROGRAM.

Prints, for one host and for 180 (loopback addresses that nginx listens on), the processor seconds of both for the same pictures, all of
them verified, as medians of interleaved rounds; then how many rows a processor second pack() makes of a table.
"""
import asyncio
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PICTURES, ROUNDS, SIZE = 5_000, 5, 20_000


def picture(seed: int) -> bytes:
    """A PNG of that size, whose text chunk is random."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes([seed & 255]) * 24 for _ in range(8))))
    noise = b"a\0" + bytes(random.Random(seed).randrange(32, 127) for _ in range(SIZE))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"tEXt", noise) + pixels + chunk(b"IEND", b"")


def processor() -> float:
    """The processor seconds of this process, and of its children that have ended."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def with_imgfetch(urls: list, sizes: dict, program: str) -> None:
    import imgfetch

    for row in imgfetch.get(urls, program=program, cache="off"):
        assert row.error is None and len(row.bytes) == sizes[row.url.rsplit("/", 1)[1]], row


async def with_aiohttp(urls: list, sizes: dict) -> None:
    import aiohttp

    places = asyncio.Semaphore(100)
    connector = aiohttp.TCPConnector(limit=100, limit_per_host=6 if len(set(u.split("/")[2] for u in urls)) > 1 else 0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def one(url: str) -> None:
            async with places, session.get(url) as answer:
                assert len(await answer.read()) == sizes[url.rsplit("/", 1)[1]]

        await asyncio.gather(*(one(url) for url in urls))


def measured(work) -> tuple:
    before, began = processor(), time.monotonic()
    work()
    return processor() - before, time.monotonic() - began


def main() -> int:
    program = sys.argv[1]
    folder = tempfile.mkdtemp(dir="/dev/shm")
    nginx = None
    try:
        os.mkdir(f"{folder}/pictures")
        sizes = {}
        for number in range(500):
            data = picture(number)
            sizes[f"{number}.png"] = len(data)
            with open(f"{folder}/pictures/{number}.png", "wb") as file:
                file.write(data)
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(
                f"worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors; user root root;\n"
                "events { worker_connections 4096; }\n"
                f"http {{ access_log off; types {{ image/png png; }} keepalive_requests 100000; root {folder}/pictures;\n"
                + "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
                + "  server { listen 0.0.0.0:18080; } }\n"
            )
        path = os.environ["PATH"] + ":/usr/sbin"
        nginx = subprocess.Popen(["nginx", "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"], env={"PATH": path})
        time.sleep(0.5)
        status = 0
        for hosts, bound in ((1, 0.7), (180, 1.0)):
            urls = [f"http://127.0.0.{1 + n % hosts}:18080/{n % 500}.png?{n}" for n in range(PICTURES)]
            random.Random(1).shuffle(urls)
            ratios, ours, theirs = [], [], []
            for _ in range(ROUNDS):
                # A process of its own for each, since what one leaves behind is work for the next.
                mine = in_child(lambda: with_imgfetch(urls, sizes, program))
                other = in_child(lambda: asyncio.run(with_aiohttp(urls, sizes)))
                ours.append(mine)
                theirs.append(other)
                ratios.append(mine / other)
            ratio = statistics.median(ratios)
            print(
                f"{hosts} hosts, {PICTURES} pictures: imgfetch {statistics.median(ours):.2f} s, "
                f"aiohttp {statistics.median(theirs):.2f} s of processor time, ratio {ratio:.2f} (at most {bound})"
            )
            status |= ratio > bound
        import imgfetch

        records = ({"url": f"http://127.0.0.1:18080/{n % 500}.png?{n}", "caption": f"picture {n}"} for n in range(PICTURES))
        seconds = in_child(
            lambda: imgfetch.pack(records, f"{folder}/set", program=program, parquet=False, progress=False, cache="off", per_host=100)
        )
        print(f"pack: {PICTURES / seconds:.0f} rows a processor second (at least 2000)")
        return status | (PICTURES / seconds < 2000)
    finally:
        if nginx is not None:
            nginx.terminate()
            nginx.wait()
        shutil.rmtree(folder)


def in_child(work) -> float:
    """The processor seconds of that in a process of its own."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            seconds, _ = measured(work)
            os.write(write, str(seconds).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    assert os.waitpid(pid, 0)[1] == 0
    return float(said)


if __name__ == "__main__":
    sys.exit(main())
