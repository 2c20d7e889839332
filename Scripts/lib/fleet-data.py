#!/usr/bin/env python3
"""What Scripts/test-fleet fetches, and how it compares.

fleet-data.py make FOLDER PORT LINES        pictures, an nginx configuration and the list (lines and JSON Lines) in FOLDER
fleet-data.py compare FOLDER SHARDS...      whether sets of shards have each line of the list once, and the bytes that were served
"""
import glob
import hashlib
import json
import os
import sys
import tarfile

PICTURES = 500


def make(folder, port, lines):
    from PIL import Image

    os.makedirs(f"{folder}/served", exist_ok=True)
    plain = f"{folder}/served/plain"
    Image.effect_noise((160, 120), 60).convert("RGB").save(plain, "JPEG")
    jpeg = open(plain, "rb").read()
    for picture in range(PICTURES):
        # A comment behind the first mark makes each file another one.
        text = f"picture {picture}".encode()
        comment = b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text
        with open(f"{folder}/served/{picture}.jpg", "wb") as out:
            out.write(jpeg[:2] + comment + jpeg[2:])
    with open(f"{folder}/served/page.jpg", "w") as out:
        out.write("<!doctype html><title>This is no image</title>")
    # For a shard of more than 64 MiB, of few pictures.
    padding = (b"\xff\xfe\xff\xff" + bytes(range(250)) * 263)[: 2 + 0xFFFF] * 192
    with open(f"{folder}/large.txt", "w") as out:
        for picture in range(6):
            with open(f"{folder}/served/large{picture}.jpg", "wb") as file:
                file.write(jpeg[:2] + padding + jpeg[2:] + b"%d" % picture)
            out.write(f"http://127.0.0.2:{port}/large{picture}.jpg\n")
    with open(f"{folder}/nginx.conf", "w") as out:
        out.write(f"""{'user root root;' if os.geteuid() == 0 else ''}
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 2048; }}
http {{
  log_format fleet '$msec $request_time $host $uri'; access_log {folder}/access fleet;
  keepalive_requests 1000000; types {{ image/jpeg jpg; }}
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.2:{port}; listen 127.0.0.3:{port}; listen 127.0.0.4:{port};
           listen 127.0.0.5:{port}; root {folder}/served; }}
}}
""")
    with open(f"{folder}/list.jsonl", "w") as out:
        for line in range(lines):
            host, path = f"127.0.0.{2 + line % 4}", f"{line * 7 % PICTURES}.jpg"
            if line % 50 == 11:
                host = "127.0.0.9"  # nothing listens there
            if line % 50 == 12:
                path = "page.jpg"
            if line % 50 == 13:
                path = f"missing{line}.jpg"
            row = {"id": f"line {line}", "url": f"http://{host}:{port}/{path}", "caption": f"\u2603 {line}\t\"x\"\n", "n": line}
            out.write(json.dumps(row) + "\n")


def compare(folder, shards):
    wanted = {}
    for line in open(f"{folder}/list.jsonl"):
        row = json.loads(line)
        wanted[row["id"]] = row
    seen = set()
    images = 0
    served = {}
    for path in shards:
        with tarfile.open(path) as tar:
            members = {member.name: member for member in tar.getmembers()}
            read = lambda name: tar.extractfile(members[name]).read()
            rows = [json.loads(read(name)) for name in members if name.endswith(".json") and not name.startswith("__")]
            rows += [json.loads(line) for line in read("__imgfetch__/failed").splitlines()]
            for row in rows:
                line = wanted[row["id"]]
                assert row["id"] not in seen, f"{row['id']} is in two rows"
                seen.add(row["id"])
                assert row["url"] == line["url"] and row["caption"] == line["caption"] and row["columns"] == {"n": line["n"]}, row
                kind = (row.get("error") or {}).get("kind")
                name = line["url"].rsplit("/", 1)[1]
                expected = "connect" if "127.0.0.9" in line["url"] else "not-image" if name == "page.jpg" else "http" if name.startswith("missing") else None
                assert kind == expected, row
                if kind is None:
                    body = read(row["record"] + ".jpg")
                    if name not in served:
                        served[name] = hashlib.sha256(open(f"{folder}/served/{name}", "rb").read()).digest()
                    assert hashlib.sha256(body).digest() == served[name], row
                    assert read(row["record"] + ".txt").decode() == line["caption"]
                    images += 1
    assert len(seen) == len(wanted), f"{len(seen)} rows for {len(wanted)} lines"
    print(f"{len(seen)} lines, each in one row; {images} images, every byte as it was served")


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    compare(sys.argv[2], [path for given in sys.argv[3:] for path in sorted(glob.glob(given, recursive=True))])
