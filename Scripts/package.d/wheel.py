#!/usr/bin/env python3
"""Writes the wheel: wheel.py FILE VERSION TREE ROOT, with Python's standard library alone.

TREE is the tarball's folder, with the program, its manual and completions, the libcurl and THIRD-PARTY; ROOT the project's. The same
files make the same wheel: it is dated by SOURCE_DATE_EPOCH, and its files stand in the order of their names.
"""
import base64
import hashlib
import os
import re
import sys
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.4
Name: imgfetch
Version: {version}
Summary: Fetches images from a cache if it can, over the network if it must
Author: The imgfetch authors
License-Expression: MIT
License-File: LICENSE
License-File: THIRD-PARTY
Keywords: images,download,cache,dataset,webdataset
Classifier: Development Status :: 5 - Production/Stable
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Internet :: WWW/HTTP
Classifier: Topic :: Multimedia :: Graphics
Classifier: Typing :: Typed
Requires-Python: >=3.9
Provides-Extra: parquet
Requires-Dist: pyarrow>=14; extra == "parquet"
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: imgfetch-package ({version})
Root-Is-Purelib: false
Tag: {tag}
"""


def files(version: str, tag: str, tree: Path, root: Path) -> "dict[str, tuple[int, bytes]]":
    """All files of the wheel but RECORD, with their modes."""
    found: "dict[str, tuple[int, bytes]]" = {}
    data, info = f"imgfetch-{version}.data", f"imgfetch-{version}.dist-info"

    def add(name: str, content: bytes, mode: int = 0o644) -> None:
        found[name] = (mode, content)

    for path in sorted((root / "Sources" / "Python" / "imgfetch").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            add(f"imgfetch/{path.name}", path.read_bytes())
    add(f"{data}/scripts/imgfetch", (tree / "bin" / "imgfetch").read_bytes(), 0o755)
    # Not lib, where the tarball has it: pip leaves that out with --target.
    for path in sorted((tree / "lib" / "imgfetch").iterdir()):
        add(f"{data}/data/libexec/imgfetch/{path.name}", path.read_bytes())
    for path in sorted((tree / "share").rglob("*")):
        if path.is_file():
            add(f"{data}/data/{path.relative_to(tree)}", path.read_bytes())
    description = (root / "Sources" / "Python" / "README.md").read_text()
    add(f"{info}/METADATA", (METADATA.format(version=version) + description).encode())
    add(f"{info}/WHEEL", WHEEL.format(version=version, tag=tag).encode())
    for name in ("LICENSE", "THIRD-PARTY"):
        add(f"{info}/licenses/{name}", (tree / name).read_bytes())
    return found


def main() -> int:
    target, version, tree, root = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    match = re.fullmatch(r"imgfetch-[^-]+-(.+)\.whl", target.name)
    if match is None:
        print(f"wheel.py: {target.name} is no name of a wheel", file=sys.stderr)
        return 2
    # No date of a zip is before 1980.
    date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315_532_800))[:6]
    found = files(version, match[1], tree, root)
    record = f"imgfetch-{version}.dist-info/RECORD"
    lines = []
    for name, (_, content) in sorted(found.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    lines.append(f"{record},,\n")
    # RECORD stands last, as the specification recommends for what describes the others.
    everything = sorted(found.items()) + [(record, (0o644, "".join(lines).encode()))]
    with zipfile.ZipFile(target, "w") as wheel:
        for name, (mode, content) in everything:
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
