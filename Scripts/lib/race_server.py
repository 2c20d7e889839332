"""The web that the fetchers race over: an nginx with one host, with many hosts over TLS, and hosts that are dead or lie."""

import os
import resource
import shutil
import socket
import subprocess
import threading
import time

ECHO = "/usr/lib/nginx/modules/ngx_http_echo_module.so"
# As many hosts as share a certificate: one for all of them would be longer than any on the web.
GROUP = 100
DELAY = 0.03


class Missing(Exception):
    """Something that a server needs and this machine has not."""


def address(host):
    """The address of a host, by its number: 127.1.0.1 is the first one."""
    return f"127.{1 + host // 40000}.{host // 200 % 200}.{1 + host % 200}"


def free_port():
    """A port that is free on all addresses."""
    with socket.socket() as free:
        free.bind(("0.0.0.0", 0))
        return free.getsockname()[1]


class Server:
    """Serves the files of a folder until it is left.

    One host answers at `plain` (HTTP/1.1) and `secure` (HTTP/2), so many others at their addresses and the port `tls`, over TLS, each
    after 30 ms; those with an even number speak HTTP/2. `certificate` is the one that signed all of theirs.
    """

    def __init__(self, place, pictures, hosts):
        self.place, self.pictures, self.hosts = place, pictures, hosts
        self.plain, self.secure, self.tls = (free_port() for _ in range(3))
        self.certificate = f"{place}/ca.pem"
        self.log = f"{place}/log"
        self.process = None
        if not os.path.exists(ECHO):
            raise Missing("nginx's module echo is missing, which delays answers: libnginx-mod-http-echo")
        # Every host is an open socket of the server, and has up to six connections to it.
        needed, (_, hard) = hosts * 4 + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise Missing(f"{hosts} hosts need {needed} open files, and this user may have {hard}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else hard, hard))

    def __enter__(self):
        self._certify()
        self._configure()
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if program is None:
            raise Missing("nginx is missing")
        errors = f"{self.place}/errors"
        self.process = subprocess.Popen([program, "-e", errors, "-c", f"{self.place}/nginx.conf"], stdin=subprocess.DEVNULL)
        last = address(self.hosts - 1) if self.hosts else "127.0.0.1"
        for _ in range(600):
            with socket.socket() as trial:
                if trial.connect_ex((last, self.tls if self.hosts else self.plain)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.__exit__()
        with open(errors, encoding="utf-8") as said:
            raise Missing(f"nginx did not start: {said.read()}")

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()

    def _openssl(self, *arguments):
        subprocess.run(("openssl",) + arguments, cwd=self.place, check=True, capture_output=True)

    def _certify(self):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self._openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=bench")
        for group, names in enumerate([["127.0.0.1"]] + self._groups()):
            with open(f"{self.place}/names", "w", encoding="ascii") as file:
                file.write("subjectAltName=" + ",".join(f"IP:{name}" for name in names) + "\n")
            self._openssl("req", *key, "-keyout", f"{group}.key", "-out", "request", "-subj", "/CN=host")
            signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
            self._openssl("x509", "-req", "-in", "request", *signed, "-out", f"{group}.pem")

    def _groups(self):
        hosts = [address(host) for host in range(self.hosts)]
        return [hosts[first : first + GROUP] for first in range(0, self.hosts, GROUP)]

    def _certificate(self, group):
        return f'ssl_certificate "{self.place}/{group}.pem"; ssl_certificate_key "{self.place}/{group}.key";'

    def _configure(self):
        files = (
            f'location /fresh/ {{ alias "{self.pictures}/"; add_header Cache-Control max-age=3600; }}'
            ' location /login/ { default_type image/png; return 200 "<!DOCTYPE html><title>Please log in</title>"; }'
            f' location /half/ {{ alias "{self.place}/half/"; }}'
        )
        blocks = [
            f"server {{ listen 127.0.0.1:{self.plain}; {files} }}",
            f"server {{ listen 127.0.0.1:{self.secure} ssl http2; {self._certificate(0)} {files} }}",
        ]
        for group, names in enumerate(self._groups(), 1):
            for kind, some in ((" http2", names[::2]), ("", names[1::2])):
                listen = " ".join(f"listen {name}:{self.tls} ssl{kind} backlog=512;" for name in some)
                if some:
                    blocks.append(
                        f"server {{ {listen} {self._certificate(group)} location ~ ^/slow/(.*)$ {{ echo_sleep {DELAY}; echo_exec /at/$1; }}"
                        f' location /at/ {{ internal; alias "{self.pictures}/"; add_header Cache-Control max-age=3600; }} }}'
                    )
        blocks = "\n".join(blocks)
        temporary = " ".join(f'{kind}_temp_path "{self.place}/{kind}";' for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{self.place}/nginx.conf", "w", encoding="utf-8") as file:
            # Started by root, its worker would run as a user that may not read the pictures. One worker: two cores are shared with those
            # that are measured.
            file.write(f"""load_module {ECHO};
{"" if os.geteuid() else "user root root;"}
worker_processes 1;
daemon off;
worker_rlimit_nofile {resource.getrlimit(resource.RLIMIT_NOFILE)[0]};
pid "{self.place}/pid";
error_log "{self.place}/errors";
events {{ worker_connections {self.hosts * 3 + 2000}; }}
http {{
types {{ image/png png; image/jpeg jpg; }}
log_format race '$connection $server_addr $status';
access_log "{self.log}" race;
sendfile on;
tcp_nodelay on;
keepalive_requests 100000;
ssl_protocols TLSv1.2 TLSv1.3;
ssl_session_cache shared:S:20m;
{temporary}
{blocks}
}}
""")

    def forget(self):
        """Empties the log."""
        os.truncate(self.log, 0)

    def told(self):
        """The requests, connections and hosts of the log since then. A connection without a request is in no log."""
        # What was asked last is written down a moment after its answer.
        time.sleep(0.3)
        with open(self.log, encoding="ascii", errors="replace") as file:
            rows = [row for row in (line.replace("\0", "").split() for line in file) if len(row) == 3]
        return len(rows), len({row[0] for row in rows}), len({row[1] for row in rows})


class Dead:
    """Ports of every loopback address that serve nothing, each in its own way, until this is left.

    `refused` listens not at all, `swallowed` answers no SYN, `silent` accepts and says nothing, and `cut` breaks off in the middle of
    the picture that it is given.
    """

    def __init__(self, picture):
        self.picture = picture
        self.refused = free_port()
        self.sockets, self.threads, self.fillers = [], [], []
        self.swallowed, self.silent, self.cut = (self._listen(backlog) for backlog in (0, 4096, 4096))

    def _listen(self, backlog):
        listener = socket.socket()
        listener.bind(("0.0.0.0", 0))
        listener.listen(backlog)
        self.sockets.append(listener)
        return listener.getsockname()[1]

    def __enter__(self):
        # Two connections fill the queue of a listener that never accepts. What comes later gets no answer.
        for _ in range(2):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", self.swallowed))
            self.fillers.append(filler)
        for listener, serve in ((self.sockets[1], None), (self.sockets[2], self._cut)):
            thread = threading.Thread(target=self._accept, args=(listener, serve), daemon=True)
            thread.start()
            self.threads.append(thread)
        return self

    def __exit__(self, *_):
        for listener in self.sockets:
            # Closing alone would leave a thread in accept().
            try:
                listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            listener.close()
        for thread in self.threads:
            thread.join()
        for filler in self.fillers:
            filler.close()

    def _accept(self, listener, serve):
        held = []
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                break
            if serve is None:
                held.append(connection)
            else:
                threading.Thread(target=serve, args=(connection,), daemon=True).start()
        for connection in held:
            connection.close()

    def _cut(self, connection):
        head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {len(self.picture)}\r\nConnection: close\r\n\r\n"
        with connection:
            try:
                asked = b""
                while b"\r\n\r\n" not in asked:
                    more = connection.recv(4096)
                    if not more:
                        return
                    asked += more
                connection.sendall(head.encode() + self.picture[: len(self.picture) // 2])
            except OSError:
                pass
