"""Each recipe of Sources/Python/README.md is run as printed, with a server of the test's own for its hosts."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List

import imgfetch
import pytest
from conftest import ROOT, Server, png

_TEXT = (ROOT / "Sources" / "Python" / "README.md").read_text()
RECIPES: List[str] = re.findall(r"```python\n(.*?)```", _TEXT, re.S)


def test_there_are_ten() -> None:
    assert len(RECIPES) == 10


# The modules that a recipe needs.
NEEDS: Dict[int, List[str]] = {3: ["pandas"], 6: ["pyarrow"], 8: ["duckdb", "pyarrow"]}
# The name that a recipe gives its result, which is of three pictures.
RESULTS: Dict[int, str] = {3: "frame", 4: "sizes", 5: "images", 10: "examples"}


def run(number: int, urls: List[str]) -> Dict[str, Any]:
    names: Dict[str, Any] = {"__name__": "__main__"}
    code = RECIPES[number - 1].replace("https://example.org/cat.jpg", urls[0])
    exec(compile(code, f"recipe {number}", "exec"), names)
    return names


@pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", range(1, 11))
def test_recipe(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int) -> None:
    for module in NEEDS.get(number, []):
        pytest.importorskip(module)
    urls = [server.url(f"{n}.png") for n in (1, 2, 3)]
    (tmp_path / "list.txt").write_text("\n".join(urls) + "\n")
    (tmp_path / "list.csv").write_text("url,caption\n" + "".join(f"{url},{n}\n" for n, url in enumerate(urls)))
    if number in (6, 8):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"url": urls, "caption": ["a", "b", "c"]})
        pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "list.parquet")
    if number == 7:
        imgfetch.pack("list.csv", "set", member_ext="jpg", parquet=False)
    if number == 8:
        run(6, urls)
    names = run(number, urls)
    said = capsys.readouterr().out
    if number in RESULTS:
        assert len(names[RESULTS[number]]) == 3
    if number == 1:
        assert names["image"] == png(8, 4, 1)
    elif number == 2:
        assert all(url in said for url in urls)
    elif number == 3:
        assert all(Path(path).exists() for path in names["frame"]["path"])
    elif number == 5:
        assert names["images"] == [png(8, 4, n) for n in (1, 2, 3)]
    elif number == 6:
        assert "3 images, 0 failed" in said
    elif number == 7:
        assert names["count"] == 3
    elif number == 8:
        assert "(200, None, 3)" in said


def test_commands_name_the_wheel_by_its_file() -> None:
    """The name is not published yet: another project's package would be installed by it."""
    for path in (ROOT / "README.md", ROOT / "Sources" / "Python" / "README.md", *(ROOT / "man").iterdir()):
        for line in path.read_text().splitlines():
            assert not re.search(r"(uvx|pipx run|tool install|pip3? install)\s+['\"]?imgfetch(?![-*])", line), f"{path}: {line}"
