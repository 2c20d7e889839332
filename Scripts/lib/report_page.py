"""Looks at the page of `imgfetch report --html` with tidy and headless Chromium.

usage: report_page.py IMGFETCH FOLDER
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys

EVIL = "\"'><script>document.title='run'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>\u202e"


def rows(count):
    """Rows of images and failures, of which some have hostile texts in every field."""
    for number in range(count):
        text = EVIL if number % 7 == 0 else ""
        row = {
            "url": f"https://host{number % 90}.example/{number}{text}.jpg",
            "time": f"2026-11-26T10:{number // 60 % 60:02}:{number % 60:02}Z",
            "cache": ["none", "disk"][number % 2],
            "elapsed_ms": 10 + number % 900,
            "error": None,
        }
        if number % 11 == 0:
            kind = "not-image" if number % 2 else text or "http"
            row["error"] = {"kind": kind, "message": (text or "no") * (1 if number % 3 else 5000)}
            row["cache"] = None
        else:
            row |= {"format": text or "jpeg", "width": 40, "height": 30, "bytes": 1000 * (number % 300 + 1)}
            row |= {"downloaded": 1000, "sha256": f"{number // 5:064x}", "output": f"{number}{text}.jpg"}
            row["fingerprints"] = {"thumbhash": "1QcSHQRnh493V4dIh4eXh1h4kJUI", "dhash": f"{number:016x}"}
        yield json.dumps(row)


class Outline(html.parser.HTMLParser):
    """Finds what a screen reader would miss."""

    def __init__(self):
        super().__init__()
        self.flaws, self.ids, self.level, self.pictures = [], set(), 0, 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.flaws.append(f"{tag} follows h{self.level}")
            self.level = int(tag[1])
        if tag == "img":
            self.pictures += 1
            if not attrs.get("alt") or not attrs.get("src", "").startswith("data:image/"):
                self.flaws.append(f"a picture without a name, or from elsewhere: {str(attrs)[:99]}")
        if tag == "svg" and not (attrs.get("aria-label") or attrs.get("aria-hidden")):
            self.flaws.append("a plot without a name")
        if tag == "th" and "scope" not in attrs:
            self.flaws.append("a heading of a table without a scope")
        if tag in ("script", "link", "iframe", "object", "embed", "form") or any(name.startswith("on") for name in attrs):
            self.flaws.append(f"{tag} {list(attrs)}")
        if "style" in attrs or attrs.get("href", "#").lower().startswith(("javascript", "data")):
            self.flaws.append(f"{tag} {str(attrs)[:99]}")
        if attrs.get("id") in self.ids and attrs.get("id"):
            self.flaws.append(f"two have the id {attrs['id']}")
        self.ids.add(attrs.get("id"))


def luminance(colour):
    """Of a colour as #rgb or #rrggbb, by WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrasts(page):
    """Of texts and shapes on the ground of cards, in both schemes."""
    for scheme, body in zip(("light", "dark"), re.findall(r":root\{(.*?)\}", page)):
        colours = dict(re.findall(r"--(\w+):(#\w+)", body))
        for name, least in [("ink", 4.5), ("faint", 4.5), ("link", 4.5)] + [(name, 3) for name in ["a", "b", "c", "d", "e", "bad"]]:
            one, other = sorted((luminance(colours[name]), luminance(colours["card"])))
            ratio = (other + 0.05) / (one + 0.05)
            if ratio < least:
                yield f"{scheme}: {name} has a contrast of {ratio:.2f} only"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    (folder / "rows.jsonl").write_text("\n".join(rows(5000)) + "\n")
    page = folder / "page.html"
    subprocess.run([program, "report", "-q", "--html", page, folder / "rows.jsonl"], check=True)
    text = page.read_text()
    flaws = [] if len(text.encode()) <= 2_000_000 else ["it is larger than 2 MB"]
    tidy = subprocess.run(["tidy", "-q", "-e", page], capture_output=True, text=True)
    flaws += [line for line in tidy.stderr.splitlines() if "Error" in line]
    outline = Outline()
    outline.feed(text)
    flaws += outline.flaws + list(contrasts(text))
    if not outline.pictures:
        flaws.append("there are no pictures")
    log = folder / "net.json"
    for width in (400, 1280):
        shot = folder / f"{width}.png"
        subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", f"--log-net-log={log}",
             f"--user-data-dir={folder}/profile", f"--window-size={width},2000", f"--screenshot={shot}", page.as_uri()],
            check=True, capture_output=True, timeout=120)
        if not shot.stat().st_size:
            flaws.append(f"nothing is shown at {width} pixels")
        if "127.0.0.1:9/" in log.read_text(errors="replace"):
            flaws.append("Chromium asked for something")
    shown = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri()],
        check=True, capture_output=True, text=True, timeout=120).stdout
    if "<title>imgfetch report" not in shown:
        flaws.append("a script has run")
    print("\n".join(flaws) or f"{len(text.encode())} bytes, {outline.pictures} pictures: nothing to say")
    sys.exit(1 if flaws else 0)


main()
