"""prefixes.py IMGFETCH FOLDER: cuts pictures of each format and kind at every byte.

None may be accepted, whole or flawed, unless all pixels of all frames are those of the whole one. Where nothing decodes a format, none
may be accepted at all. Encoders of others make the pictures: ImageMagick, libavif, and, for APNG, the lines below."""
import json, pathlib, struct, subprocess, sys, zlib

binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
SIZE = "24x16"
KINDS = {
    "baseline.jpg": ["plasma:fractal", "-quality", "85"],
    "progressive.jpg": ["plasma:fractal", "-quality", "85", "-interlace", "JPEG"],
    "full-colour.jpg": ["plasma:fractal", "-quality", "95", "-sampling-factor", "1x1"],
    "grey.jpg": ["plasma:fractal", "-colorspace", "Gray"],
    "cmyk.jpg": ["plasma:fractal", "-colorspace", "CMYK"],
    "colour.png": ["plasma:fractal"],
    "interlaced.png": ["plasma:fractal", "-interlace", "PNG"],
    "palette.png": ["plasma:fractal", "-colors", "16", "-define", "png:color-type=3"],
    "deep.png": ["plasma:fractal", "-depth", "16"],
    "still.gif": ["plasma:fractal"],
    "interlaced.gif": ["plasma:fractal", "-interlace", "GIF"],
    "moving.gif": ["-delay", "10", "plasma:fractal", "plasma:red-blue", "plasma:green-white"],
    "lossy.webp": ["plasma:fractal", "-quality", "80"],
    "lossless.webp": ["plasma:fractal", "-define", "webp:lossless=true"],
    "alpha.webp": ["plasma:fractal", "-alpha", "set", "-channel", "A", "-fx", "i/w", "-quality", "80"],
    "moving.webp": ["-delay", "10", "plasma:fractal", "plasma:red-blue", "plasma:green-white"],
    "colour.bmp": ["plasma:fractal"],
    "palette.bmp": ["plasma:fractal", "-colors", "16", "-type", "palette"],
    "bitmap.ico": ["plasma:fractal"],
    "plain.tif": ["plasma:fractal", "-compress", "none"],
    "deflated.tif": ["plasma:fractal", "-compress", "zip"],
    "pages.tif": ["plasma:fractal", "plasma:red-blue", "-compress", "lzw"],
}


def made(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def apng():
    width, height = map(int, SIZE.split("x"))
    data = [zlib.compress(b"".join(b"\0" + bytes((x * 9 + y * seed) % 256 for x in range(width * 3)) for y in range(height)))
            for seed in (3, 5, 7)]
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    out += chunk(b"acTL", struct.pack(">II", len(data), 0))
    number = 0
    for at, frame in enumerate(data):
        out += chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 10, 0, 0))
        number += 1
        if at == 0:
            out += chunk(b"IDAT", frame)
            continue
        for half in (frame[: len(frame) // 2], frame[len(frame) // 2:]):
            out += chunk(b"fdAT", struct.pack(">I", number) + half)
            number += 1
    return out + chunk(b"IEND")


def pictures():
    for name, options in KINDS.items():
        made("convert", "-seed", "1", "-size", SIZE, *options, folder / name)
        yield name, (folder / name).read_bytes()
    made("avifenc", "-s", "10", folder / "colour.png", folder / "still.avif")
    yield "still.avif", (folder / "still.avif").read_bytes()
    yield "moving.png", apng()
    yield "shapes.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><g><rect width="9" height="9"/></g></svg>\n'


def inspected(files, *options):
    out = subprocess.run(
        [binary, "inspect", "--json", *options, *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.splitlines()]


wrong = 0
for name, data in pictures():
    whole = folder / "whole"
    whole.write_bytes(data)
    row, decoded = inspected([str(whole)])[0], inspected([str(whole)], "--verify", "decode")[0]
    if row["error"]:
        print(f"{name}: the whole picture is refused: {row['error']['message']}")
        wrong += 1
        continue
    files = []
    # A line feed behind an SVG is not missed.
    for length in range(len(data.rstrip(b"\n")) if name.endswith("svg") else len(data)):
        path = folder / f"{length:05}"
        path.write_bytes(data[:length])
        files.append(str(path))
    accepted = []
    for start in range(0, len(files), 1000):
        accepted += [row["file"] for row in inspected(files[start:start + 1000]) if row["error"] is None]
    pixels = {row["file"]: row.get("pixels") for row in inspected(accepted, "--verify", "decode")} if accepted else {}
    bad = [file for file in accepted if not pixels[file] or pixels[file] != decoded.get("pixels")]
    print(f"{name}: {len(files)} prefixes, {len(accepted)} accepted, {len(bad)} of them with other pixels")
    for file in bad:
        print(f"  cut at {int(file.rsplit('/', 1)[1])}")
    wrong += len(bad)
    for file in files:
        pathlib.Path(file).unlink()
sys.exit(1 if wrong else 0)
