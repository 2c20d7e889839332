"""browser.py IMGFETCH CHROMIUM FOLDER: compares what imgfetch accepts with what a browser shows whole.

Pictures are made here, sound ones and the same with one flaw each. Headless Chromium decodes every frame of each, and tells the
hash of its pixels; whole is what has those of the sound picture. imgfetch gets each over HTTP, with a certain end. Prints a
line for each difference, and ends with 1 if there is one that is not in EXPECTED."""
import base64, hashlib, http.server, json, pathlib, shutil, struct, subprocess, sys, threading, zlib

binary, chromium, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
WIDTH, HEIGHT = 48, 32
cases = []  # (name, media type, bytes, sound bytes)

# Where the two differ on purpose: the reason, by the beginning of the name.
EXPECTED = {
    # Shown, and refused.
    "apng later frame cut": "frames are missing",
    "gif later frame cut": "frames are missing",
    "webp later frame cut": "frames are missing",
    "gif no trailer, of frames": "frames may be missing",
    "gif extension cut": "frames may be missing",
    "gif rubbish behind the frame": "it may have been another frame",
    "png wrong sum of tRNS": "which pixels are transparent hangs on it",
    "png wrong sum of a palette's tRNS": "which pixels are transparent hangs on it",
    "jpeg baseline, a restart mark behind": "it may be what is left of a hole",
    "jpeg progressive, a restart mark behind": "it may be what is left of a hole",
    "ico bitmap, cut by a byte": "a part of its mask is missing",
    "ico bitmap, mask cut": "a part of its mask is missing",
    "ico bitmap, no mask": "its mask is missing",
    "ico png, cut by a byte": "the icon says that there is more",
    "ico png, wrong sum of IDAT": "what is in an icon is not decoded to see",
    "svg in UTF-16": "SVG is read in UTF-8",
    # Accepted, and not shown.
    "apng sequence begins with 1": "the still picture counts, which this browser does not show",
    "jpeg baseline, no end mark": "every pixel is there, and this browser leaves the last rows out",
    "jpeg baseline, half an end mark": "every pixel is there, and this browser leaves the last rows out",
    "svg text behind the root": "bytes behind the end are allowed",
    "svg a second root": "bytes behind the end are allowed",
    "svg no name space": "its root is named svg",
}


def case(kind, flaw, data, sound):
    mimes = {"jpeg": "image/jpeg", "png": "image/png", "apng": "image/png", "gif": "image/gif", "webp": "image/webp"}
    mimes |= {"avif": "image/avif", "bmp": "image/bmp", "ico": "image/x-icon", "svg": "image/svg+xml"}
    cases.append((f"{kind} {flaw}", mimes[kind], bytes(data), bytes(sound)))


def pixel(x, y, seed):
    return ((x * 5 + seed * 40) % 256, (y * 7 + seed * 25) % 256, (x * y + seed * 60) % 256)


def made(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, stdout=subprocess.DEVNULL)


def ppm(seed=1):
    rows = b"".join(bytes(pixel(x, y, seed)) for y in range(HEIGHT) for x in range(WIDTH))
    path = folder / f"source-{seed}.ppm"
    path.write_bytes(b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + rows)
    return path


# PNG ---------------------------------------------------------------------------------------------------------------------


def chunk(name, content=b"", wrong=False):
    total = zlib.crc32(name + content) ^ (1 if wrong else 0)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", total)


def deflated(seed=1, palette=False):
    if palette:
        rows = [bytes((x + y + seed) % 4 for x in range(WIDTH)) for y in range(HEIGHT)]
    else:
        rows = [b"".join(bytes(pixel(x, y, seed)) for x in range(WIDTH)) for y in range(HEIGHT)]
    return zlib.compress(b"".join(b"\0" + row for row in rows))


SIGNATURE, END = b"\x89PNG\r\n\x1a\n", chunk(b"IEND")
HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))


