#!/usr/bin/env python3
"""Measures the Python module beside aiohttp, requests and httpx: python-bench.py PROGRAM PLACE, an empty folder.

Prints, for one host and for 180 (loopback addresses that nginx listens on), the processor seconds of each for the same pictures, every
byte of them compared, as minima of interleaved rounds: what else the machine does makes them larger, never smaller. Then the rows that
pack() makes of a table in a processor second. The bounds are those of aiohttp; requests and httpx take many times as much, and have one
round. What is not installed is told; without aiohttp and pyarrow the bounds cannot be tried, which is a failure.
"""
import asyncio
import importlib.util
import os
import random
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

PICTURES, ROUNDS, SIZE = int(os.environ.get("BENCH_IMAGES", "5000")), int(os.environ.get("BENCH_ROUNDS", "7")), 20_000


def picture(seed: int) -> bytes:
    """A PNG of that size, whose text chunk is random."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes([seed & 255]) * 24 for _ in range(8))))
    noise = b"a\0" + bytes(random.Random(seed).choices(range(32, 127), k=SIZE))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"tEXt", noise) + pixels + chunk(b"IEND", b"")


def processor() -> float:
    """The processor seconds of this process, and of its children that have ended."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def checked(url: str, data: bytes, pictures: dict) -> None:
    assert data == pictures[url.rsplit("/", 1)[1].split("?")[0]], url


def with_imgfetch(urls: list, pictures: dict, program: str) -> None:
    import imgfetch

    count = 0
    for row in imgfetch.get(urls, program=program, cache="off"):
        checked(row.url, row.unwrap().bytes, pictures)
        count += 1
    assert count == len(urls)


def hosts_of(urls: list) -> int:
    return len({url.split("/")[2] for url in urls})


