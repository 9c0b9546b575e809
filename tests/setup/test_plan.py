"""Setup's promises: told before done, done once, taken back to the byte, and never more than ours."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.errors import BadArgument, UnparsableSettings
from wwt_vault.setup import HostPlan, Machine, Programs, carry_out, connect, detect, diff, disconnect
from wwt_vault.setup.hosts import CONNECTIONS

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and scripts are POSIX's")

PERSONS: dict[str, bytes] = {
    ".claude/settings.json": b'{\n\t"model" : "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    ".claude.json": b'{"numStartups": 3, "mcpServers": {}}',
    ".codex/hooks.json": b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}',
    ".codex/config.toml": '# 내 설정\r\nmodel = "gpt-5"\r\n\r\n[tui]\r\ntheme = "x"'.encode(),
    ".gemini/settings.json": '{\r\n  // 주석\r\n  "theme": "dark" /* mine */\r\n}'.encode(),
    ".cursor/hooks.json": b'{"hooks": {"stop": [{"command": "say done"}]}, "version": 1}',
    ".cursor/mcp.json": b'{\n  "mcpServers": {\n    "github": {"url": "https://x"}\n  }\n}\n',
    ".config/Claude/claude_desktop_config.json": b'{\n  "preferences": {"quickEntry": true}\n}',
    ".config/Code/User/mcp.json": (
        '{\n\t// 내 서버\n\t"servers": {\n\t\t"a": {"url": "a"},\n\t},\n\t"inputs": [],\n}\n'.encode()
    ),
}


def lay_out(machine: Machine, files: dict[str, bytes]) -> None:
    """Write the person's files into the home folder."""
    for name, data in files.items():
        path = machine.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def snapshot(machine: Machine) -> dict[str, bytes]:
    """Return every file in the home folder."""
    paths = sorted(path for path in machine.home.rglob("*") if path.is_file())
    return {path.relative_to(machine.home).as_posix(): path.read_bytes() for path in paths}


def set_up(machine: Machine, programs: Programs, hosts: list[str] | None = None) -> list[HostPlan]:
    """Plan and do it, for all hosts."""
    plans = connect(hosts or list(CONNECTIONS), machine, programs)
    return [carry_out(plan, machine) for plan in plans]


def take_out(machine: Machine, programs: Programs) -> list[HostPlan]:
    """Plan to remove and do it, for all hosts."""
    return [carry_out(plan, machine) for plan in disconnect(list(CONNECTIONS), machine, programs)]


def outcomes(plans: list[HostPlan]) -> set[str]:
    """Return what became of hooks and servers."""
    return {outcome for plan in plans for outcome in (plan.hooks, plan.mcp) if outcome is not None}


def test_hosts_are_detected_by_program_or_folder(machine: Machine, tmp_path: Path) -> None:
    """Nothing there, nothing found; a folder or a program on PATH is enough; folders by variable count."""
    assert detect(machine) == []
    (machine.home / ".gemini").mkdir()
    (tmp_path / "elsewhere").mkdir()
    moved = machine._replace(environ={**machine.environ, "CODEX_HOME": str(tmp_path / "elsewhere")})
    assert detect(moved) == ["codex", "gemini"]


