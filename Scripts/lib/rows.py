"""Many rows over many hosts, of which a part is bad, for the bench of data sets.

rows.py make FOLDER ROWS PORT     pictures, two tables (jpeg.csv, mixed.csv), what is true of each row, and nginx.conf
rows.py measure COMMAND...        seconds on the processors with all children (getrusage), and the most memory in MB
rows.py compare FOLDER TABLE OURS THEIRS [bytes]
                                  sums against what was served; rows against their lines by number, id and columns
"""

import csv
import ctypes
import glob
import hashlib
import io
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tarfile
import time
import zlib

HOSTS = 200
DEAD = 4
KINDS = ((0.040, "404"), (0.060, "page"), (0.082, "cut"))


def forms(number):
    """A picture as photographs are, smooth with detail, in each form that is served."""
    from PIL import Image

    small = Image.effect_noise((40, 30), 90).resize((640, 480), Image.BICUBIC)
    fine = Image.effect_noise((640, 480), 12)
    picture = Image.merge("RGB", (Image.blend(small, fine, 0.3), small, small.rotate(180)))
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0112] = "Maker", f"camera {number}", 1
    made = {}
    kinds = (("jpg", "JPEG", {}), ("exif", "JPEG", {"exif": exif}), ("png", "PNG", {}), ("webp", "WEBP", {}))
    for name, kind, more in kinds:
        out = io.BytesIO()
        picture.save(out, kind, **({} if kind == "PNG" else {"quality": 85}), **more)
        made[name] = out.getvalue()
    return made


def numbered(data, number):
    """The same picture as a file of its own: with a comment in it. WebP stays."""
    comment = f"row {number}".encode()
    if data.startswith(b"\xff\xd8"):
        at = 2
        while data[at + 1] in (0xE0, 0xE1):
            at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
        return data[:at] + b"\xff\xfe" + struct.pack(">H", 2 + len(comment)) + comment + data[at:]
    if data.startswith(b"\x89PNG"):
        body = b"tEXtComment\0" + comment
        return data[:33] + struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)) + data[33:]
    return data


def make(folder, rows, port):
    random.seed(7)
    os.makedirs(f"{folder}/served")
    pictures = [forms(number) for number in range(100)]
    tables, truth = {"jpeg": [], "mixed": []}, {"jpeg": [], "mixed": []}
    for row in range(rows):
        host = row % HOSTS
        chance = random.random()
        kind = "refused" if host >= HOSTS - DEAD else next((kind for most, kind in KINDS if chance < most), "ok")
        for table in tables:
            extension = {3: "png", 6: "webp"}.get(row % 10, "jpg") if table == "mixed" else "jpg"
            form = "exif" if row % 10 == 1 else extension
            data = numbered(pictures[row % len(pictures)][form], row)
            if kind == "page":
                data = f"<!doctype html><title>gone</title><p>row {row}".encode()
            if kind == "cut":
                data = data[: len(data) // 2]
            if kind in ("ok", "page", "cut"):
                with open(f"{folder}/served/{row}.{extension}", "wb") as out:
                    out.write(data)
            url = f"http://127.7.0.{host + 1}:{port}/{row}.{extension}"
            tables[table].append((url, f"caption {row}", f"id-{row}", row / 7))
            truth[table].append((kind, hashlib.sha256(data).hexdigest() if kind == "ok" else None))
    for table in tables:
        with open(f"{folder}/{table}.csv", "w", newline="") as out:
            csv.writer(out).writerows([("url", "caption", "id", "score"), *tables[table]])
        with open(f"{folder}/{table}.truth", "w") as out:
            json.dump(truth[table], out)
    listens = " ".join(f"listen 127.7.0.{host + 1}:{port};" for host in range(HOSTS - DEAD))
    with open(f"{folder}/nginx.conf", "w") as out:
        out.write(
            f"""{'user root root;' if os.geteuid() == 0 else ''} worker_processes 1; daemon off; pid {folder}/pid;
error_log {folder}/errors; events {{ worker_connections 4096; }}
http {{ access_log off; types {{ image/jpeg jpg; image/png png; image/webp webp; }} keepalive_requests 1000000;
sendfile on; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5; server {{ {listens} root {folder}/served; }} }}
"""
        )
    print({kind: sum(what == kind for what, _ in truth["jpeg"]) for kind in ("ok", "404", "page", "cut", "refused")})


def memory():
    """The memory of all processes below this one, in KiB. What they share counts once."""
    parents, total = {}, 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as stat:
                parents[int(process)] = int(stat.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    for process in parents:
        at = process
        while at != os.getpid() and at in parents:
            at = parents[at]
        if at == os.getpid() and process != at:
            try:
                with open(f"/proc/{process}/smaps_rollup") as lines:
                    total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            except (OSError, StopIteration):
                pass
    return total


def measure(command):
    # PR_SET_CHILD_SUBREAPER: processes that are left behind count, too.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    # A library of img2dataset looks for a newer version of itself.
    environment = dict(os.environ, NO_ALBUMENTATIONS_UPDATE="1")
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    most = 0
    while running.poll() is None:
        most = max(most, memory())
        time.sleep(0.2)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(round(used.ru_utime + used.ru_stime, 2), round(most / 1024, 1))
    sys.exit(running.returncode)


def samples(folder):
    """Each sample's row and the sum of its image, and the rows of lines that failed."""
    for shard in sorted(glob.glob(f"{folder}/*.tar")):
        with tarfile.open(shard) as tar:
            image = None
            for member in tar:
                content = tar.extractfile(member).read()
                if member.name == "__imgfetch__/failed":
                    for line in content.splitlines():
                        yield json.loads(line), None
                elif member.name.startswith("__"):
                    continue
                elif member.name.endswith(".json"):
                    yield json.loads(content), image
                elif not member.name.endswith(".txt"):
                    image = hashlib.sha256(content).hexdigest()


def compare(folder, table, ours, theirs, sums):
    with open(f"{folder}/{table}.truth") as file:
        truth = json.load(file)
    with open(f"{folder}/{table}.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    rows, images = set(), set()
    for row, image in samples(ours):
        number = int(row["record"])
        assert number not in rows, f"record {number} is there twice"
        rows.add(number)
        line = lines[number]
        told = (row["url"], row["caption"], row["id"], row["columns"]["score"])
        assert told == (line["url"], line["caption"], line["id"], line["score"]), row
        if image:
            images.add(number)
            assert not sums or image == truth[number][1], row
    assert rows == set(range(len(lines))), "lines have no row"
    wanted = {number for number, (kind, _) in enumerate(truth) if kind == "ok"}
    assert images == wanted, f"{len(wanted - images)} images are missing, and {len(images - wanted)} are none"
    places = {line["url"]: number for number, line in enumerate(lines)}
    kinds = {}
    for row, image in samples(theirs):
        kind, digest = truth[places[row["url"]]]
        kinds[kind] = kinds.get(kind, 0) + 1
        assert not sums or kind != "ok" or image == digest, row
    print(f"{table}: {len(images)} images and {len(rows)} rows are right; img2dataset has {kinds}")


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "make":
        make(words[0], int(words[1]), words[2])
    elif what == "measure":
        measure(words)
    else:
        compare(*words[:4], "bytes" in words[4:])
