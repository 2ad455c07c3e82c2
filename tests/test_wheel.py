"""What is installed is whole: built from the source archive, run far from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, Ran, run_process

from memshelf.capture.served import served

SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source archive and the wheel that was built from it."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    ran = run_process(command, cwd=out)
    assert ran.code == 0, ran.out + ran.err
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the wheel in it.

    Dependencies are those of the environment that runs the tests, so that nothing is downloaded.
    They are found through a path file: path files inside that folder, such as the one of an
    editable install of this checkout, are not read then.
    """
    folder = tmp_path_factory.mktemp("installed")
    environment = folder / "env"
    assert run_process([sys.executable, "-m", "venv", "--without-pip", "env"], cwd=folder).code == 0
    python = environment / SCRIPTS / Path(sys.executable).name
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    options = ["install", "--quiet", "--no-deps", "--no-index", "--no-cache-dir"]
    ran = run_process([*pip, *options, str(wheel)], cwd=folder)
    assert ran.code == 0, ran.out + ran.err
    mine, theirs = (_site_packages(each, folder) for each in (str(python), sys.executable))
    (Path(mine[0]) / "dependencies.pth").write_text("\n".join(theirs) + "\n", "utf-8")
    return python


def _site_packages(python: str, folder: Path) -> list[str]:
    asked = "import sysconfig as s; print(*{s.get_path(n): 0 for n in ('purelib', 'platlib')}, sep='\\n')"
    return run_process([python, "-c", asked], cwd=folder).out.splitlines()


def run(installed: Path, folder: Path, *words: str) -> Ran:
    """Run the script `memshelf` of the fresh environment, in a folder."""
    script = shutil.which("memshelf", path=str(installed.parent))
    assert script
    return run_process([script, *words], cwd=folder)


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"memshelf"}
    inside = {name.partition("/")[2] for name in names}
    for name in ("py.typed", "sample/shelf.yml", "site_templates/export.html.j2"):
        assert name in inside
    for name in (".docshelf.json", ".gitignore", ".gitattributes", "archive/.docshelf.json"):
        assert f"sample/{name}" in inside
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_what_was_installed_from_a_checkout_is_known_for_its_code(
    wheel: Path, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (info,) = tmp_path.glob("memshelf-*.dist-info")
    noted = {"url": ROOT.as_uri(), "dir_info": {}}
    (info / "direct_url.json").write_text(json.dumps(noted), "utf-8")
    assert served(tmp_path / "memshelf", info).state == "same"


def test_every_file_of_the_sample_and_of_the_templates_is_in_the_wheel(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    for source, target in (("memshelf/sample", "sample"), ("site_templates", "site_templates")):
        folder = ROOT / source
        for path in folder.rglob("*"):
            if path.is_file() and path.name != ".gitkeep":
                assert f"memshelf/{target}/{path.relative_to(folder).as_posix()}" in inside


def test_the_source_archive_holds_what_a_checkout_has_and_no_rubbish(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    for name in ("Makefile", "README.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml", "docs/index.md"):
        assert name in names
    assert not [name for name in names if name.split("/")[0] in (".venv", "build", "dist", "site")]


def test_the_installed_scripts_answer(installed: Path, tmp_path: Path) -> None:
    from memshelf import __version__

    assert run(installed, tmp_path, "--version").out == f"memshelf {__version__}\n"
    script = shutil.which("memshelf-mcp", path=str(installed.parent))
    assert script
    ran = run_process([script, "--version"], cwd=tmp_path)
    assert ran.out == f"memshelf-mcp {__version__}\n"


def test_templates_and_sample_are_found_in_the_installed_package(
    installed: Path, tmp_path: Path
) -> None:
    asked = (
        "import memshelf; from memshelf.render import templates\n"
        "print(memshelf.__file__, memshelf.sample_shelf(), templates.folders()[0], sep='\\n')"
    )
    ran = run_process([str(installed), "-c", asked], cwd=tmp_path)
    assert ran.code == 0, ran.err
    for line in ran.out.splitlines():
        assert line.startswith(str(installed.parent.parent)) and Path(line).exists()


def test_a_page_is_rendered_from_the_installed_package(installed: Path, tmp_path: Path) -> None:
    asked = "import memshelf; print(memshelf.sample_shelf())"
    sample = run_process([str(installed), "-c", asked], cwd=tmp_path).out.strip()
    shutil.copytree(sample, tmp_path / "shelf")
    out = tmp_path / "shelf.html"
    ran = run(installed, tmp_path, "export", "html", "--shelf", "shelf", "--out", str(out))
    assert ran.code == 0, ran.err
    assert "Eelgrass project memory" in out.read_text("utf-8")
