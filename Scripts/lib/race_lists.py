"""What the fetchers race over: pictures, and lists of them."""

import hashlib
import math
import os
import random
import struct
import subprocess
import zlib

from race_peers import IMGFETCH
from race_run import Race
from race_server import address

IMAGES = int(os.environ.get("BENCH_IMAGES", "2000"))
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


def of_one_host(name, server, pictures, at_once, **more):
    """Each picture once; `server` is the host, as a URL begins with it."""
    urls, wanted = zip(*((f"{server}/fresh/{file}", sum) for file, sum in map(pictures.of, range(IMAGES))))
    return Race(name, list(urls), list(wanted), at_once, **more)


def of_many_hosts(name, server, pictures, hosts, dead=lambda host: None, is_shuffled=True, **more):
    """Seven lines of each host. `dead` tells the port of a host that cannot be reached, by its number; None: it is alive."""
    lines = []
    for host in range(hosts):
        port = dead(host)
        for number in range(EACH):
            file, sum = pictures.of(host * EACH + number)
            lines.append((f"https://{address(host)}:{port or server.tls}/slow/{file}", None if port else sum))
    if is_shuffled:
        random.Random(3).shuffle(lines)
    urls, wanted = zip(*lines)
    return Race(name, list(urls), list(wanted), 100, **more)


def of_duplicates(server, pictures):
    """Each picture five times, shuffled."""
    plain = f"http://127.0.0.1:{server.plain}"
    lines = [(f"{plain}/fresh/{file}", sum) for file, sum in map(pictures.of, range(IMAGES)) for _ in range(5)]
    random.Random(5).shuffle(lines)
    urls, wanted = zip(*lines)
    return Race(f"{len(urls)} lines of {IMAGES} images", list(urls), list(wanted), 32)


def of_photographs(server, pictures, place):
    pictures.photograph(server, place)
    plain, count = f"http://127.0.0.1:{server.plain}", max(PHOTOGRAPHS, IMAGES // 8)
    urls = [f"{plain}/fresh/photo{number % PHOTOGRAPHS}.jpg?{number}" for number in range(count)]
    return Race(f"thumbnails of {count} photographs of 1280 x 960", urls, ["any"] * count, 16, kind="thumbnails")


def of_spoilt_answers(server, pictures, dead):
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
