#!/usr/bin/env python3
"""Scripts/pixels.py BINARY: compares decoded pixels with those of Pillow, over a matrix of images that Pillow writes.

Each image is served on the loopback, fetched by BINARY with --convert png, and both are decoded by Pillow: PNG, GIF and WebP must
be equal in every sample, JPEG may differ by 1. Then orientation and scaling are compared, the latter roughly: filters differ.
Needs Pillow and numpy (from PyPI). Exits 1 and names the images where pixels differ."""
import functools, http.server, io, json, pathlib, struct, subprocess, sys, tempfile, threading, zlib

import numpy
from PIL import Image, ImageOps

SIZES = [(1, 1), (1, 7), (5, 3), (16, 16), (17, 33), (63, 65), (300, 200)]


def noise(size, mode, seed, amount=30):
    """Smooth shapes with so much noise, so that every coding has something to do."""
    width, height = size
    random = numpy.random.default_rng(seed)
    bands = len(Image.new(mode, (1, 1)).getbands())
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [127 + 90 * numpy.sin(x / (7 + band) + band) * numpy.cos(y / (9 - band)) for band in range(bands)]
    pixels = numpy.stack(planes, axis=-1) + random.integers(-amount, amount + 1, (height, width, bands))
    pixels = numpy.clip(pixels, 0, 255).astype(numpy.uint8)
    return Image.fromarray(pixels[..., 0] if bands == 1 else pixels, mode)


def png(size, colour_type, depth, interlaced, seed):
    """A PNG of noise, of the kinds that Pillow reads and does not write."""
    width, height = size
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
    random = numpy.random.default_rng(seed)
    pixels = random.integers(0, 1 << depth, (height, width, channels))

    def packed(rows):
        for row in rows:
            bits = "".join(f"{sample:0{depth}b}" for sample in row.ravel())
            yield b"\0" + int(bits.ljust(-len(bits) % 8 + len(bits), "0"), 2).to_bytes((len(bits) + 7) // 8, "big")

    # Where Adam7's passes begin, and their steps.
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    parts = [pixels[y::down, x::across] for x, y, across, down in passes] if interlaced else [pixels]
    data = b"".join(row for part in parts if part.size for row in packed(part))

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, interlaced)
    palette = chunk(b"PLTE", random.bytes(3 << depth)) if colour_type == 3 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def images():
    """(name, bytes, tolerance): how far samples may be from Pillow's."""
    for size in SIZES:
        tag = f"{size[0]}x{size[1]}"

        def encoded(image, format, **options):
            out = io.BytesIO()
            image.save(out, format, **options)
            return out.getvalue()

        grey, rgb, rgba = (noise(size, mode, 1) for mode in ("L", "RGB", "RGBA"))
        yield f"grey-{tag}.png", encoded(grey, "PNG"), 0
        yield f"bits-{tag}.png", encoded(grey.convert("1"), "PNG"), 0
        yield f"la-{tag}.png", encoded(noise(size, "LA", 2), "PNG"), 0
        yield f"rgb-{tag}.png", encoded(rgb, "PNG"), 0
        yield f"rgba-{tag}.png", encoded(rgba, "PNG"), 0
        depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
        for kind, depth in ((kind, depth) for kind in depths for depth in depths[kind]):
            for interlaced in (False, True):
                name = f"type{kind}-{depth}{'-interlaced' if interlaced else ''}-{tag}.png"
                yield name, png(size, kind, depth, interlaced, 5), 0
        for colours in (2, 4, 16, 200):
            palette = rgb.quantize(colours)
            yield f"palette{colours}-{tag}.png", encoded(palette, "PNG"), 0
            yield f"palette{colours}-alpha-{tag}.png", encoded(palette, "PNG", transparency=0), 0
            yield f"palette{colours}-{tag}.gif", encoded(palette, "GIF", interlace=colours > 4), 0
        yield f"lossless-{tag}.webp", encoded(rgba, "WEBP", lossless=True, exact=True), 0
        for quality in (5, 75, 95):
            yield f"lossy{quality}-{tag}.webp", encoded(rgb, "WEBP", quality=quality), 0
            yield f"alpha{quality}-{tag}.webp", encoded(rgba, "WEBP", quality=quality), 0
            for progressive in (False, True):
                kind = "progressive" if progressive else "baseline"
                for sampling in (0, 1, 2):
                    options = dict(quality=quality, progressive=progressive, subsampling=sampling)
                    yield f"{kind}{quality}-{sampling}-{tag}.jpg", encoded(rgb, "JPEG", **options), 1
                ink = noise(size, "CMYK", 4)
                yield f"{kind}{quality}-ink-{tag}.jpg", encoded(ink, "JPEG", quality=quality, progressive=progressive), 1
                yield f"{kind}{quality}-grey-{tag}.jpg", encoded(grey, "JPEG", quality=quality, progressive=progressive), 1


