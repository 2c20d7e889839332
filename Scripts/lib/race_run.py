"""What a fetcher did in a race: measured, and compared with what it should have done."""

import collections
import dataclasses
import hashlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import tarfile

from race_peers import IMGFETCH, Job, environment

TOOL = os.environ["TOOL"]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
# A run that takes longer is cut off.
LIMIT = float(os.environ.get("BENCH_LIMIT", "600"))
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclasses.dataclass
class Race:
    """A list for all. `wanted` are the sums of what its URLs have, in their order; None: such a URL must fail."""

    name: str
    urls: "list[str]"
    wanted: "list[str | None]"
    at_once: int = 32
    kind: str = "list"
    rounds: int = ROUNDS

    @property
    def count(self):
        """The images to be had."""
        return len(self.wanted) - self.wanted.count(None)


@dataclasses.dataclass
class Run:
    """One run of a fetcher."""

    seconds: float
    processor: float
    megabytes: float
    code: "int | None"
    requests: int
    connections: int
    hosts: int
    right: int
    wrong: int
    missing: int
    is_honest: bool


def run(peer, race, server, place):
    """A run of a fetcher, or None if it has no such command."""
    folder, out, state = f"{place}/run", f"{place}/run/out", f"{place}/run/state"
    shutil.rmtree(folder, ignore_errors=True)
    for path in (folder, out, state):
        os.mkdir(path)
    job = Job(race.urls, out, state, race.at_once, server.certificate, race.kind)
    if race.kind == "again":
        first = peer.command(dataclasses.replace(job, first=True))
        if first is None:
            return None
        _measured(first, server, state)
    command = peer.command(job)
    if command is None:
        return None
    server.forget()
    code, (seconds, processor, megabytes) = _measured(command, server, state)
    requests, connections, hosts = server.told()
    wanted = race.wanted if peer.names_lines else _once(race)
    right, wrong, missing = _compared(race, wanted, out)
    is_honest = code is not None and (code == 0) == (wrong == missing == 0 and None not in wanted)
    return Run(seconds, processor, megabytes, code, requests, connections, hosts, right, wrong, missing, is_honest)


def _once(race):
    """What the URLs have, each of them once."""
    return list(dict(zip(race.urls, race.wanted)).values())


def _measured(command, server, state):
    """The exit code of a command, None if it was cut off, and its seconds, processor seconds and MB of its largest process."""
    with open(f"{state}/said", "ab") as said:
        # A session of its own is a group to end, whatever it has started.
        running = subprocess.Popen(
            [TOOL, "weigh", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=state,
            env=environment(server.certificate, state),
            start_new_session=True,
        )
        try:
            told = running.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            return None, (LIMIT, float("nan"), float("nan"))
    nanoseconds, processor, kilobytes = map(int, told.split())
    return running.returncode, (nanoseconds / 1e9, processor / 1e9, kilobytes / 1024)


def _compared(race, wanted, out):
    """How many files are right, how many are something else, and how many are not there."""
    if race.kind == "thumbnails":
        return _thumbnails(wanted, out)
    expected = collections.Counter(sum for sum in wanted if sum is not None)
    found = collections.Counter(hashlib.sha256(data).hexdigest() for data in _files(out))
    right = sum((expected & found).values())
    return right, sum((found - expected).values()), sum((expected - found).values())


def _files(out):
    """The images of a folder, and those in its tar files."""
    for folder, _, names in os.walk(out):
        for name in names:
            path = f"{folder}/{name}"
            if name.endswith(SUFFIXES):
                with open(path, "rb") as file:
                    yield file.read()
            elif name.endswith(".tar"):
                with tarfile.open(path) as tar:
                    for member in tar:
                        if member.name.endswith(SUFFIXES):
                            yield tar.extractfile(member).read()


def _thumbnails(wanted, out):
    """Whole JPEGs whose longer side has 256 pixels are right."""
    rows = subprocess.run(
        [IMGFETCH, "inspect", "--no-config", "--json", "--verify", "decode", "-r", out], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    rows = [row for row in map(json.loads, rows) if row["file"].endswith(SUFFIXES)]
    right = sum(row["whole"] and row["format"] == "jpeg" and max(row["width"], row["height"]) == 256 for row in rows)
    return min(right, len(wanted)), len(rows) - min(right, len(wanted)), len(wanted) - min(right, len(wanted))


def rounds(race, peers, server, place):
    """The runs of each fetcher, which take turns; None for one that has no such command."""
    runs = {peer.name: [] for peer in peers}
    for number in range(race.rounds):
        turn = number % len(peers)
        for peer in peers[turn:] + peers[:turn]:
            runs[peer.name].append(run(peer, race, server, place))
    return {name: None if None in some else some for name, some in runs.items()}


def median(runs, value):
    return statistics.median(value(one) for one in runs)
