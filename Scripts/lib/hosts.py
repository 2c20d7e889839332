"""A small internet in a network namespace of its own: a name server, and hosts that are dead in five ways.

Run by Scripts/bench.d/hosts inside the namespace, with the folder that it writes to and the name server's delay in milliseconds.
Live hosts are nginx's, which listens on every address of the loopback.
"""

import collections
import os
import selectors
import socket
import struct
import sys
import time

NAME_SERVER = "127.0.0.53"
# Nobody listens on port 81. 82 accepts and says nothing, 83 resets.
SILENT, RESETTING = 82, 83


def address(name):
    """live12.bench -> 127.1.0.12; swallow12.bench -> an address that nothing answers at; None: there is no such name."""
    label = name.split(".")[0]
    kind = label.rstrip("0123456789")
    if not name.endswith(".bench") or kind == "gone" or kind == label:
        return None
    number = int(label[len(kind):])
    first = (10, 99) if kind == "swallow" else (127, 1)
    return bytes([*first, number >> 8, number & 255])


def answer(question, asked):
    """The answer to a question; None: there is none."""
    name, at = [], 12
    while question[at]:
        name.append(question[at + 1 : at + 1 + question[at]].decode("latin-1"))
        at += question[at] + 1
    kind = struct.unpack(">H", question[at + 1 : at + 3])[0]
    name = ".".join(name).lower()
    number = int("".join(filter(str.isdigit, name)) or 0)
    times = asked[name, kind] = asked[name, kind] + 1
    found, code = address(name), 0
    # Names of the list of names: a tenth does not exist, a tenth fails once, a hundredth is never answered.
    if name.startswith("name"):
        if number % 100 == 55:
            return None
        code = 3 if number % 10 == 3 else 2 if number % 10 == 7 and times == 1 else 0
    elif found is None:
        code = 3
    has_address = code == 0 and kind == 1
    head = question[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, has_address, 0, 0)
    body = question[12 : at + 5]
    if has_address:
        body += struct.pack(">HHHIH", 0xC00C, 1, 1, 60, 4) + found
    return head + body


def main(folder, delay):
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    names.bind((NAME_SERVER, 53))
    names.setblocking(False)
    poll = selectors.DefaultSelector()
    poll.register(names, selectors.EVENT_READ, "names")
    for port in (SILENT, RESETTING):
        listener = socket.create_server(("0.0.0.0", port), backlog=4096)
        listener.setblocking(False)
        poll.register(listener, selectors.EVENT_READ, port)
    held, asked, due = [], collections.Counter(), collections.deque()
    with open(os.path.join(folder, "ready"), "w", encoding="ascii"):
        pass
    while not os.path.exists(os.path.join(folder, "stop")):
        wait = 0.2
        if due:
            wait = max(0, min(wait, due[0][0] - time.monotonic()))
        for key, _ in poll.select(wait):
            if key.data != "names":
                connection = key.fileobj.accept()[0]
                if key.data == RESETTING:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
                else:
                    held.append(connection)
                continue
            for _ in range(256):
                try:
                    question, sender = names.recvfrom(512)
                except BlockingIOError:
                    break
                reply = answer(question, asked)
                if reply:
                    due.append((time.monotonic() + delay / 1000, reply, sender))
        now = time.monotonic()
        while due and due[0][0] <= now:
            _, reply, sender = due.popleft()
            names.sendto(reply, sender)
    with open(os.path.join(folder, "asked"), "w", encoding="ascii") as log:
        for (name, kind), times in asked.items():
            log.write(f"{times} {kind} {name}\n")


main(sys.argv[1], float(sys.argv[2]))
