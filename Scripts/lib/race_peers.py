"""The fetchers that race, each by the command line that its manual says is the fastest for a list."""

import dataclasses
import os
import re
import shutil
import subprocess

IMGFETCH = os.environ["IMGFETCH"]


@dataclasses.dataclass
class Job:
    """A list for a fetcher, and the folders that it has for itself: `out` for files, `state` for what else it keeps."""

    urls: "list[str]"
    out: str
    state: str
    # How much those do at once that have no rule of their own.
    at_once: int
    certificate: str
    # "list", "again", "one", "checked", "thumbnails" or "set"; "again" with `first` is the run before the second one.
    kind: str = "list"
    first: bool = False

    def write(self, name, text):
        path = f"{self.state}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def list(self):
        return self.write("list", "".join(f"{url}\n" for url in self.urls))

    def named(self, number, url):
        return f"{number}.{url.split('?')[0].rsplit('.', 1)[1]}"


@dataclasses.dataclass
class Peer:
    """A fetcher: `command` makes its command line for a job, or None where it cannot do such a thing."""

    name: str
    program: str
    command: object
    # Fetchers without names for lines have one file for a URL, however often it is listed.
    names_lines: bool = True

    @property
    def path(self):
        return shutil.which(self.program)


def imgfetch(job, *options):
    if job.kind == "one":
        what = ["get", "-d", job.out, job.urls[0]]
    elif job.kind == "set":
        what = ["pack", "-d", job.out, "-i", job.list()]
    else:
        what = ["get", "-d", job.out, "-i", job.list(), "--name", "{index}.{ext}"]
    if job.kind == "thumbnails":
        what += ["--resize", "256x256", "--convert", "jpeg"]
    return [IMGFETCH, what[0], "-q", "--no-config", "--cacert", job.certificate, "--cache-dir", f"{job.state}/cache", *what[1:], *options]


def imgfetch_without_cache(job):
    # What a second run finds is in the cache.
    return imgfetch(job, "--cache", "off") if job.kind != "again" else None


def curl(job):
    base = ["curl", "-q", "-sS", "-f", "--cacert", job.certificate, "--connect-timeout", "10"]
    if job.kind == "one":
        return [*base, "--output-dir", job.out, "-O", job.urls[0]]
    if job.kind in ("thumbnails", "set"):
        return None
    parts = []
    for number, url in enumerate(job.urls):
        file = f"{job.out}/{job.named(number, url)}"
        part = f'url = "{url}"\noutput = "{file}"\n'
        if job.kind == "again":
            # What is told before `next` holds for one URL alone.
            part += f'silent\nfail\nremote-time\ncacert = "{job.certificate}"\n' + ("" if job.first else f'time-cond = "{file}"\n')
        parts.append(part)
    return [*base, "-Z", "--parallel-max", str(job.at_once), "-K", job.write("curl", ("next\n" if job.kind == "again" else "").join(parts))]


def wget2(job):
    base = ["wget2", "--no-config", "-q", "--ca-certificate", job.certificate, "--timeout=10", "--tries=1", "-P", job.out]
    if job.kind == "one":
        return [*base, job.urls[0]]
    if job.kind in ("thumbnails", "set"):
        return None
    # With more threads than that it gains nothing.
    base += ["--max-threads", str(min(job.at_once, 32)), "--force-directories"]
    return [*base, *(["-N"] if job.kind == "again" else []), "-i", job.list()]


def aria2c(job):
    base = ["aria2c", "--no-conf", "-q", "--file-allocation=none", "--ca-certificate", job.certificate, "-d", job.out]
    base += ["--connect-timeout=10", "--timeout=10", "--max-tries=1"]
    if job.kind == "one":
        return [*base, job.urls[0]]
    if job.kind in ("thumbnails", "set"):
        return None
    lines = "".join(f"{url}\n out={job.named(number, url)}\n" for number, url in enumerate(job.urls))
    again = ["-R", "--conditional-get=true", "--allow-overwrite=true"] if job.kind == "again" else []
    return [*base, "-j", str(job.at_once), *again, "-i", job.write("aria2c", lines)]


def gallery_dl(job):
    # It fetches one file after the other, so many hosts would take it minutes.
    if job.kind not in ("list", "again", "one", "checked") or job.at_once > 32:
        return None
    what = [job.urls[0]] if job.kind == "one" else ["-i", job.list()]
    return ["gallery-dl", "-q", "--config-ignore", "--retries", "0", "--http-timeout", "10", "-D", job.out, *what]


def img2dataset(job):
    if job.kind == "one":
        job = dataclasses.replace(job, urls=job.urls[:1])
    base = [
        "img2dataset",
        "--url_list",
        job.list(),
        "--output_folder",
        job.out,
        "--processes_count",
        "1",
        "--thread_count",
        str(job.at_once),
    ]
    if job.kind == "thumbnails":
        return [*base, "--output_format", "files", "--resize_mode", "keep_ratio_largest", "--image_size", "256"]
    base += ["--resize_mode", "no", "--encode_format", "png", "--encode_quality", "9"]
    # Only where it decodes does it look at what it gets. What has the right format is then written as it came.
    base += ["--skip_reencode", "True"] if job.kind == "checked" else ["--disable_all_reencoding", "True"]
    return [*base, "--output_format", "webdataset" if job.kind == "set" else "files"]


PEERS = [
    Peer("imgfetch", IMGFETCH, imgfetch),
    Peer("imgfetch --cache off", IMGFETCH, imgfetch_without_cache),
    Peer("curl -Z", "curl", curl),
    Peer("wget2", "wget2", wget2, names_lines=False),
    Peer("aria2c", "aria2c", aria2c),
    Peer("gallery-dl", "gallery-dl", gallery_dl, names_lines=False),
    Peer("img2dataset", "img2dataset", img2dataset),
]


def environment(certificate, home):
    """The variables that a fetcher is started with: none that would change what it does."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and (not name.startswith("IMGFETCH") or name == "IMGFETCH_LIBCURL")
    }
    # The last one keeps a library of img2dataset from asking on the internet for a newer version of itself.
    return {**kept, "HOME": home, "SSL_CERT_FILE": certificate, "NO_ALBUMENTATIONS_UPDATE": "1"}


def version(peer):
    """What a fetcher says of its version."""
    if peer.program == "img2dataset":
        # It says so nowhere, but Python knows.
        with open(peer.path, encoding="utf-8", errors="replace") as script:
            python = re.match(r"#!(\S+)", script.readline())
        command = [
            python[1] if python else "python3",
            "-c",
            "import importlib.metadata as m; print('img2dataset', m.version('img2dataset'))",
        ]
    else:
        command = [peer.path, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return re.sub(r" \(.*", "", said) or f"{peer.name} of an unknown version"