def pngs():
    data = deflated()
    half = len(data) // 2
    text = chunk(b"tEXt", b"Comment\0text")
    sound = SIGNATURE + HEADER + chunk(b"IDAT", data) + END

    def png(flaw, *chunks):
        case("png", flaw, SIGNATURE + b"".join(chunks), sound)

    whole = chunk(b"IDAT", data)
    png("sound", HEADER, whole, END)
    png("in two IDAT", HEADER, chunk(b"IDAT", data[:half]), chunk(b"IDAT", data[half:]), END)
    png("two IDAT runs", HEADER, chunk(b"IDAT", data[:half]), text, chunk(b"IDAT", data[half:]), END)
    png("wrong sum of IDAT", HEADER, chunk(b"IDAT", data, wrong=True), END)
    png("wrong sum of IHDR", HEADER[:-1] + bytes([HEADER[-1] ^ 1]), whole, END)
    png("wrong sum of tEXt", HEADER, chunk(b"tEXt", b"Comment\0text", wrong=True), whole, END)
    png("wrong sum of gAMA", HEADER, chunk(b"gAMA", struct.pack(">I", 45455), wrong=True), whole, END)
    png("wrong sum of tRNS", HEADER, chunk(b"tRNS", b"\0\1\0\2\0\3", wrong=True), whole, END)
    png("wrong sum of pHYs behind the pixels", HEADER, whole, chunk(b"pHYs", b"\0" * 9, wrong=True), END)
    png("wrong sum of IEND", HEADER, whole, chunk(b"IEND", wrong=True))
    png("IEND with content", HEADER, whole, chunk(b"IEND", b"x"))
    png("no IEND", HEADER, whole)
    png("half an IEND", HEADER, whole, END[:6])
    png("IDAT behind the last row", HEADER, whole, chunk(b"IDAT", b"rubbish"), END)
    png("rubbish in the IDAT behind the stream", HEADER, chunk(b"IDAT", data + b"rubbish"), END)
    png("empty IDAT", HEADER, chunk(b"IDAT"), whole, END)
    png("wrong Adler sum", HEADER, chunk(b"IDAT", data[:-1] + bytes([data[-1] ^ 1])), END)
    png("no Adler sum", HEADER, chunk(b"IDAT", data[:-4]), END)
    png("last row missing", HEADER, chunk(b"IDAT", zlib.compress(zlib.decompress(data)[: -(1 + 3 * WIDTH)])), END)
    png("cut", HEADER, whole[: len(whole) // 2])
    png("unknown critical chunk", HEADER, chunk(b"ABCD", b"x"), whole, END)
    png("wrong sum of an unknown chunk", HEADER, chunk(b"abCd", b"x", wrong=True), whole, END)
    png("idle palette", HEADER, chunk(b"PLTE", b"abc"), whole, END)
    png("bytes behind the end", HEADER, whole, END, b"rubbish" * 50)

    indexed = chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0))
    palette = chunk(b"PLTE", bytes(range(12)))
    indices = chunk(b"IDAT", deflated(palette=True))
    sound = SIGNATURE + indexed + palette + indices + END
    png("palette sound", indexed, palette, indices, END)
    png("wrong sum of PLTE", indexed, chunk(b"PLTE", bytes(range(12)), wrong=True), indices, END)
    png("palette missing", indexed, indices, END)
    visible = chunk(b"tRNS", b"\0\0", wrong=True)
    case("png", "wrong sum of a palette's tRNS that shows", SIGNATURE + indexed + palette + visible + indices + END,
         SIGNATURE + indexed + palette + chunk(b"tRNS", b"\0\0") + indices + END)
    png("wrong sum of a palette's tRNS", indexed, palette, chunk(b"tRNS", b"\xff\xff", wrong=True), indices, END)


