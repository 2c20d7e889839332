"""fingerprints.py IMGFETCH FOLDER IMAGES ROUNDS: fetches lists of JPEGs of 640 x 480 into an empty cache and makes thumbnails of 256 pixels,
with all four fingerprints and without, and prints `KILOBYTES RATIO` lines.

A ratio is the processor's time with to that without, the program's start and its helpers included; the median over rounds in which
they take turns. Pictures are noise with the spectrum of photographs: from smooth ones to busy ones, whose coded data take longer to read."""
import functools, http.server, os, pathlib, resource, shutil, statistics, subprocess, sys, threading

import numpy
from PIL import Image

binary, folder, count, rounds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
WIDTH, HEIGHT, PICTURES = 640, 480, 40
FINGERPRINTS = ["--fingerprint", "thumbhash,blurhash,dhash,phash"]


def photograph(random, slope):
    """Noise whose strength falls with the frequency; colours vary less than brightness."""
    across, down = numpy.fft.fftfreq(WIDTH)[None, :], numpy.fft.fftfreq(HEIGHT)[:, None]
    frequency = numpy.sqrt(across * across + down * down)
    frequency[0, 0] = 1
    planes = []
    for _ in range(3):
        noise = numpy.fft.fft2(random.standard_normal((HEIGHT, WIDTH))) / frequency**slope
        plane = numpy.real(numpy.fft.ifft2(noise))
        plane = (plane - plane.mean()) / plane.std()
        planes.append(128 + 50 * (0.8 * (planes[0] - 128) / 50 + 0.3 * plane if planes else plane))
    return Image.fromarray(numpy.clip(numpy.stack(planes, -1), 0, 255).astype(numpy.uint8))


def seconds(names, *options):
    for name in ("cache", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "list").write_text("\n".join(names))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "get", "-q", "--no-config", "--cache-dir", folder / "cache", "-d", folder / "out"]
    subprocess.run([*command, "--resize", "256x256", "-i", folder / "list", *options], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass


source = folder / "source"
source.mkdir()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(source)))
threading.Thread(target=server.serve_forever, daemon=True).start()
random = numpy.random.default_rng(1)
for slope, quality in ((1.6, 80), (1.3, 85), (0.7, 85)):
    for number in range(PICTURES):
        photograph(random, slope).save(source / f"{slope}-{number}.jpg", quality=quality)
    size = statistics.mean((source / f"{slope}-{number}.jpg").stat().st_size for number in range(PICTURES))
    address = f"http://127.0.0.1:{server.server_port}/{slope}"
    names = [f"{address}-{number % PICTURES}.jpg?{number // PICTURES}" for number in range(count)]
    ratios = []
    for _ in range(rounds):
        alone = seconds(names)
        ratios.append(seconds(names, *FINGERPRINTS) / alone)
    print(round(size / 1000), f"{statistics.median(ratios):.3f}", flush=True)