def samples(image):
    if image.mode.startswith("I"):
        return numpy.asarray(image).astype(int)
    return numpy.asarray(image.convert("RGBA")).astype(int)


def difference(one, other):
    """The largest difference of two samples; colours of what cannot be seen do not count."""
    one, other = samples(one), samples(other)
    if one.shape != other.shape:
        return 1000
    if one.ndim == 2:
        return int(numpy.abs(one - other).max(initial=0))
    seen = (one[..., 3:] > 0) | (other[..., 3:] > 0)
    return int((numpy.abs(one - other) * seen).max(initial=0))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Comparison:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.failures, self.count = binary, folder, 0, 0
        handler = functools.partial(Quiet, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def fetch(self, names, *options):
        """What becomes of images, as Pillow opens it, by name."""
        output = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        lines = "".join(f"http://127.0.0.1:{self.server.server_port}/{name}\t{name}\n" for name in names)
        command = [self.binary, "get", "-i", "-", "--cache", "off", "--json", "-d", str(output), *options]
        run = subprocess.run(command, input=lines, capture_output=True, text=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        for answer in answers:
            if "url" in answer:
                name = answer["url"].rsplit("/", 1)[1]
                self.check(answer["output"] is not None, name, f"{answer['error']}")
                yield name, answer["output"] and Image.open(answer["output"])

    def check(self, is_right, name, what):
        self.count += 1
        if not is_right:
            self.failures += 1
            print(f"{name}: {what}")

    def run(self):
        matrix = {name: (data, tolerance) for name, data, tolerance in images()}
        for name, (data, _) in matrix.items():
            pathlib.Path(self.folder, name).write_bytes(data)
        for name, result in self.fetch(matrix, "--convert", "png", "--verify", "decode"):
            data, tolerance = matrix[name]
            if result:
                far = difference(Image.open(io.BytesIO(data)), result)
                self.check(far <= tolerance, name, f"samples differ by {far}")
        self.orientation()
        self.scaling()
        print(f"{self.count} comparisons, {self.failures} failures")
        return 1 if self.failures else 0

    def orientation(self):
        names = []
        for orientation in range(1, 9):
            for format in ("jpeg", "png", "webp"):
                exif = Image.Exif()
                exif[0x0112] = orientation
                options = dict(lossless=True) if format == "webp" else {}
                names.append(f"turned{orientation}.{format}")
                noise((50, 31), "RGB", orientation).save(pathlib.Path(self.folder, names[-1]), exif=exif, **options)
        for name, result in self.fetch(names, "--auto-orient", "--convert", "png"):
            if result:
                far = difference(ImageOps.exif_transpose(Image.open(pathlib.Path(self.folder, name))), result)
                self.check(far <= (1 if name.endswith("jpeg") else 0), name, f"turned: samples differ by {far}")
                self.check(result.getexif().get(0x0112, 1) == 1, name, "turned: its tag was not reset")

    def scaling(self):
        names = []
        for mode, format in (("L", "png"), ("LA", "png"), ("RGB", "png"), ("RGBA", "png"), ("RGB", "jpeg"), ("RGBA", "webp")):
            names.append(f"smooth-{mode}.{format}")
            noise((1200, 801), mode, 3, amount=2).save(pathlib.Path(self.folder, names[-1]), quality=95)
        for width in (1300, 601, 300, 150, 40):
            for name, result in self.fetch(names, "--resize", f"{width}x", "--convert", "png"):
                if result:
                    original = Image.open(pathlib.Path(self.folder, name)).convert("RGBA").convert("RGBa")
                    expected = original.resize(result.size, Image.Resampling.LANCZOS).convert("RGBA")
                    mean = numpy.abs(samples(expected) - samples(result)).mean()
                    # What is scaled down while it is decoded is averaged over squares, which is a little softer.
                    limit = 1 if name.endswith("png") else 3
                    self.check(mean < limit, name, f"scaled to {width}: samples differ by {mean:.2f} on average")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(Comparison(str(pathlib.Path(sys.argv[1]).resolve()), folder).run())