@posix
def test_a_program_on_path_is_a_host(machine: Machine, tmp_path: Path) -> None:
    """Installed and never started is installed."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert detect(machine) == ["claude-code"]


def test_an_unknown_host_is_refused(machine: Machine, programs: Programs) -> None:
    """The message lists the known ones."""
    with pytest.raises(BadArgument, match="claude-code, codex, gemini, cursor, claude-desktop, vscode"):
        connect(["emacs"], machine, programs)


@pytest.mark.parametrize("files", [PERSONS, {}], ids=["settings there", "no settings"])
def test_set_up_and_removed_every_file_is_as_before(
    machine: Machine, programs: Programs, files: dict[str, bytes]
) -> None:
    """Byte for byte, and no copy is left; what setup made is gone."""
    lay_out(machine, files)
    assert outcomes(set_up(machine, programs)) == {"added"}
    assert outcomes(take_out(machine, programs)) == {"removed"}
    assert snapshot(machine) == files


@pytest.mark.parametrize("files", [PERSONS, {}], ids=["settings there", "no settings"])
def test_a_second_run_changes_nothing(machine: Machine, programs: Programs, files: dict[str, bytes]) -> None:
    """Neither the settings nor the copies from before."""
    lay_out(machine, files)
    set_up(machine, programs)
    after = snapshot(machine)
    plans = connect(list(CONNECTIONS), machine, programs)
    assert outcomes(plans) == {"present"}
    assert [plan.files + plan.commands for plan in plans] == [()] * len(CONNECTIONS)
    set_up(machine, programs)
    assert snapshot(machine) == after


def test_removing_twice_or_without_setup_does_nothing(machine: Machine, programs: Programs) -> None:
    """Nothing of ours, nothing to do."""
    lay_out(machine, PERSONS)
    assert outcomes(take_out(machine, programs)) == {"absent"}
    assert snapshot(machine) == PERSONS


def test_planning_writes_nothing_and_the_diff_tells_all(machine: Machine, programs: Programs) -> None:
    """A dry run shows every line that would come and no line that would go, but for ends of lines."""
    lay_out(machine, PERSONS)
    plans = connect(list(CONNECTIONS), machine, programs)
    shown = "".join(diff(plan) for plan in plans)
    assert snapshot(machine) == PERSONS
    for name in PERSONS:
        assert f"+++ {machine.home / name}" in shown
    assert shown.count("/opt/wwt/bin/wwt-hook") == 17
    assert set_up(machine, programs) and "".join(diff(plan) for plan in connect(["codex"], machine, programs)) == ""


def test_what_the_person_changed_since_survives_the_removal(machine: Machine, programs: Programs) -> None:
    """Only our entries go: the person's new settings, comments and hooks stay as they wrote them."""
    lay_out(machine, PERSONS)
    set_up(machine, programs)
    gemini = machine.home / ".gemini" / "settings.json"
    gemini.write_bytes(gemini.read_bytes().replace(b'"theme": "dark"', b'// new\r\n  "theme": "light"'))
    codex = machine.home / ".codex" / "config.toml"
    codex.write_bytes(codex.read_bytes() + b'\r\n[projects."/x"]\r\ntrust_level = "trusted"\r\n')
    take_out(machine, programs)
    assert gemini.read_bytes() == PERSONS[".gemini/settings.json"].replace(
        b'"theme": "dark"', b'// new\r\n  "theme": "light"'
    )
    assert codex.read_bytes().startswith(PERSONS[".codex/config.toml"] + b"\r\n")
    assert codex.read_bytes().endswith(b'\r\n[projects."/x"]\r\ntrust_level = "trusted"\r\n')
    assert b"wwt" not in codex.read_bytes() + gemini.read_bytes()


def test_settings_made_after_setup_keep_the_file(machine: Machine, programs: Programs) -> None:
    """A file that setup made is not deleted once it holds something of the person's."""
    set_up(machine, programs)
    path = machine.home / ".claude" / "settings.json"
    value = json.loads(path.read_text())
    path.write_text(json.dumps({**value, "model": "opus"}))
    take_out(machine, programs)
    assert json.loads(path.read_text()) == {"model": "opus"}


@posix
def test_the_copy_from_before_is_the_persons_alone(machine: Machine, programs: Programs) -> None:
    """Settings can hold keys: the copy is made once, with the bytes from before, readable by nobody else."""
    lay_out(machine, PERSONS)
    set_up(machine, programs)
    copies = sorted(machine.home.rglob("*.before-wwt"))
    assert len(copies) == len(PERSONS)
    for copy in copies:
        name = copy.relative_to(machine.home).as_posix().removesuffix(".before-wwt")
        assert copy.read_bytes() == PERSONS[name]
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600


