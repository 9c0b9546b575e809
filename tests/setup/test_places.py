"""Where hosts keep their files, on all three systems, wherever the test itself runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from wwt_vault.setup import Machine, Programs, carry_out, connect, detect, disconnect
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.places import file_of

CLI = {
    ("claude-code", "hooks"): ".claude/settings.json",
    ("claude-code", "mcp"): ".claude.json",
    ("codex", "hooks"): ".codex/hooks.json",
    ("codex", "mcp"): ".codex/config.toml",
    ("gemini", "hooks"): ".gemini/settings.json",
    ("gemini", "mcp"): ".gemini/settings.json",
    ("cursor", "hooks"): ".cursor/hooks.json",
    ("cursor", "mcp"): ".cursor/mcp.json",
}
SUPPORT = {"linux": ".config", "darwin": "Library/Application Support", "win32": "AppData/Roaming"}


def expected(platform: str) -> dict[tuple[str, str], str]:
    """Return every file that setup changes on a system, from the home folder."""
    support = SUPPORT[platform]
    return CLI | {
        ("claude-desktop", "mcp"): f"{support}/Claude/claude_desktop_config.json",
        ("vscode", "mcp"): f"{support}/Code/User/mcp.json",
    }


def on(machine: Machine, platform: str) -> Machine:
    """Return the machine with another system."""
    return machine._replace(platform=platform, shorten=lambda path: path.replace(" ", "_"))


@pytest.mark.parametrize("platform", SUPPORT)
def test_every_file_lies_where_its_host_looks(machine: Machine, platform: str) -> None:
    """Linux, macOS and Windows, without any variable set."""
    there = on(machine, platform)
    found = {
        (host, part): file_of(host, file.file, there).relative_to(machine.home).as_posix()
        for host, row in CONNECTIONS.items()
        for part, file in (("hooks", row.hooks), ("mcp", row.mcp))
        if file is not None
    }
    assert found == expected(platform)


@pytest.mark.parametrize("platform", SUPPORT)
def test_set_up_and_removed_nothing_is_left_on_any_system(machine: Machine, platform: str) -> None:
    """The very files are made, and gone again."""
    there = on(machine, platform)
    programs = Programs("/opt/wwt/wwt-hook", "/opt/wwt/wwt")

    def files() -> set[str]:
        return {path.relative_to(machine.home).as_posix() for path in machine.home.rglob("*") if path.is_file()}

    for plan in connect(list(CONNECTIONS), there, programs):
        carry_out(plan, there)
    assert files() == set(expected(platform).values())
    for plan in disconnect(list(CONNECTIONS), there, programs):
        carry_out(plan, there)
    assert files() == set()


@pytest.mark.parametrize("platform", SUPPORT)
@pytest.mark.parametrize(
    ("host", "folder"),
    [
        ("cursor", ".cursor"),
        ("cursor", "{support}/Cursor"),
        ("claude-desktop", "{support}/Claude"),
        ("vscode", "{support}/Code/User"),
    ],
)
def test_a_program_with_windows_is_found_by_its_folder(machine: Machine, platform: str, host: str, folder: str) -> None:
    """It need not be on PATH."""
    (machine.home / folder.replace("{support}", SUPPORT[platform])).mkdir(parents=True)
    assert detect(on(machine, platform)) == [host]


def test_variables_of_the_system_name_other_folders(machine: Machine, tmp_path: Path) -> None:
    """XDG_CONFIG_HOME on Linux, APPDATA on Windows."""
    elsewhere = str(tmp_path / "moved")
    for platform, name in (("linux", "XDG_CONFIG_HOME"), ("win32", "APPDATA")):
        there = on(machine, platform)._replace(environ={**machine.environ, name: elsewhere})
        assert file_of("vscode", "mcp.json", there) == tmp_path / "moved" / "Code" / "User" / "mcp.json"
    relative = machine._replace(environ={**machine.environ, "XDG_CONFIG_HOME": "moved"})
    assert file_of("vscode", "mcp.json", relative) == machine.home / ".config" / "Code" / "User" / "mcp.json"


def test_claude_desktop_from_the_windows_store_has_a_folder_of_its_own(machine: Machine, tmp_path: Path) -> None:
    """The file that it would not see is left alone."""
    there = on(machine, "win32")._replace(environ={**machine.environ, "LOCALAPPDATA": str(tmp_path / "local")})
    (machine.home / SUPPORT["win32"] / "Claude").mkdir(parents=True)
    usual = file_of("claude-desktop", "x.json", there)
    store = tmp_path / "local" / "Packages" / "Claude_pzs8sxrjxfjjc" / "LocalCache" / "Roaming" / "Claude"
    store.mkdir(parents=True)
    assert usual == machine.home / SUPPORT["win32"] / "Claude" / "x.json"
    assert file_of("claude-desktop", "x.json", there) == store / "x.json"
