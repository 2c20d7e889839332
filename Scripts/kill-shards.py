#!/usr/bin/env python3
"""Kills attempts at the same shards at random moments, and checks what comes of them.

Two processes at a time make the same 50 shards in one folder; one of them is killed (SIGKILL) and begun anew, until so many were. Then
every shard must be there and have the bytes of an undisturbed run, both processes must end with 0 and have told every row, and the next
attempt must leave no temporary file. The moments come from the seed that is printed.

usage: kill-shards.py PROGRAM URL [--kills N] [--seed N]     URL/0.jpg to URL/19.jpg are images, URL/20.jpg to URL/24.jpg are not there
"""
import argparse, json, os, random, shutil, signal, subprocess, sys, tempfile, time

SHARDS, LINES, PER_ROUND = 50, 20, 10
options = argparse.ArgumentParser(usage=__doc__)
options.add_argument("program")
options.add_argument("url")
options.add_argument("--kills", type=int, default=1000)
options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
options = options.parse_args()
moments = random.Random(options.seed)
print(f"seed {options.seed}", flush=True)
work = tempfile.mkdtemp(prefix="imgfetch-kills-")
names = [f"{number:05}.tar" for number in range(SHARDS)]
total = SHARDS * LINES


def start(folder, which):
    """An attempt; one of two uses a cache, so that neither what is kept nor what is fetched anew decides the bytes."""
    cache = ["--cache-dir", f"{work}/cache"] if which else ["--cache", "off"]
    return subprocess.Popen(
        [options.program, "pack", "--no-config", "-i", f"{work}/list", "-d", folder, "--per-shard", str(LINES), "--json", *cache],
        stdout=open(f"{folder}.{which}", "w"), stderr=open(f"{folder}.{which}.errors", "w"))


def check(truth, sentence):
    if not truth:
        sys.exit(f"FAILED (--seed {options.seed}, {work}): {sentence}")


def ended(folder, which, process):
    code = process.wait()
    check(code == 0, f"an attempt ended with {code}: " + open(f"{folder}.{which}.errors").read())
    *shards, last = map(json.loads, open(f"{folder}.{which}"))
    check(last["summary"]["complete"] and len(shards) == SHARDS, f"an attempt told {len(shards)} shards")
    check(sum(shard["rows"] for shard in shards) == total, "an attempt told other rows than the lines")
    return shards


def contents(folder):
    return {name: open(f"{folder}/{name}", "rb").read() for name in sorted(os.listdir(folder))}


def one_round(folder, kills):
    """Kills so many, or as many as there is time for. How many, and how many races were lost."""
    os.mkdir(folder)
    running = [start(folder, which) for which in (0, 1)]
    killed = 0
    while killed < kills:
        time.sleep(moments.random() * usual * 0.7)
        which = moments.randrange(2)
        if any(process.poll() is not None for process in running):
            break
        running[which].send_signal(signal.SIGKILL)
        check(running[which].wait() in (0, -signal.SIGKILL), "an attempt ended by itself")
        killed += 1
        running[which] = start(folder, which)
    shards = [shard for which in (0, 1) for shard in ended(folder, which, running[which])]
    ended(folder, 0, start(folder, 0))
    found = contents(folder)
    check(sorted(found) == names, f"these are there: {sorted(found)}")
    for name in names:
        check(found[name] == reference[name], f"{name} has other bytes than that of an undisturbed run")
    shutil.rmtree(folder)
    return killed, sum(shard["outcome"] == "lost" for shard in shards)


with open(f"{work}/list", "w") as list_:
    for line in range(total):
        list_.write(f"{options.url}/{line % 25}.jpg\tid=line {line}\n")
os.mkdir(f"{work}/set")
began = time.monotonic()
ended(f"{work}/set", 0, start(f"{work}/set", 0))
usual = time.monotonic() - began
reference = contents(f"{work}/set")
records = set()
for name in names:
    # GNU tar must find no fault with them, and every line must be in one row.
    subprocess.run(["tar", "-tf", f"{work}/set/{name}"], check=True, stdout=subprocess.DEVNULL)
    listing = subprocess.run(["tar", "-xOf", f"{work}/set/{name}", "--wildcards", "*.json", "__imgfetch__/failed"], check=True, capture_output=True)
    for row in listing.stdout.splitlines():
        row = json.loads(row)
        if "record" in row:
            check(row["record"] not in records, "a line is in two rows")
            records.add(row["record"])
check(len(records) == total, f"{len(records)} rows for {total} lines")
kills = lost = rounds = 0
while kills < options.kills:
    more = one_round(f"{work}/round{rounds}", min(PER_ROUND, options.kills - kills))
    kills, lost, rounds = kills + more[0], lost + more[1], rounds + 1
shutil.rmtree(work)
print(f"{kills} kills in {rounds} rounds of {SHARDS} shards, {lost} shards lost to the other attempt: every byte is right")