async def with_aiohttp(urls: list, pictures: dict) -> None:
    import aiohttp

    places = asyncio.Semaphore(100)
    connector = aiohttp.TCPConnector(limit=100, limit_per_host=6 if hosts_of(urls) > 1 else 0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def one(url: str) -> None:
            async with places, session.get(url) as answer:
                checked(url, await answer.read(), pictures)

        await asyncio.gather(*(one(url) for url in urls))


def with_requests(urls: list, pictures: dict) -> None:
    import requests

    own = threading.local()

    def one(url: str) -> None:
        if not hasattr(own, "session"):
            own.session = requests.Session()
            adapter = requests.adapters.HTTPAdapter(pool_connections=200, pool_maxsize=6)
            own.session.mount("http://", adapter)
        checked(url, own.session.get(url).content, pictures)

    with ThreadPoolExecutor(32) as threads:
        list(threads.map(one, urls))


async def with_httpx(urls: list, pictures: dict) -> None:
    import httpx

    places = asyncio.Semaphore(100)
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def one(url: str) -> None:
            async with places:
                checked(url, (await client.get(url)).content, pictures)

        await asyncio.gather(*(one(url) for url in urls))


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def compared(hosts: int, bound: float, port: int, pictures: dict, program: str) -> bool:
    """Prints what each took; True if the module keeps to its bound."""
    urls = [f"http://127.0.0.{1 + n % hosts}:{port}/{n % len(pictures)}.png?{n}" for n in range(PICTURES)]
    random.Random(1).shuffle(urls)
    # Each in a process of its own, since what one leaves behind is work for the next.
    ours = lambda: in_child(lambda: with_imgfetch(urls, pictures, program))
    aiohttp = lambda: in_child(lambda: asyncio.run(with_aiohttp(urls, pictures)))
    others = {"requests": lambda: with_requests(urls, pictures), "httpx": lambda: asyncio.run(with_httpx(urls, pictures))}
    said = [f"{name} {in_child(work):.2f}" if is_installed(name) else f"{name} is not installed" for name, work in others.items()]
    if is_installed("aiohttp"):
        rounds = [(ours(), aiohttp()) for _ in range(ROUNDS)]
        mine, other = (min(column) for column in zip(*rounds))
        middle = statistics.median(one / two for one, two in rounds)
        said.insert(0, f"aiohttp {other:.2f}, ratio {mine / other:.2f} (at most {bound}; median of the rounds {middle:.2f})")
        is_held = mine / other <= bound
    else:
        mine = min(ours() for _ in range(ROUNDS))
        said.insert(0, "aiohttp is not installed")
        is_held = False
    print(f"{hosts} hosts, {PICTURES} pictures, processor seconds: imgfetch {mine:.2f}, {', '.join(said)}", flush=True)
    return is_held


def packed(port: int, pictures: dict, program: str, folder: str) -> bool:
    """Prints how many rows pack() makes of a Parquet file in a processor second; True if these are enough."""
    if not is_installed("pyarrow"):
        print("pyarrow is not installed, so nothing is packed from Parquet")
        return False
    import imgfetch
    import pyarrow
    import pyarrow.parquet

    numbers = range(4 * PICTURES)
    table = pyarrow.table(
        {
            "url": [f"http://127.0.0.1:{port}/{n % len(pictures)}.png?{n}" for n in numbers],
            "caption": [f"picture {n}" for n in numbers],
            "weight": [n / 7 for n in numbers],
        }
    )
    pyarrow.parquet.write_table(table, f"{folder}/list.parquet")

    def work() -> None:
        made = imgfetch.pack(f"{folder}/list.parquet", f"{folder}/set", program=program, progress=False, cache="off", per_host=32)
        assert (made.images, made.failed) == (len(numbers), 0)
        shutil.rmtree(f"{folder}/set")

    rate = len(numbers) / min(in_child(work) for _ in range(3))
    print(f"pack: {rate:.0f} rows a processor second from Parquet, with rows in Parquet (at least 2000)")
    return rate >= 2000


def served(folder: str, pictures: dict) -> "tuple[subprocess.Popen, int]":
    """An nginx that serves the pictures on all loopback addresses, and its port."""
    os.mkdir(f"{folder}/pictures")
    for name, data in pictures.items():
        with open(f"{folder}/pictures/{name}", "wb") as file:
            file.write(data)
    with socket.socket() as free:
        free.bind(("0.0.0.0", 0))
        port = free.getsockname()[1]
    temporary = "".join(f'  {kind}_temp_path "{folder}/{kind}";\n' for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(
            f'worker_processes 1; daemon off; pid "{folder}/pid"; error_log "{folder}/errors";\n'
            + ("user root root;\n" if os.geteuid() == 0 else "")
            + "events { worker_connections 4096; }\n"
            f'http {{ access_log off; types {{ image/png png; }} keepalive_requests 100000; root "{folder}/pictures";\n'
            f"{temporary}  server {{ listen 0.0.0.0:{port}; }} }}\n"
        )
    path = os.environ["PATH"] + ":/usr/sbin"
    nginx = subprocess.Popen(["nginx", "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"], env={"PATH": path})
    while nginx.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return nginx, port
        except ConnectionRefusedError:
            time.sleep(0.01)
    raise SystemExit("nginx did not start")


def main() -> int:
    program, folder = sys.argv[1:]
    # Without proxies of the environment, which each of these would ask in its own way.
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("IMGFETCH_") and name != "IMGFETCH_LIBCURL":
            del os.environ[name]
    pictures = {f"{number}.png": picture(number) for number in range(500)}
    nginx, port = served(folder, pictures)
    try:
        within = [compared(hosts, bound, port, pictures, program) for hosts, bound in ((1, 0.7), (180, 1.0))]
        within.append(packed(port, pictures, program, folder))
    finally:
        nginx.terminate()
        nginx.wait()
    return 0 if all(within) else 1


def in_child(work) -> float:
    """The processor seconds of that in a process of its own."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            before = processor()
            work()
            os.write(write, str(processor() - before).encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    assert os.waitpid(pid, 0)[1] == 0
    return float(said)


if __name__ == "__main__":
    sys.exit(main())
