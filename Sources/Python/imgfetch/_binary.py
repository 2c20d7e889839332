"""Finds the program."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib import import_module
from typing import Dict, Iterator, Optional, Union

Path = Union[str, "os.PathLike[str]"]

_NAME = "imgfetch"


def _folders() -> Iterator[str]:
    """The folders that installers put programs in, those of this package's own installation first."""
    here = os.path.dirname(os.path.realpath(__file__))
    parts = os.path.dirname(here).split(os.sep)
    # pip install --target: bin is beside the package.
    yield os.path.join(os.path.dirname(here), "bin")
    # pip install --prefix, and layers of uv: PREFIX/lib/pythonX.Y/site-packages.
    if len(parts) > 3 and parts[-1] in ("site-packages", "dist-packages") and parts[-3] in ("lib", "lib64"):
        yield os.sep.join([*parts[:-3], "bin"])
        if parts[-4:-3] == ["local"]:
            yield os.sep.join([*parts[:-4], "local", "bin"])
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", vars={"base": sys.base_prefix})
    scheme = "osx_framework_user" if sys.platform == "darwin" and sys._framework else f"{os.name}_user"
    yield sysconfig.get_path("scripts", scheme)


def find_imgfetch_bin() -> str:
    """The path of the program that this package brought along, or of one that the PATH has.

    Raises FileNotFoundError where there is none.
    """
    for folder in _folders():
        path = os.path.join(folder, _NAME)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(_NAME)
    if found:
        return found
    raise FileNotFoundError("the program imgfetch is neither where this package was installed nor in a folder of PATH")


def program_path(program: Optional[Path]) -> str:
    """The program that a call names, else the one that is found."""
    return os.fspath(program) if program is not None else find_imgfetch_bin()


def program_version(path: str) -> Optional[str]:
    """The version that the program tells; None where it does not start."""
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    words = done.stdout.decode(errors="replace").split()
    return words[1] if len(words) > 1 and words[0] == _NAME else None


_USUAL_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def program_environment() -> Dict[str, str]:
    """The environment of the program: this process's, with certifi's certificates where the system has none."""
    environment = dict(os.environ)
    if any(environment.get(name) for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")):
        return environment
    if any(os.path.isfile(path) for path in _USUAL_CERTIFICATES):
        return environment
    try:
        environment["SSL_CERT_FILE"] = import_module("certifi").where()
    except ImportError:
        pass
    return environment