@posix
def test_links_of_a_dotfile_manager_stay_links(machine: Machine, programs: Programs, tmp_path: Path) -> None:
    """The file they lead to is changed and changed back, with its mode."""
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(PERSONS[".claude/settings.json"])
    target.chmod(0o640)
    link = machine.home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(target)
    set_up(machine, programs, ["claude-code"])
    assert link.is_symlink()
    assert b"wwt-hook" in target.read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["claude.json"]
    take_out(machine, programs)
    assert link.is_symlink()
    assert target.read_bytes() == PERSONS[".claude/settings.json"]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        (".claude/settings.json", b'{\n  "a": [1],\n}', "line 2: a comma that nothing follows"),
        (".config/Code/User/mcp.json", b'{\n  "servers": 1,\n}', "servers should be an object"),
        (".codex/hooks.json", b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (".codex/config.toml", b"a = 1\nb =\n", "line 2"),
        (".gemini/settings.json", b'{"hooks": []}', "hooks should be an object"),
        (".claude.json", b"[]", "no JSON object"),
    ],
)
def test_a_file_that_does_not_parse_is_refused_and_the_others_go_on(
    machine: Machine, programs: Programs, name: str, data: bytes, says: str
) -> None:
    """The file is left as it is and named; every other one is set up."""
    lay_out(machine, {**PERSONS, name: data})
    plans = set_up(machine, programs)
    refused = [error for plan in plans for error in plan.refused]
    assert [type(error) for error in refused] == [UnparsableSettings]
    assert says in str(refused[0])
    assert refused[0].data["path"] == str(machine.home / name)
    assert (machine.home / name).read_bytes() == data
    assert outcomes(plans) == {"added", "refused"}
    others = [machine.home / other for other in PERSONS if other != name]
    assert all(b"wwt" in other.read_bytes() for other in others)


def test_a_file_changed_between_plan_and_deed_is_not_overwritten(machine: Machine, programs: Programs) -> None:
    """What another program wrote in that moment stays."""
    lay_out(machine, PERSONS)
    [plan] = connect(["gemini"], machine, programs)
    lay_out(machine, {".gemini/settings.json": b'{"theme": "new"}'})
    done = carry_out(plan, machine)
    assert (done.hooks, done.mcp) == ("failed", "failed")
    assert "run this again" in str(done.refused[0])
    assert (machine.home / ".gemini" / "settings.json").read_bytes() == b'{"theme": "new"}'


