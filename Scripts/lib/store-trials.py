#!/usr/bin/env python3
"""What imgfetch promises of places, against a store that runs for real. Started by Scripts/test-fleet, whose pictures nginx serves.

store-trials.py PROGRAM FOLDER ORIGIN (web URL STORE-FOLDER [NAME:PASSWORD] | bucket NAME) [--races] [--server PID]
                [--log FILE]...

--races: the store may let two writers of one moment both win, so that is only counted. --server: the process that the last trial ends, in the
middle of a run. --log: a file in which no secret may stand.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stores import Bucket, Web

PICTURES = 300
PER_SHARD = 50
SHARDS = [f"{number:05}.tar" for number in range(PICTURES // PER_SHARD)]
# Each round, two processes write six shards at the same time.
ROUNDS = int(os.environ.get("TEST_RACES", "10"))
# Every character that an operand may have, and names that other clients normalize, encode twice or not at all.
KEYS = [f"a{chr(code)}b.jpg" for code in range(0x20, 0x7F)] + [
    "\u00fc/\u20ac/\U0001f600.jpg", "a%20b%2F%zz.jpg", "what?versionId=1&x=#top.jpg", "deep/er//twice.jpg", "+.jpg",
    "~(1)'!*;:@&=+$,.jpg", "e\u0301.jpg",
]
WRONG = "wrongWRONGwrong0123456789"


class Trials:
    def __init__(self, options, store):
        self.program, self.work, self.origin = options.program, options.folder, options.origin
        self.store, self.options = store, options
        self.is_bucket = isinstance(store, Bucket)
        self.home = f"{self.work}/stores/{store.name if self.is_bucket else 'web'}-{time.time_ns()}"
        os.makedirs(self.home)
        self.list = f"{self.home}/list.txt"
        self.urls = [f"{self.origin}/{picture}.jpg" for picture in range(PICTURES)]
        self.secrets = [os.environ.get("AWS_SECRET_ACCESS_KEY"), os.environ.get("AWS_SESSION_TOKEN"), WRONG]
        if not self.is_bucket and store.account:
            self.secrets.append(store.account.split(":")[1])
        with open(self.list, "w") as out:
            out.write("".join(f"{url}\n" for url in self.urls))

    def start(self, *arguments, environment=None):
        return subprocess.Popen(
            [self.program, *arguments], cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "HOME": self.home, **(environment or {})})

    def end(self, process, code=0):
        """Its rows, without the summary, and what it says; fails if it ends in another way, or shows a secret."""
        out, errors = (text.decode() for text in process.communicate())
        assert process.returncode == code, (process.args, process.returncode, out[-2000:], errors)
        for secret in filter(None, self.secrets):
            assert secret not in out and secret not in errors, (process.args, "shows a secret")
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return [row for row in rows if "url" in row or "shard" in row], errors

    def run(self, *arguments, code=0, environment=None):
        return self.end(self.start(*arguments, environment=environment), code)

    def requests(self):
        with open(f"{self.work}/access") as log:
            return sum(1 for _ in log)

    def served(self, name):
        with open(f"{self.work}/served/{name}", "rb") as file:
            return file.read()

    def has_served(self, folder):
        for picture in range(PICTURES):
            with open(f"{self.home}/{folder}/{picture}.jpg", "rb") as file:
                assert file.read() == self.served(f"{picture}.jpg"), (folder, picture)

    def with_clients(self, action, keys):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return list(pool.map(action, keys))

    # A slow store is not what is tried here: nothing is cut short.
    PATIENT = ("--remote-cache-wait", "300s", "--remote-cache-timeout", "60s")

    def test_cache(self):
        # A web server's folder of the URL itself is the user's to make.
        if not self.is_bucket:
            self.store.make_folder("cache")
        counts = []
        for name, word in (("a", "none"), ("b", "remote")):
            before = self.requests()
            rows, errors = self.run(
                "get", "--json", "-i", self.list, "-d", f"out-{name}", "--cache-dir", f"cache-{name}",
                "--remote-cache", self.store.place("cache"), *self.PATIENT)
            assert {row["cache"] for row in rows} == {word} and len(rows) == PICTURES and errors == "", (rows[0], errors)
            self.has_served(f"out-{name}")
            counts.append(self.requests() - before)
        assert counts == [PICTURES, 0], counts
        assert len(self.store.keys("cache")) == PICTURES, len(self.store.keys("cache"))
        print(f"remote cache: {PICTURES} images, {counts[0]} requests by the first machine, {counts[1]} by the second, all rows remote")

    def test_list(self):
        with open(self.list, "rb") as file:
            self.store.write("lists/list.txt", file.read())
        rows, errors = self.run("get", "--json", "--cache", "off", "-i", self.store.place("lists/list.txt"), "-d", "from-list")
        assert sorted(row["url"] for row in rows) == sorted(self.urls) and errors == "", errors
        self.has_served("from-list")
        print(f"list: {len(rows)} lines read from there, every image as it was served")

    def test_keys(self):
        def write(number):
            self.store.write(f"keys/{KEYS[number]}", self.served(f"{number}.jpg"))

        self.with_clients(write, range(len(KEYS)))
        places = [self.store.place(f"keys/{key}") for key in KEYS]
        rows, errors = self.run("get", "--json", "--cache", "off", "-d", "keys", "--name", "{index}.{ext}", *places)
        assert len(rows) == len(KEYS) and {row["status"] for row in rows} == {200} and errors == "", errors
        for row in rows:
            number = places.index(row["url"])
            with open(f"{row['output']}" if row["output"].startswith("/") else f"{self.home}/{row['output']}", "rb") as file:
                assert file.read() == self.served(f"{number}.jpg"), row
        print(f"images s3://BUCKET/KEY: {len(KEYS)} keys, every printable character of ASCII among them")

    def pack(self, place, more=(), per_shard=PER_SHARD, urls=None):
        return self.start("pack", "--json", "-i", urls or self.list, "-d", place, "--per-shard", str(per_shard), "--cache", "off", *more)

    def is_set(self, prefix, folder="set", shards=SHARDS):
        assert self.store.keys(prefix) == [f"{prefix}/{shard}" for shard in shards], self.store.keys(prefix)
        for shard, data in zip(shards, self.with_clients(self.store.read, [f"{prefix}/{shard}" for shard in shards])):
            with open(f"{self.home}/{folder}/{shard}", "rb") as file:
                assert file.read() == data, (prefix, shard)

    def test_pack(self):
        self.end(self.pack("set"))
        prefix = "sets/a b+c%d\u00fc~" if self.is_bucket else "sets/a b+c~"
        rows, errors = self.end(self.pack(self.store.place(prefix)))
        assert [row["outcome"] for row in rows] == ["made"] * len(SHARDS) and errors == "", (rows, errors)
        self.is_set(prefix)
        assert self.store.type(f"{prefix}/{SHARDS[0]}") == "application/x-tar"
        before, stand = self.requests(), [self.store.stands(f"{prefix}/{shard}") for shard in SHARDS]
        rows, errors = self.end(self.pack(self.store.place(prefix)))
        assert [row["outcome"] for row in rows] == ["kept"] * len(SHARDS) and errors == "", (rows, errors)
        rows, errors = self.run("pack", "--again", "--json", "-d", self.store.place(prefix))
        assert not [row for row in rows if row.get("outcome") == "made"] and errors == "", (rows, errors)
        assert stand == [self.store.stands(f"{prefix}/{shard}") for shard in SHARDS] and self.requests() == before
        self.is_set(prefix)
        print(f"pack -d: {len(SHARDS)} shards with the bytes of a folder's; a second run and --again make nothing and ask no origin")

    def test_races(self):
        twice = 0
        for number in range(ROUNDS):
            prefix = f"races/{number}"
            rows = []
            for process in [self.pack(self.store.place(prefix)) for _ in range(2)]:
                rows += self.end(process)[0]
            self.is_set(prefix)
            made = [row["shard"] for row in rows if row["outcome"] == "made"]
            assert set(made) == {shard[:5] for shard in SHARDS} and len(rows) == 2 * len(SHARDS), rows
            twice += len(made) - len(SHARDS)
        assert twice == 0 or self.options.races, f"{twice} shards were made by both"
        print(f"pack -d, two at once, {ROUNDS} rounds: each of {ROUNDS * len(SHARDS)} shards whole and right; {twice} reported as made by both")

    def test_get(self):
        both = [self.start("get", "--json", "--cache", "off", "-i", self.list, "-d", self.store.place("pictures")) for _ in range(2)]
        for rows, _ in [self.end(process) for process in both]:
            assert len(rows) == PICTURES, len(rows)
        keys = [f"pictures/{picture}.jpg" for picture in range(PICTURES)]
        assert self.store.keys("pictures") == sorted(keys), self.store.keys("pictures")
        for picture, data in enumerate(self.with_clients(self.store.read, keys)):
            assert data == self.served(f"{picture}.jpg"), picture
        assert self.store.type(keys[0]) == "image/jpeg"
        stand = self.with_clients(self.store.stands, keys)
        _, errors = self.run("get", "-q", "--cache", "off", "-i", self.list, "-d", self.store.place("pictures"))
        assert errors == "" and self.with_clients(self.store.stands, keys) == stand, errors
        print(f"get -d, two at once: {PICTURES} objects, each once and with its type; a third run writes none of them again")

    def test_large(self):
        with open(f"{self.work}/large.txt") as file:
            count = len(file.readlines())
        shards = ["00000.tar"]
        self.end(self.pack("large", per_shard=count, urls=f"{self.work}/large.txt"))
        size = os.path.getsize(f"{self.home}/large/00000.tar")
        assert size > 64 << 20, size
        both = [self.pack(self.store.place("large"), per_shard=count, urls=f"{self.work}/large.txt") for _ in range(2)]
        outcomes = sorted(row["outcome"] for rows, _ in [self.end(process) for process in both] for row in rows)
        self.is_set("large", "large", shards)
        assert outcomes in (["kept", "made"], ["lost", "made"]) or self.options.races and outcomes == ["made", "made"], outcomes
        print(f"pack -d of one shard of {size >> 20} MiB, two at once: {' and '.join(outcomes)}, every byte as in a folder")

    def test_account(self):
        """With a wrong key, session token or password: the exit code, one message, no secret, and nothing written."""
        if self.is_bucket:
            for secret in ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
                if secret in os.environ:
                    self.is_refused(f"a wrong {secret}", self.store.place, {secret: WRONG})
        elif self.store.account:
            self.is_refused("a wrong password", lambda key: self.store.place(key, f"{self.store.account.split(':')[0]}:{WRONG}"), {})

    def is_refused(self, how, place, environment):
        for what, arguments, code in [
            ("-i", ["get", "-i", place("lists/list.txt"), "-d", "wrong"], 4),
            ("pack -d", ["pack", "-i", self.list, "-d", place("wrong"), "--cache", "off"], 4),
            ("get -d", ["get", self.urls[0], "-d", place("wrong"), "--cache", "off"], 4),
            ("--remote-cache", ["get", self.urls[0], "-d", "wrong", "--cache-dir", f"wrong-cache-{time.time_ns()}", "--remote-cache", place("wrong")], 0),
        ]:
            _, errors = self.run(*arguments, code=code, environment=environment)
            print(f"{how}, {what}: exit code {code}: {errors.strip()}")
            assert len(errors.splitlines()) == 1 and any(word in errors for word in ("401", "403", "InvalidToken", "session token")), errors
        assert self.store.keys("wrong") == []

    def await_end(self):
        address = urllib.parse.urlsplit(os.environ["AWS_ENDPOINT_URL"] if self.is_bucket else self.store.url)
        for _ in range(600):
            try:
                socket.create_connection((address.hostname, address.port)).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.1)
        raise AssertionError("the store still listens")

    def test_death(self):
        """The store ends while a run waits for lines, then is not there at all: one warning each, and the rest from the origin."""
        if self.options.server is None:
            return
        cached = ("--remote-cache", self.store.place("cache"))
        process = subprocess.Popen(
            [self.program, "get", "--json", "-i", "-", "-d", "out-c", "--cache-dir", "cache-c", *cached], cwd=self.home,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "HOME": self.home})
        half = PICTURES // 2
        process.stdin.write("".join(f"{url}\n" for url in self.urls[:half]).encode())
        process.stdin.flush()
        rows = [json.loads(process.stdout.readline()) for _ in range(half)]
        assert {row["cache"] for row in rows} == {"remote"}, rows[0]
        os.kill(self.options.server, signal.SIGTERM)
        self.await_end()
        # The pipe is empty here: a row for each line so far has been read.
        process.stdin.write("".join(f"{url}\n" for url in self.urls[half:]).encode())
        process.stdin.close()
        process.stdin = None
        more, errors = self.end(process)
        assert {row["cache"] for row in more} == {"none"} and len(more) == PICTURES - half, (len(more), more[0])
        self.has_served("out-c")
        warnings = [errors, self.run("get", "--json", "-i", self.list, "-d", "out-d", "--cache-dir", "cache-d", *cached)[1]]
        self.has_served("out-d")
        for text in warnings:
            print(f"a store that ends: {text.strip()}")
            assert len(text.splitlines()) == 1, text

    def test_logs(self):
        for path in self.options.log:
            with open(path, errors="replace") as file:
                text = file.read()
            for secret in filter(None, self.secrets):
                assert secret not in text, (path, "has a secret")
        print(f"no secret in what imgfetch prints, nor in {len(self.options.log)} logs of the store")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("origin")
    parser.add_argument("store", nargs="+")
    parser.add_argument("--races", action="store_true")
    parser.add_argument("--server", type=int)
    parser.add_argument("--log", action="append", default=[])
    options = parser.parse_args()
    kind, *store = options.store
    trials = Trials(options, Bucket(*store) if kind == "bucket" else Web(*store))
    for name in ["cache", "list", "keys", "pack", "races", "get", "large", "account", "death", "logs"]:
        if name == "keys" and not trials.is_bucket:
            continue
        getattr(trials, f"test_{name}")()


main()
