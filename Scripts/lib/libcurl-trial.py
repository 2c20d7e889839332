#!/usr/bin/env python3
"""Fetches in all the ways that libcurl has a part in, with the system's libcurl and with the package's own: libcurl-trial.py PROGRAM.

PROGRAM lies in an unpacked tarball or a wheel. Each way must succeed or fail as expected, with the same bytes, exit code and requests for both.
"""
import base64
import hashlib
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(24) for _ in range(8))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


IMAGE = png()
log: list = []


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = "proxy" if self.path.startswith("http://") else "origin"
        kind = (self.headers["Authorization"] or "-").split()[0]
        log.append((name, self.path, re.sub(r":\d+$", "", self.headers["Host"]), kind))
        path = "/" + self.path.rsplit("/", 1)[1]
        if path == "/digest.png" and not self.is_digest():
            self.answer(401, b"", {"WWW-Authenticate": 'Digest realm="r", nonce="abc", qop="auth", algorithm=MD5'})
        elif path == "/basic.png" and self.headers["Authorization"] != "Basic " + base64.b64encode(b"me:secret").decode():
            self.answer(401, b"", {"WWW-Authenticate": 'Basic realm="r"'})
        elif path == "/moved.png":
            self.answer(302, b"", {"Location": "/a.png"})
        elif path == "/gone.png":
            self.answer(404, b"")
        else:
            self.answer(200, IMAGE, {"Content-Type": "image/png"})

    def is_digest(self) -> bool:
        said = self.headers["Authorization"] or ""
        if not said.startswith("Digest "):
            return False
        fields = {name: one or two for name, one, two in re.findall(r'(\w+)=(?:"([^"]*)"|([^,\s]+))', said)}
        first, second = md5("me:r:secret"), md5(f"GET:{fields['uri']}")
        return fields["response"] == md5(f"{first}:abc:{fields['nc']}:{fields['cnonce']}:auth:{second}")

    def do_CONNECT(self) -> None:
        log.append(("connect", re.sub(r":\d+$", "", self.path)))
        self.send_response(200)
        self.end_headers()
        host, port = self.path.rsplit(":", 1)
        joined(self.connection, socket.create_connection((host, int(port))))
        self.close_connection = True

    def answer(self, status: int, body: bytes, fields: "dict | None" = None) -> None:
        self.send_response(status)
        for name, value in (fields or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def joined(one: socket.socket, two: socket.socket) -> None:
    """Passes bytes between two connections until one of them ends."""

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    other = threading.Thread(target=pump, args=(two, one), daemon=True)
    other.start()
    pump(one, two)
    other.join()
    two.close()


def socks(listener: socket.socket) -> None:
    """A SOCKS5 proxy; with a name and a password where the client offers them. All names are this machine."""

    def serve(client: socket.socket) -> None:
        with client, client.makefile("rb") as stream:
            _, count = stream.read(2)
            methods = stream.read(count)
            account = ""
            client.sendall(bytes([5, 2 if 2 in methods else 0]))
            if 2 in methods:
                stream.read(1)
                name = stream.read(stream.read(1)[0])
                account = (name + b":" + stream.read(stream.read(1)[0])).decode()
                client.sendall(b"\1\0")
            _, _, _, kind = stream.read(4)
            host = stream.read(4 if kind == 1 else 16 if kind == 4 else stream.read(1)[0])
            (port,) = struct.unpack(">H", stream.read(2))
            log.append(("socks", kind, host if kind == 3 else None, account))
            client.sendall(b"\5\0\0\1\0\0\0\0\0\0")
            joined(client, socket.create_connection(("127.0.0.1", port)))

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def certified(folder: str) -> None:
    """A certificate authority, and a certificate of it for localhost and an international name."""
    run = lambda *words: subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=trial", "-keyout", "ca.key", "-out", "ca.pem")
    run("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem")
    with open(f"{folder}/names", "w") as file:
        file.write("subjectAltName=DNS:localhost,DNS:xn--bcher-kva.example\n")
    run("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "cert.pem")


def with_http2(folder: str, port: int) -> subprocess.Popen:
    with open(f"{folder}/a.png", "wb") as file:
        file.write(IMAGE)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(
            f"daemon off; pid {folder}/pid; error_log {folder}/errors; {'user root root;' if os.geteuid() == 0 else ''}\n"
            f"events {{}} http {{ log_format used '$server_protocol'; access_log {folder}/access used; root {folder}; {temporary}\n"
            f"server {{ listen 127.0.0.1:{port} ssl http2; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; }} }}\n"
        )
    path = os.environ["PATH"] + ":/usr/sbin"
    nginx = subprocess.Popen(["nginx", "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"], env={"PATH": path}, stderr=subprocess.DEVNULL)
    while nginx.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return nginx
        except ConnectionRefusedError:
            pass
    raise SystemExit("nginx did not start")


def main() -> int:
    program = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp()
    nginx = None
    try:
        certified(folder)
        plain, secure = (ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        for server in (plain, secure):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=socks, args=(listener,), daemon=True).start()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            two = free.getsockname()[1]
        nginx = with_http2(folder, two)
        http, https, socks5 = plain.server_port, secure.server_port, listener.getsockname()[1]
        os.mkdir(f"{folder}/home")
        with open(f"{folder}/home/.netrc", "w") as file:
            file.write("machine 127.0.0.1 login me password secret\n")
        os.chmod(f"{folder}/home/.netrc", 0o600)
        with open(f"{folder}/openssl.cnf", "w") as file:
            file.write("openssl_conf = a\n[a]\nproviders = b\nssl_conf = c\n[b]\nnothing = d\n[d]\nmodule = /nowhere.so\nactivate = 1\n[c]\nsystem_default = e\n[e]\nCipherString = none\n")
        ca = ["--cacert", f"{folder}/ca.pem"]
        environment = {"SSL_CERT_FILE": f"{folder}/ca.pem"}
        origin, tls = f"http://127.0.0.1:{http}", f"https://localhost:{https}"
        international = [f"--resolve={name}:{port}:127.0.0.1" for name in ("bücher.example",) for port in (http, https)]
        # What is tried; its options, its environment, and its exit code.
        ways = [
            ("http", [f"{origin}/a.png"], {}, 0),
            ("a redirect", [f"{origin}/moved.png"], {}, 0),
            ("404", [f"{origin}/gone.png"], {}, 4),
            ("a dead port", ["http://127.0.0.1:9/a.png"], {}, 3),
            ("a name that does not exist", ["http://nothing.invalid/a.png"], {}, None),
            ("https, --cacert", [*ca, f"{tls}/a.png"], {}, 0),
            ("https, SSL_CERT_FILE", [f"{tls}/a.png"], environment, 0),
            ("https, an authority that is not trusted", [f"{tls}/a.png"], {}, None),
            ("https, a name that is not the certificate's", [*ca, f"https://127.0.0.1:{https}/a.png"], {}, None),
            ("https, an openssl.cnf for another OpenSSL", [*ca, f"{tls}/a.png"], {"OPENSSL_CONF": f"{folder}/openssl.cnf", "only": "own"}, 0),
            ("https, HTTP/2", [*ca, f"https://localhost:{two}/a.png"], {}, 0),
            ("https, HTTP/1.1 by choice", [*ca, "--http1.1", f"https://localhost:{two}/a.png"], {}, 0),
            ("Digest", ["--user=me:secret", f"{origin}/digest.png"], {}, 0),
            ("Digest, a wrong password", ["--user=me:wrong", f"{origin}/digest.png"], {}, 4),
            ("Basic", ["--user=me:secret", f"{origin}/basic.png"], {}, 0),
            ("netrc", ["--netrc", f"{origin}/basic.png"], {}, 0),
            ("socks5", [f"--proxy=socks5://127.0.0.1:{socks5}", f"{origin}/a.png"], {}, 0),
            ("socks5h, a name", [f"--proxy=socks5h://127.0.0.1:{socks5}", f"http://only.there.example:{http}/a.png"], {}, 0),
            ("socks5h, an account, https", [*ca, f"--proxy=socks5h://you:word@127.0.0.1:{socks5}", f"{tls}/a.png"], {}, 0),
            ("http proxy", [f"--proxy=http://127.0.0.1:{http}", "http://only.there.example/a.png"], {}, 0),
            ("http proxy by the environment", ["http://only.there.example/a.png"], {"http_proxy": f"http://127.0.0.1:{http}"}, 0),
            ("http proxy, https", [*ca, f"--proxy=http://127.0.0.1:{http}", f"{tls}/a.png"], {}, 0),
            ("an international name", [*international, f"http://bücher.example:{http}/a.png"], {}, 0),
            ("an international name, https", [*ca, *international, f"https://BÜCHER.example:{https}/a.png"], {}, 0),
        ]
        protocols = {"https, HTTP/2": "HTTP/2.0", "https, HTTP/1.1 by choice": "HTTP/1.1"}
        failed = 0
        for what, options, more, code in ways:
            more = dict(more)
            only = more.pop("only", None)
            results = {}
            for library in [only] if only else ["system", "own"]:
                log.clear()
                access = os.path.getsize(f"{folder}/access")
                command = [program, "get", "--json", "--cache=off", "--retry=0", "-o", f"{folder}/out.png", "--clobber", *options]
                own = {"PATH": os.environ["PATH"], "HOME": f"{folder}/home", "LC_ALL": "C.UTF-8", "IMGFETCH_LIBCURL": library}
                done = subprocess.run(command, env={**own, **more}, capture_output=True, timeout=60)
                row = json.loads(done.stdout.splitlines()[0]) if done.stdout else {}
                error = row.get("error") or {}
                image = open(f"{folder}/out.png", "rb").read() if os.path.exists(f"{folder}/out.png") else None
                if image is not None:
                    os.unlink(f"{folder}/out.png")
                with open(f"{folder}/access") as file:
                    file.seek(access)
                    used = file.read().split()
                facts = (done.returncode, row.get("status"), error.get("kind"), error.get("transient"), image == IMAGE)
                results[library] = (*facts, used, list(log))
                said = done.stderr.decode(errors="replace").strip() or error.get("message", "")
                if what in protocols and used != [protocols[what]]:
                    failed += 1
                    print(f"FAILED  {what}, with {library}: {used}", flush=True)
                if (code is not None and done.returncode != code) or (code == 0) != (image == IMAGE):
                    failed += 1
                    print(f"FAILED  {what}, with {library}: exit code {done.returncode}, {said}", flush=True)
            if len(set(map(repr, results.values()))) > 1:
                failed += 1
                print(f"FAILED  {what}: not the same\n    system: {results['system']}\n    own:    {results['own']}", flush=True)
            else:
                print(f"ok  {what}: {next(iter(results.values()))[:3]}", flush=True)
        return 1 if failed else 0
    finally:
        if nginx is not None:
            nginx.terminate()
            nginx.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