def test_folders_named_by_variables_are_used(machine: Machine, programs: Programs, tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR, CODEX_HOME and GEMINI_CLI_HOME, as the hosts read them."""
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    environ["GEMINI_CLI_HOME"] = str(tmp_path / "g")
    set_up(machine._replace(environ={**machine.environ, **environ}), programs, ["claude-code", "codex", "gemini"])
    assert snapshot(machine) == {}
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"c/settings.json", "c/.claude.json", "x/hooks.json", "x/config.toml", "g/.gemini/settings.json"}


def todo(machine: Machine, programs: Programs, host: str) -> str:
    """Return what is left for the person after setting up one host."""
    return "\n".join(set_up(machine, programs, [host])[0].todo)


def test_codex_hooks_must_be_approved_until_they_are(machine: Machine, programs: Programs) -> None:
    """The person is told at every run until Codex has noted an approval."""
    assert "/hooks" in todo(machine, programs, "codex")
    assert "/hooks" in todo(machine, programs, "codex")
    config = machine.home / ".codex" / "config.toml"
    key = json.dumps(f"{machine.home / '.codex' / 'hooks.json'}:stop:0:0")
    with config.open("a") as file:
        file.write(f'\n[hooks.state.{key}]\ntrusted_hash = "x"\n')
    assert todo(machine, programs, "codex") == ""


@pytest.mark.parametrize(
    ("host", "files", "says"),
    [
        ("claude-code", {".claude/settings.json": b'{"disableAllHooks": true}'}, "disableAllHooks = true"),
        ("gemini", {".gemini/settings.json": b'{"hooksConfig": {"enabled": false}}'}, "hooksConfig.enabled = false"),
        ("codex", {".codex/config.toml": b"[features]\nhooks = false\n"}, "features.hooks = false"),
        ("claude-code", {".claude/settings.json": b'{\n// c\n"a": 1}'}, "the comment in line 2"),
        ("codex", {".codex/hooks.json": b"\xef\xbb\xbf{}"}, "byte order mark"),
        ("gemini", {".gemini/settings.json": b'{"mcpServers": {"wwt": {"url": "x"}}}'}, "another MCP server named wwt"),
    ],
)
def test_what_stands_in_the_way_is_told(
    machine: Machine, programs: Programs, host: str, files: dict[str, bytes], says: str
) -> None:
    """Set up and silent would look like working."""
    lay_out(machine, files)
    assert says in todo(machine, programs, host)


@pytest.mark.parametrize("host", ["claude-code", "gemini"])
def test_nothing_is_left_to_do_where_all_is_well(machine: Machine, programs: Programs, host: str) -> None:
    """No news is good news."""
    lay_out(machine, {name: data for name, data in PERSONS.items() if name != ".codex/hooks.json"})
    assert todo(machine, programs, host) == ""


def claude(machine: Machine, script: str) -> Path:
    """Put a program named ``claude`` on PATH that notes its arguments, does ``script``, and keeps what it is given."""
    folder = Path(machine.environ["PATH"])
    folder.mkdir()
    program = folder / "claude"
    note = 'for word in "$@"; do echo "$word" >> "$HOME/words"; done'
    keep = '[ "$2" = remove ] || echo "{\\"mcpServers\\": {\\"wwt\\": $6}}" > "$HOME/.claude.json"'
    program.write_text(f"#!/bin/sh\n{note}\n{script}\n{keep}\n")
    program.chmod(0o755)
    return program


@posix
def test_a_file_that_claude_keeps_is_changed_by_claude(machine: Machine, programs: Programs) -> None:
    """A running Claude Code rewrites that file: its own command is the one that it does not undo."""
    program = claude(machine, "")
    lay_out(machine, PERSONS)
    [plan] = set_up(machine, programs, ["claude-code"])
    *words, entry = (machine.home / "words").read_text().splitlines()
    assert words == ["mcp", "add-json", "--scope", "user", "wwt"]
    assert json.loads(entry).items() >= {"command": "/opt/wwt/bin/wwt", "args": ["serve"]}.items()
    assert plan.mcp == "added"
    assert json.loads((machine.home / ".claude.json").read_bytes()) == {"mcpServers": {"wwt": json.loads(entry)}}
    (machine.home / ".claude.json").unlink()
    assert f"# {program} mcp add-json" in diff(connect(["claude-code"], machine, programs)[0])


@posix
def test_a_command_that_did_nothing_is_not_believed(machine: Machine, programs: Programs) -> None:
    """Claude Code says "Added" and exits 0 when it cannot write its file."""
    claude(machine, "echo Added; exit 0")
    [plan] = set_up(machine, programs, ["claude-code"])
    assert (plan.hooks, plan.mcp) == ("added", "failed")
    assert f"changed nothing in {machine.home / '.claude.json'}" in plan.todo[-1]


@posix
def test_a_moved_server_is_taken_out_before_it_is_added(machine: Machine, programs: Programs) -> None:
    """``claude mcp add-json`` refuses a name that is taken."""
    claude(machine, "")
    entry: dict[str, Any] = {"mcpServers": {"wwt": {"command": "/old/wwt", "args": ["serve"]}}}
    lay_out(machine, {".claude.json": json.dumps(entry).encode()})
    assert set_up(machine, programs, ["claude-code"])[0].mcp == "updated"
    words = (machine.home / "words").read_text().split()
    assert words[:5] == ["mcp", "remove", "--scope", "user", "wwt"]
    assert words[5:7] == ["mcp", "add-json"]


@posix
def test_a_command_that_fails_is_told_with_what_to_run(machine: Machine, programs: Programs) -> None:
    """The hooks are there all the same, and the person can do the rest by hand."""
    claude(machine, "echo 'no such scope' >&2; exit 1")
    [plan] = set_up(machine, programs, ["claude-code"])
    assert (plan.hooks, plan.mcp) == ("added", "failed")
    assert "no such scope" in plan.todo[-1]
    assert "mcp add-json --scope user wwt '{" in plan.todo[-1]
