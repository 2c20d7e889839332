"""server.py IMGFETCH SERVER TOOL FOLDER IMAGES: times the answers of three thumbnail servers that take turns, and prints
`PEER RATIO MOST` lines: the median of the library's server to that of the peer, and what is allowed.

The pictures are JPEGs of 640 x 480. Each server has had all of them before; Pillow's reads them from files."""
import concurrent.futures, functools, http.server, io, os, pathlib, random, socket, statistics, subprocess, sys, threading, time

from PIL import Image

imgfetch, server, tool, folder, count = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]), int(sys.argv[5])
SIDE = 256


def free_port():
    return int(subprocess.run([tool, "port"], capture_output=True, check=True).stdout)


def thumbnail(path):
    image = Image.open(path)
    image.draft("RGB", (SIDE, SIDE))
    image.thumbnail((SIDE, SIDE))
    made = io.BytesIO()
    image.save(made, "JPEG", quality=85)
    return made.getvalue()


class Pooled(http.server.BaseHTTPRequestHandler):
    """Makes thumbnails in a pool of processes."""

    def do_GET(self):
        body = pool.submit(thumbnail, f"{folder}/images/{self.path.rsplit('/', 1)[1]}").result()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Origin(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def ask(port, name):
    """How long an answer takes, from the connection to its last byte."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET /{SIDE}x{SIDE}/http://127.0.0.1:{origin}/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
    took = time.perf_counter() - began
    if b" 200 " not in answer[:40] or b"\xff\xd8" not in answer:
        sys.exit(f"{name}: {answer[:200]!r}")
    return took


def listening(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return port
        except OSError:
            time.sleep(0.01)
    sys.exit("a server does not listen")


(folder / "images").mkdir()
random.seed(1)
names = [f"{number}.jpg" for number in range(count)]
for name in names:
    small = Image.effect_noise((40, 30), 90).resize((640, 480), Image.BICUBIC)
    Image.merge("RGB", (small, small.rotate(180), Image.effect_noise((640, 480), 30))).save(folder / "images" / name, quality=85)

pool = concurrent.futures.ProcessPoolExecutor()
list(pool.map(thumbnail, [f"{folder}/images/{name}" for name in names]))
serving = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Origin, directory=f"{folder}/images"))
pooled = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pooled)
origin = serving.server_address[1]
for each in (serving, pooled):
    threading.Thread(target=each.serve_forever, daemon=True).start()
started = []
try:
    ports = {"pillow": pooled.server_address[1]}
    for kind, more in (("library", []), ("shell", [imgfetch])):
        port = free_port()
        started.append(subprocess.Popen([server, str(port), f"{folder}/cache-{kind}", *more]))
        ports[kind] = listening(port)
    times = {kind: [] for kind in ports}
    for name in names:
        for port in ports.values():
            ask(port, name)
    for _ in range(5):
        for name in names:
            for kind, port in ports.items():
                times[kind].append(ask(port, name))
finally:
    for process in started:
        process.kill()
        process.wait()
medians = {kind: statistics.median(each) for kind, each in times.items()}
print("imgfetch-started-for-each", medians["library"] / medians["shell"], 0.3)
print("Pillow-in-processes", medians["library"] / medians["pillow"], 1)
print({kind: f"{1000 * each:.2f} ms" for kind, each in medians.items()}, file=sys.stderr)
pool.shutdown()
