#!/usr/bin/env python3
"""Holds lists of many hosts against their bounds, beside `curl --parallel`: web.py PLACE, an empty folder.

BENCH_HOSTS says how many hosts there are ("300 3000"), BENCH_ROUNDS how often each list is fetched. The other fetchers that are installed
have each list of the fewest hosts once.
"""

import os
import sys

from race_lists import EACH, Pictures, of_many_hosts
from race_peers import PEERS
from race_run import ROUNDS, median, run
from race_server import Dead, Missing, Server

HOSTS = [int(number) for number in os.environ.get("BENCH_HOSTS", "300 3000").split()]
CURL, OURS = (next(peer for peer in PEERS if peer.name == name) for name in ("curl -Z", "imgfetch --cache off"))
OTHERS = [peer for peer in PEERS if peer.name in ("imgfetch", "wget2", "aria2c", "img2dataset")]


def bound(what, value, unit, most):
    """Says what was measured. True if the bound holds."""
    print(f"{what:56} {value:8.2f} {unit:3} at most {most:.3g}{'' if value <= most else '  <- not held'}", flush=True)
    return value <= most


def compare(race, alive, limits, server, place):
    """Whether a list of so many living hosts keeps to its bounds, and what part of curl's time it took."""
    wall, processor, connections, memory = limits
    pairs = [(run(CURL, race, server, place), run(OURS, race, server, place)) for _ in range(ROUNDS)]
    ratio = median(pairs, lambda pair: pair[1].seconds / pair[0].seconds)
    theirs = median(pairs, lambda pair: pair[0].connections / alive)
    ours = median(pairs, lambda pair: pair[1].connections / alive)
    held = [
        bound(f"{race.name}: wall", ratio, "x", wall),
        bound(f"{race.name}: processor time", median(pairs, lambda pair: pair[1].processor / pair[0].processor), "x", processor),
        bound(f"{race.name}: connections a host (curl {theirs:.2f})", ours, "", connections),
        bound(f"{race.name}: memory", median(pairs, lambda pair: pair[1].megabytes), "MB", memory),
        bound(f"{race.name}: files that are wrong or missing", max(pair[1].wrong + pair[1].missing for pair in pairs), "", 0),
    ]
    for name, column in (("curl -Z", 0), ("imgfetch --cache off", 1)):
        seconds, used = (median([pair[column] for pair in pairs], value) for value in (lambda one: one.seconds, lambda one: one.processor))
        print(f"  {name}: {seconds:.2f} s, {used:.2f} s of processor")
    return all(held), ratio


def beside(race, server, place):
    """Says what the other fetchers take for the list."""
    for peer in OTHERS:
        if peer.path is None:
            print(f"  {peer.name}: is not installed")
            continue
        one = run(peer, race, server, place)
        print(
            f"  {peer.name}: {one.seconds:.2f} s, {one.processor:.2f} s of processor, {one.connections} connections, "
            f"{one.megabytes:.0f} MB, {one.wrong} wrong, {one.missing} missing",
            flush=True,
        )


def main():
    place = os.path.abspath(sys.argv[1])
    pictures, held, few = Pictures(place), [], min(HOSTS)
    with Server(place, pictures.folder, max(HOSTS)) as server, Dead(pictures.first) as dead:

        def listed(what, hosts, **more):
            return of_many_hosts(f"{hosts} hosts, {what}", server, pictures, hosts, **more)

        print(f"{EACH} images a host, every second host over HTTP/2, 30 ms before each answer; curl has 100 places, and so has imgfetch")
        shuffled, sorted_ = listed("shuffled", few), listed("sorted", few, is_shuffled=False)
        is_held, ratio = compare(shuffled, few, (0.85, 0.8, 1.15, 40), server, place)
        held.append(is_held)
        beside(shuffled, server, place)
        held.append(compare(sorted_, few, (0.6, 0.55, 1.15, 40), server, place)[0])
        beside(sorted_, server, place)
        # What is dead may cost a tenth more than what is alive.
        tenth = listed("a tenth dead", few, dead=lambda host: None if host % 10 else dead.refused)
        held.append(compare(tenth, few - (few + 9) // 10, (1.1 * max(ratio, 0.85), 0.88, 1.27, 44), server, place)[0])
        for hosts in sorted(HOSTS)[1:]:
            held.append(compare(listed("shuffled", hosts), hosts, (0.35, 0.3, 1.2, 50), server, place)[0])
    return 0 if all(held) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as missing:
        sys.exit(str(missing))
