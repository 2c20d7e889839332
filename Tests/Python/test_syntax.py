"""The oldest Python that the wheel says it is for."""
from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from conftest import ROOT

OLDEST = (3, 9)


def test_the_wheel_says_so() -> None:
    metadata = (ROOT / "Scripts" / "package.d" / "wheel.py").read_text()
    assert re.findall(r"^Requires-Python: >=(\d+)\.(\d+)$", metadata, re.M) == [tuple(map(str, OLDEST))]


@pytest.mark.parametrize("path", sorted((ROOT / "Sources" / "Python" / "imgfetch").glob("*.py")), ids=lambda path: path.name)
def test_its_grammar_will_do(path: Path) -> None:
    tree = ast.parse(path.read_text(), str(path), feature_version=OLDEST)
    # Without this, types such as `Unpack` would be looked up by that Python.
    if any(isinstance(node, (ast.FunctionDef, ast.AnnAssign)) for node in ast.walk(tree)):
        assert "from __future__ import annotations" in path.read_text()
