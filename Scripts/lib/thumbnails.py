"""thumbnails.py IMGFETCH FOLDER IMAGES ROUNDS: makes thumbnails of 256 pixels in three ways, and prints `PEER RATIO` lines.

A ratio is the processor's time that imgfetch takes for all of them, its start and its cache included, to the time that the
peer takes in one process whose start does not count; the median over rounds in which they take turns. All write JPEGs of
quality 85."""
import ctypes, functools, http.server, os, pathlib, statistics, subprocess, sys, threading, time

import cv2, numpy
from PIL import Image

binary, folder, count, rounds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
BOX = 256


def photograph(seed):
    """As large and as busy as a camera's: shapes of all sizes, with fine grain."""
    random = numpy.random.default_rng(seed)
    width = int((random.uniform(1e6, 5e6) * 4 / 3) ** 0.5)
    height = width * 3 // 4
    picture = numpy.zeros((height, width, 3), numpy.float32)
    for cells in (4, 16, 64, 256):
        small = random.normal(0, 1, (cells * 3 // 4, cells, 3)).astype(numpy.float32)
        picture += cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC) * (90 / cells**0.5)
    picture += random.normal(0, 5, (height, width, 1)).astype(numpy.float32)
    return Image.fromarray(numpy.clip(picture + 127, 0, 255).astype(numpy.uint8))


def with_pillow(source, target):
    image = Image.open(source)
    image.draft("RGB", (BOX, BOX))
    image.thumbnail((BOX, BOX))
    image.save(target, quality=85)


def with_opencv(source, target):
    data = numpy.fromfile(source, numpy.uint8)
    # The size is read from the header, to know how much to reduce.
    with Image.open(source) as header:
        width, height = header.size
    reduction = max((n for n in (1, 2, 4, 8) if max(width, height) >= BOX * n), default=1)
    flags = {1: cv2.IMREAD_COLOR, 2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4}
    picture = cv2.imdecode(data, flags.get(reduction, cv2.IMREAD_REDUCED_COLOR_8))
    scale = BOX / max(picture.shape[:2])
    size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    cv2.imwrite(str(target), cv2.resize(picture, size, interpolation=cv2.INTER_AREA), [cv2.IMWRITE_JPEG_QUALITY, 85])


def timed(make):
    def run():
        began = time.process_time()
        for name in names:
            make(folder / "source" / name, folder / "out" / name)
        return time.process_time() - began

    return run


def with_imgfetch():
    for file in (folder / "out").iterdir():
        file.unlink()
    command = [binary, "get", "--offline", "--resize", f"{BOX}x{BOX}", "--convert", "jpeg", "-q"]
    os.posix_spawn(
        binary, [*command, "--cache-dir", folder / "cache", "-d", folder / "out", "-i", folder / "list"], os.environ)
    # The program, and the helpers that it leaves behind when it ends: nearly all of the time is theirs.
    took = 0
    while True:
        try:
            _, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        if status != 0:
            sys.exit("imgfetch, or a helper of it, has failed")
        took += usage.ru_utime + usage.ru_stime
    if len(list((folder / "out").iterdir())) != count:
        sys.exit("imgfetch did not make all thumbnails")
    return took


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
cv2.setNumThreads(1)
for name in ("source", "out"):
    (folder / name).mkdir()
names = [f"{number}.jpg" for number in range(count)]
for number, name in enumerate(names):
    photograph(number).save(folder / "source" / name, quality=85)
server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder / "source")))
threading.Thread(target=server.serve_forever, daemon=True).start()
(folder / "list").write_text("".join(f"http://127.0.0.1:{server.server_port}/{name}\n" for name in names))
subprocess.run([binary, "prefetch", "-q", "--cache-dir", folder / "cache", "-i", folder / "list"], check=True)
server.shutdown()

peers = {"Pillow": timed(with_pillow), "OpenCV": timed(with_opencv)}
ratios = {peer: [] for peer in peers}
for _ in range(rounds):
    ours = with_imgfetch()
    for peer, run in peers.items():
        theirs = run()
        ratios[peer].append(ours / theirs)
    print(f"imgfetch {1000 * ours / count:.1f} ms an image, {peer} {1000 * theirs / count:.1f}", file=sys.stderr)
for peer, values in ratios.items():
    print(peer, f"{statistics.median(values):.3f}")