def apngs():
    def control(number):
        return chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0))

    def frame(number, data):
        return chunk(b"fdAT", struct.pack(">I", number) + data)

    animation = chunk(b"acTL", struct.pack(">II", 3, 0))
    one, two, three = deflated(1), deflated(2), deflated(3)
    first = [HEADER, animation, control(0), chunk(b"IDAT", one)]
    rest = [control(1), frame(2, two), control(3), frame(4, three), END]
    sound = SIGNATURE + b"".join(first + rest)
    still = SIGNATURE + HEADER + chunk(b"IDAT", one) + END

    def apng(flaw, chunks, of=sound):
        case("apng", flaw, SIGNATURE + b"".join(chunks), of)

    apng("sound", first + rest)
    apng("sequence wrong", first + [control(1), frame(2, two), control(4), frame(3, three), END], still)
    apng("sequence begins with 1", [HEADER, animation, control(1), chunk(b"IDAT", one), END], still)
    apng("too few frames", first + rest[:2] + [END], still)
    apng("no frames but the first", first + [END], still)
    apng("frame beyond the screen", first
         + [chunk(b"fcTL", struct.pack(">IIIIIHHBB", 1, WIDTH, HEIGHT, 5, 0, 1, 10, 0, 0)), frame(2, two), END], still)
    apng("acTL of no frames", [HEADER, chunk(b"acTL", b"\0" * 8), chunk(b"IDAT", one), END], still)
    apng("wrong sum of acTL", [HEADER, animation[:-1] + bytes([animation[-1] ^ 1])] + first[2:] + rest, still)
    apng("wrong sum of a later fcTL", first + [rest[0][:-1] + bytes([rest[0][-1] ^ 1])] + rest[1:])
    apng("wrong sum of a later fdAT", first + [rest[0], rest[1][:-1] + bytes([rest[1][-1] ^ 1])] + rest[2:])
    apng("no IEND", first + rest[:-1])
    whole = b"".join(first + rest)
    apng("later frame cut", [whole[: len(whole) - len(three) // 2 - 30]], still)
    apng("cut in the first frame", [b"".join(first)[: -len(one) // 2]], still)


# GIF ---------------------------------------------------------------------------------------------------------------------


def lzw(seed, width=WIDTH, height=HEIGHT):
    """Codes of three bits with a clear code before the table grows."""
    bits, made_bits, out = 0, 0, bytearray()

    def put(code):
        nonlocal bits, made_bits
        bits |= code << made_bits
        made_bits += 3
        while made_bits >= 8:
            out.append(bits & 255)
            bits >>= 8
            made_bits -= 8

    for at in range(width * height):
        if at % 2 == 0:
            put(4)
        put((at % width + at // width + seed) % 4)
    put(5)
    if made_bits:
        out.append(bits & 255)
    return bytes(out)


def blocks(data):
    return b"".join(bytes([len(data[at:at + 255])]) + data[at:at + 255] for at in range(0, len(data), 255)) + b"\0"


def gifs():
    screen = b"GIF89a" + struct.pack("<HHBBB", WIDTH, HEIGHT, 0x91, 0, 0) + bytes(range(0, 240, 20))
    loop = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"

    def image(seed, left=0, data=None, width=WIDTH, height=HEIGHT):
        return b"\x2c" + struct.pack("<HHHHB", left, 0, width, height, 0) + b"\x02" + blocks(
            lzw(seed, width, height) if data is None else data)

    still = screen + image(1) + b"\x3b"
    moving = screen + loop + image(1) + image(2) + image(3) + b"\x3b"

    def gif(flaw, data, sound=still):
        case("gif", flaw, data, sound)

    gif("sound", still)
    gif("of frames, sound", moving, moving)
    gif("no trailer", still[:-1])
    gif("zeros behind the frame", still[:-1] + b"\0\0\0\0" + b"\x3b")
    gif("rubbish behind the frame", still[:-1] + b"rubbish" + b"\x3b")
    gif("zeros between frames", screen + loop + image(1) + b"\0\0" + image(2) + image(3) + b"\x3b", moving)
    gif("no trailer, of frames", moving[:-1], moving)
    gif("frame beyond the screen", screen + loop + image(1) + image(2) + image(3, left=5) + b"\x3b", None or moving)
    gif("later frame cut", moving[: len(moving) - 60], still)
    gif("cut in the first frame", still[: len(still) // 2])
    gif("no end code", screen + image(1, data=lzw(1)[:-1]) + b"\x3b")
    gif("bytes behind the end code", screen + image(1, data=lzw(1) + b"more") + b"\x3b")
    gif("bytes behind the trailer", still + b"rubbish" * 20)
    gif("extension cut", still[:-1] + b"\x21\xfe\x10only")
    gif("unknown extension", screen + b"\x21\x77\x03abc\0" + image(1) + b"\x3b")
    gif("screen of no pixels", b"GIF89a" + struct.pack("<HH", 0, 0) + still[10:])
    gif("version of GIF90a", b"GIF90a" + still[6:])


# JPEG --------------------------------------------------------------------------------------------------------------------


def jpegs():
    source = ppm()
    for kind, options in (("baseline", []), ("progressive", ["-interlace", "JPEG"])):
        path = folder / f"{kind}.jpg"
        made("convert", source, "-quality", "85", *options, path)
        sound = path.read_bytes()
        table = sound.index(b"\xff\xdb")
        frame = sound.index(b"\xff\xc0" if kind == "baseline" else b"\xff\xc2")
        scan = sound.rindex(b"\xff\xda")

        def jpeg(flaw, data):
            case("jpeg", f"{kind}, {flaw}", data, sound)

        jpeg("sound", sound)
        jpeg("rubbish between segments", sound[:table] + b"rubbish" + sound[table:])
        jpeg("rubbish before the frame", sound[:frame] + b"\0\0\0" + sound[frame:])
        jpeg("fill bytes", sound[:table] + b"\xff\xff\xff" + sound[table:])
        jpeg("a comment of length 0", sound[:table] + b"\xff\xfe\0\0" + sound[table:])
        jpeg("a comment of length 1", sound[:table] + b"\xff\xfe\0\1" + sound[table:])
        jpeg("Exif of length 0", sound[:table] + b"\xff\xe1\0\0" + sound[table:])
        jpeg("no end mark", sound[:-2])
        jpeg("half an end mark", sound[:-1])
        jpeg("rubbish behind the last scan", sound[:-2] + b"rubbish" + sound[-2:])
        jpeg("zeros behind the last scan", sound[:-2] + b"\0\0\0\0" + sound[-2:])
        jpeg("a comment behind the last scan", sound[:-2] + b"\xff\xfe\0\6text" + sound[-2:])
        jpeg("a cut comment behind the last scan", sound[:-2] + b"\xff\xfe\0\x40text")
        jpeg("metadata of length 0 behind the last scan", sound[:-2] + b"\xff\xe1\0\0" + sound[-2:])
        jpeg("a restart mark behind the last scan", sound[:-2] + b"\xff\xd0" + sound[-2:])
        jpeg("bytes behind the end mark", sound + b"rubbish" * 20)
        jpeg("cut in the last scan", sound[: scan + (len(sound) - scan) // 2])
        jpeg("cut in the last scan, with an end mark", sound[: scan + (len(sound) - scan) // 2] + b"\xff\xd9")
        jpeg("cut by four bytes", sound[:-4])
        jpeg("a hole in the last scan", sound[: scan + 30] + sound[scan + 45:])
        jpeg("rubbish in the last scan", sound[: scan + 40] + b"\0" * 12 + sound[scan + 52:])


# The others --------------------------------------------------------------------------------------------------------------


def webps():
    frames = []
    for seed in (1, 2, 3):
        made("convert", ppm(seed), "-define", "webp:lossless=true", folder / f"{seed}.webp")
        frames.append((folder / f"{seed}.webp").read_bytes())
    sound = frames[0]
    made("convert", ppm(1), "-quality", "80", folder / "lossy.webp")
    lossy = (folder / "lossy.webp").read_bytes()

    def sized(data):
        return data[:4] + struct.pack("<I", len(data) - 8) + data[8:]

    for kind, data in (("lossless", sound), ("lossy", lossy)):
        case("webp", f"{kind}, sound", data, data)
        case("webp", f"{kind}, cut", data[:-20], data)
        case("webp", f"{kind}, cut and sized", sized(data[:-20]), data)
        case("webp", f"{kind}, bytes behind the end", data + b"rubbish", data)
        case("webp", f"{kind}, unknown chunk", sized(data + b"abcd\4\0\0\0text"), data)
        case("webp", f"{kind}, size too large", data[:4] + struct.pack("<I", len(data)) + data[8:], data)
    made("convert", "-delay", "10", *(ppm(seed) for seed in (1, 2, 3)), "-define", "webp:lossless=true",
         folder / "moving.webp")
    moving = (folder / "moving.webp").read_bytes()
    case("webp", "of frames, sound", moving, moving)
    case("webp", "later frame cut", moving[:-20], sound)


def avifs():
    path = folder / "sound.avif"
    made("convert", ppm(), folder / "source.png")
    made("avifenc", "-s", "10", folder / "source.png", path)
    sound = path.read_bytes()
    case("avif", "sound", sound, sound)
    case("avif", "cut", sound[:-30], sound)
    case("avif", "cut by a byte", sound[:-1], sound)
    case("avif", "bytes behind the end", sound + b"\0\0\0\x0cfreetext", sound)
    case("avif", "rubbish behind the end", sound + b"rubbish", sound)


def bmps():
    row = (WIDTH * 3 + 3) // 4 * 4
    pixels = b"".join(
        b"".join(bytes(pixel(x, y, 1)) for x in range(WIDTH)).ljust(row, b"\0") for y in range(HEIGHT))
    info = struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    sound = b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + info + pixels

    def bmp(flaw, data):
        case("bmp", flaw, data, sound)

    bmp("sound", sound)
    bmp("cut", sound[: len(sound) // 2])
    bmp("cut by a byte", sound[:-1])
    bmp("wrong file size", sound[:2] + struct.pack("<I", 7) + sound[6:])
    bmp("file size of 0", sound[:2] + struct.pack("<I", 0) + sound[6:])
    bmp("image size of 0", sound[:34] + struct.pack("<I", 0) + sound[38:])
    bmp("bytes behind the end", sound + b"rubbish")
    bmp("two planes", sound[:26] + struct.pack("<H", 2) + sound[28:])
    return sound


def icos(bmp):
    pixels = b"".join(b"".join(bytes(pixel(x, y, 1)) for x in range(WIDTH)) for y in range(HEIGHT))
    info = struct.pack("<IiiHHIIiiII", 40, WIDTH, 2 * HEIGHT, 1, 24, 0, 0, 0, 0, 0, 0)
    mask = bytes((WIDTH + 31) // 32 * 4 * HEIGHT)
    png = SIGNATURE + HEADER + chunk(b"IDAT", deflated()) + END

    def ico(*images, kind=1, count=None):
        at, entries, data = 6 + 16 * len(images), b"", b""
        for image in images:
            entries += struct.pack("<BBBBHHII", WIDTH, HEIGHT, 0, 0, 1, 24, len(image), at + len(data))
            data += image
        return struct.pack("<HHH", 0, kind, len(images) if count is None else count) + entries + data

    bitmap = info + pixels + mask
    for name, image in (("bitmap", bitmap), ("png", png)):
        sound = ico(image)
        case("ico", f"{name}, sound", sound, sound)
        case("ico", f"{name}, cut", sound[: len(sound) // 2], sound)
        case("ico", f"{name}, cut by a byte", sound[:-1], sound)
        case("ico", f"{name}, bytes behind the end", sound + b"rubbish", sound)
        case("ico", f"{name}, one picture more than there is", ico(image, count=2), sound)
    sound = ico(bitmap)
    case("ico", "bitmap, no mask", ico(info + pixels), sound)
    case("ico", "bitmap, mask cut", ico(bitmap[:-8]), sound)
    case("ico", "png, wrong sum of IDAT", ico(SIGNATURE + HEADER + chunk(b"IDAT", deflated(), wrong=True) + END), ico(png))


def svgs():
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="32">'
    shapes = '<rect width="48" height="32" fill="#123456"/><circle cx="20" cy="16" r="9" fill="#fedcba"/>'
    sound = (head + shapes + "</svg>").encode()

    def svg(flaw, text):
        case("svg", flaw, text if isinstance(text, bytes) else text.encode(), sound)

    svg("sound", sound)
    svg("with a declaration", b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- c -->\n' + sound)
    svg("cut", sound[:-20])
    svg("no end tag", head + shapes)
    svg("end tags crossed", head + "<g><a>" + shapes + "</g></a></svg>")
    svg("text behind the root", sound + b"rubbish")
    svg("comment behind the root", sound + b"<!-- c -->")
    svg("a second root", sound + sound)
    svg("an attribute twice", head.replace(">", ' width="48">') + shapes + "</svg>")
    svg("an unknown entity", head + shapes + "&nothing;</svg>")
    svg("an entity", '<!DOCTYPE svg [<!ENTITY c "#123456">]>' + sound.decode().replace("#123456", "&c;"))
    svg("a bare ampersand", head + shapes + "<desc>a & b</desc></svg>")
    svg("a script", head + shapes + "<script>1</script></svg>")
    svg("no name space", (head + shapes + "</svg>").replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    svg("bytes that are no UTF-8", head.encode() + shapes.encode() + b"<desc>\xff</desc></svg>")
    svg("XML that is no SVG", "<html><body/></html>")
    svg("in UTF-16", ("\ufeff" + sound.decode()).encode("utf-16-le"))


def foreign():
    sound = SIGNATURE + HEADER + chunk(b"IDAT", deflated()) + END
    for name, data in (
        ("an empty file", b""), ("a login page", b"<!DOCTYPE html><html><body><img src='a.png'></body></html>"),
        ("JSON", b'{"error":"no"}'), ("XML", b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
        ("text", b"not here"), ("a page with an svg in it", b"<html><svg xmlns='http://www.w3.org/2000/svg'/></html>"),
    ):
        case("png", name, data, sound)


# Asking both -------------------------------------------------------------------------------------------------------------

PAGE = """<!doctype html><meta charset=utf-8><script>
async function hash(bytes) {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(sum.slice(0, 8), b => b.toString(16).padStart(2, '0')).join('');
}
async function drawn(source, width, height) {
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
  context.drawImage(source, 0, 0);
  return width + 'x' + height + ':' + await hash(context.getImageData(0, 0, width, height).data);
}
async function frames(data, type) {
  const decoder = new ImageDecoder({data, type, preferAnimation: true}), all = [];
  await decoder.completed;
  const count = decoder.tracks.selectedTrack.frameCount;
  for (let frameIndex = 0; frameIndex < count; frameIndex++) {
    const {image, complete} = await decoder.decode({frameIndex});
    if (!complete) throw Error('incomplete');
    all.push(await drawn(image, image.displayWidth, image.displayHeight));
    image.close();
  }
  return all;
}
// Some never answer.
function within(seconds, promise) {
  return Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(Error('no answer')), seconds * 1000))]);
}
async function shown(url) {
  const image = new Image();
  image.src = url;
  try { await within(3, image.decode()); } catch { return 'none'; }
  return await drawn(image, image.naturalWidth, image.naturalHeight);
}
(async () => {
  const answers = [];
  for (const {url, type} of await (await fetch('/cases')).json()) {
    const answer = {shown: await shown(url)};
    if (type !== 'image/svg+xml') {
      try { answer.frames = await within(3, frames(await (await fetch(url)).arrayBuffer(), type)); } catch (e) { answer.frames = [String(e)]; }
    }
    answers.push(answer);
  }
  await fetch('/answers', {method: 'POST', body: JSON.stringify(answers)});
})();
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answered = threading.Event()
    answers = []

    def log_message(self, *arguments):
        pass

    def answer(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/":
            return self.answer(PAGE.encode(), "text/html")
        if self.path == "/cases":
            listed = [{"url": f"/{way}/{at}", "type": one[1]} for at, one in enumerate(cases) for way in ("flawed", "sound")]
            return self.answer(json.dumps(listed).encode(), "application/json")
        parts = self.path.split("/")
        if len(parts) == 3 and parts[1] in ("flawed", "sound"):
            one = cases[int(parts[2])]
            return self.answer(one[2] if parts[1] == "flawed" else one[3], one[1])
        self.answer(b"", "text/plain")

    def do_POST(self):
        Handler.answers = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(b"", "text/plain")
        Handler.answered.set()


def ask_browser(port):
    browser = subprocess.Popen(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", f"--user-data-dir={folder}/profile", f"http://localhost:{port}/"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not Handler.answered.wait(300):
            sys.exit("the browser did not answer")
    finally:
        browser.terminate()
        browser.wait()
    return Handler.answers


def ask_imgfetch(port, *options):
    urls = "".join(f"http://127.0.0.1:{port}/flawed/{at}\n" for at in range(len(cases)))
    out = subprocess.run(
        [binary, "get", "--json", "--ordered", "--cache", "off", "--no-config", "-q", "-d", str(folder / "out"), "-i", "-", *options],
        input=urls.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.splitlines()][: len(cases)]


def main():
    pngs(), apngs(), gifs(), jpegs(), webps(), avifs(), icos(bmps()), svgs(), foreign()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    seen, rows, decoded = ask_browser(port), ask_imgfetch(port), ask_imgfetch(port, "--verify", "decode")
    wrong = 0
    for at, (name, *_) in enumerate(cases):
        flawed, sound = seen[2 * at], seen[2 * at + 1]
        # A picture that claims to be an animation and is not counts as a still one.
        is_same = flawed["shown"] == sound["shown"] and flawed["shown"] != "none"
        frames = flawed.get("frames"), sound.get("frames")
        is_whole = is_same and (frames[0] == frames[1] or not frames[0] or len(frames[1]) == 1)
        accepted = rows[at]["error"] is None
        why = ",".join(rows[at].get("flaws", [])) if accepted else rows[at]["error"]["message"].split(": ", 1)[-1]
        expected = next((reason for start, reason in EXPECTED.items() if name.startswith(start)), None)
        # The structure does not tell whether coded data are what they were. That is what decoding is for.
        if accepted and not is_whole and decoded[at]["error"]:
            expected = "refused by --verify decode"
        difference = "" if accepted == is_whole else "expected " if expected else "DIFFERENT "
        if difference == "DIFFERENT ":
            wrong += 1
        print(f"{difference}{name}: {'shown whole' if is_whole else 'not shown whole'}, "
              f"{'accepted' if accepted else 'refused'} ({why or 'whole'})" + (f": {expected}" if difference and expected else ""))
    print(f"{len(cases)} pictures, {wrong} differences that are not expected")
    sys.exit(1 if wrong else 0)


main()
