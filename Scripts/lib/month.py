"""A month of cron: 30 runs over 3,000 URLs of which a tenth changes, vanishes, returns or moves each night. Every third run is killed, hung
up, or meets a full disk.

  month.py BINARY FOLDER [NIGHTS [SEED]]: FOLDER is on a disk of its own that may be filled.

After each undisturbed run the folder is what the server has (what vanished stands as it was), nothing of 50 files of the user's own was
touched, and the mail (all that cron would send) names the news and nothing else; that of a quiet night is empty.
"""

import errno
import json
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URLS = 3000
OWN_FILES = 50


def picture(seed):
    """A small PNG that no other seed has."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    random_bytes = random.Random(seed).randbytes(8 * 25)
    rows = b"".join(b"\0" + random_bytes[25 * row : 25 * row + 24] for row in range(8))
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


class Site:
    """The server's pictures: by path, bytes or None (vanished) or another path (moved)."""

    def __init__(self):
        self.pictures = {f"/{number % 7}/{number}.png": picture(f"first {number}") for number in range(URLS)}
        self.asked = 0
        self.at_request = None
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                site.asked += 1
                if site.at_request:
                    site.at_request(site.asked)
                found = site.pictures.get(self.path)
                if isinstance(found, str):
                    return self.answer(301, b"", Location=found)
                if found is None:
                    return self.answer(404, b"gone")
                tag = f'"{zlib.crc32(found):08x}"'
                if self.headers.get("If-None-Match") == tag:
                    self.send_response(304)
                    self.send_header("ETag", tag)
                    return self.end_headers()
                return self.answer(200, found, ETag=tag)

            def answer(self, status, body, **fields):
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A run that is killed leaves its connections as they are.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.urls = [self.origin + path for path in self.pictures]

    def now(self, url):
        """What a URL has; None: it has vanished."""
        found = self.pictures[url[len(self.origin) :]]
        return self.pictures[found] if isinstance(found, str) else found

    def urls_in(self, line):
        return [word.rstrip(":,") for word in line.split() if word.startswith(self.origin)]

    def change(self, night, chance):
        """A tenth changes, vanishes, returns or moves."""
        for url in chance.sample(self.urls, URLS // 10):
            path = url[len(self.origin) :]
            if self.now(url) is None:
                self.pictures[path] = picture(f"back {path} {night}" if chance.random() < 0.5 else f"first {path}")
                continue
            what = chance.choice(["change", "vanish", "move", "move on"])
            if what == "change":
                self.pictures[path] = picture(f"{path} {night}")
            elif what == "vanish":
                self.pictures[path] = None
            else:
                new = f"/moved/{night}{path}"
                self.pictures[new] = self.now(url) if what == "move" else picture(f"{path} {night}")
                self.pictures[path] = new


class Month:
    def __init__(self, binary, folder, seed):
        self.binary, self.folder, self.chance = binary, folder, random.Random(seed)
        self.site = Site()
        os.makedirs(f"{folder}/pictures")
        self.own = {}
        for number in range(OWN_FILES):
            # Some have the very names that images want.
            name = f"{number * 60}.png" if number % 2 else f"diary {number}.txt"
            path = f"{folder}/pictures/{name}"
            with open(path, "wb") as file:
                file.write(picture(f"own {number}") if number % 2 else b"mine\n" * number)
            self.own[path] = self.identity(path)
        with open(f"{folder}/list.txt", "w") as file:
            file.writelines(url + "\n" for url in self.site.urls)
        # Of each URL its file, and what that has.
        self.files = {}
        # The vanished ones that a mail has named, and those of which a disturbed night leaves it open.
        self.told, self.doubtful = set(), set()
        self.flaws = []

    def identity(self, path):
        status = os.stat(path)
        with open(path, "rb") as file:
            return status.st_ino, status.st_mtime_ns, file.read()

    def flaw(self, night, text):
        self.flaws.append(f"night {night}: {text}")
        print(f"FAILED  night {night}: {text}", flush=True)

    def run(self, disturbance):
        """Runs the line; the answer is its exit code, and its mail: rows and messages."""
        words = [self.binary, "get", "--print", "new", "--cache", "refresh", "-d", "pictures", "-i", "list.txt"]
        words += ["--failed-list", "again.txt", "--report", "rows.jsonl"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8", "TMPDIR": self.folder}
        filler = f"{self.folder}/filler"
        if disturbance == "full":
            with open(filler, "wb") as file:
                try:
                    while True:
                        os.write(file.fileno(), b"x" * 65536)
                except OSError as error:
                    assert error.errno == errno.ENOSPC
        process = subprocess.Popen(
            words, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if disturbance in ("kill", "hang up"):
            number = signal.SIGKILL if disturbance == "kill" else signal.SIGHUP
            moment = self.site.asked + self.chance.randrange(URLS // 10, URLS * 9 // 10)
            self.site.at_request = lambda count: count == moment and process.send_signal(number)
        rows, messages = process.communicate()
        self.site.at_request = None
        if disturbance == "full":
            os.remove(filler)
        return process.returncode, rows.splitlines(), messages.splitlines()

    def held(self):
        held = {}
        for url, path in self.files.items():
            with open(f"{self.folder}/{path}", "rb") as file:
                held[url] = file.read()
        return held

    def remembered(self):
        """The URLs of the list of failures that the next run reads."""
        if not os.path.exists(f"{self.folder}/again.txt"):
            return set()
        with open(f"{self.folder}/again.txt") as lines:
            return {line.split("\t")[0] for line in lines if "\twas=" in line}

    def read_report(self):
        with open(f"{self.folder}/rows.jsonl") as report:
            for line in report:
                row = json.loads(line)
                if row.get("output"):
                    self.files[row["url"]] = row["output"]

    def night(self, night, disturbance, is_quiet):
        before = self.held()
        code, rows, messages = self.run(disturbance)
        for path, identity in self.own.items():
            if not os.path.exists(path) or self.identity(path) != identity:
                self.flaw(night, f"{path} of the user's own was touched")
        expected = {None: (0, 4), "kill": (-9,), "hang up": (129,), "full": (7, 1)}[disturbance]
        if code not in expected:
            self.flaw(night, f"{disturbance}: exit code {code}: {messages[-9:]}")
        gone = {url for url in self.site.urls if self.site.now(url) is None}
        lines = [line for line in messages if line.startswith("imgfetch: ")]
        named = [url for line in lines for url in self.site.urls_in(line)]
        if disturbance:
            # Whether the run saw that one was there again is not known.
            self.doubtful |= self.told - gone
            self.told |= set(named) & gone
            # A run that was killed, or whose disk is full, could not write them down: the next one may name them again.
            self.doubtful |= (set(named) & gone) - self.remembered()
            return
        self.read_report()
        after = self.held()
        news = {url for url in after if after[url] != before.get(url)}
        for url in self.site.urls:
            now = self.site.now(url)
            if now is not None and after.get(url) != now:
                self.flaw(night, f"{url}: the folder has not what the server has")
            if now is None and after.get(url) != before.get(url):
                self.flaw(night, f"{url}: it vanished, and its file was touched")
        rows_of = [row.split("\t")[6] for row in rows]
        if len(rows_of) != len(set(rows_of)) or set(rows_of) != news:
            self.flaw(night, f"the mail has {len(rows_of)} rows for {len(news)} new files")
        new_gone = gone - self.told
        wrong = (set(named) ^ new_gone) - (self.doubtful & gone)
        if wrong or len(named) != len(set(named)):
            self.flaw(night, f"the mail names {len(named)} failures, and {len(new_gone)} are new: {lines[:3]}")
        if is_quiet and (rows or messages):
            self.flaw(night, f"the mail of a quiet night has {(rows + messages)[:9]}")
        self.told, self.doubtful = gone, set()
        print(f"ok  night {night}: {len(news)} new, {len(new_gone)} newly gone, {len(gone)} gone", flush=True)

    def play(self, nights):
        disturbances = ["kill", "hang up", "full"]
        was_disturbed = True
        for night in range(1, nights + 1):
            is_changed = night % 6 != 5
            if is_changed and night > 1:
                self.site.change(night, self.chance)
            disturbance = disturbances[night // 3 % 3] if night % 3 == 0 else None
            self.night(night, disturbance, is_quiet=not is_changed and not was_disturbed)
            was_disturbed = disturbance is not None
        return self.flaws


if __name__ == "__main__":
    nights = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    flaws = Month(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), seed).play(nights)
    print(f"{len(flaws)} flaws in {nights} nights; seed {seed}")
    sys.exit(1 if flaws else 0)
