"""The memory rule: a block in the person's own instructions, put in once and taken out to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import UnparsableSettings
from wwt_vault.setup import RULE, Machine, Programs, carry_out, connect, disconnect
from wwt_vault.setup.rule import add_block, remove_block

TEXTS = st.lists(st.sampled_from(["# 규칙", "be brief", "\n", "\r\n", " ", "<!-- x -->", "\ufeff", "```"])).map("".join)


def write(machine: Machine, name: str, text: str) -> Path:
    """Write a file into the home folder."""
    path = machine.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def put_in(machine: Machine, programs: Programs, *hosts: str, rule: bool | None = True) -> list[str | None]:
    """Set up with the rule; return what became of it."""
    return [carry_out(plan, machine).rule for plan in connect(hosts, machine, programs, rule=rule)]


def take_out(machine: Machine, programs: Programs, *hosts: str) -> list[str | None]:
    """Remove; return what became of the rule."""
    return [carry_out(plan, machine).rule for plan in disconnect(hosts, machine, programs)]


@given(TEXTS)
def test_what_is_put_in_comes_out_to_the_byte(text: str) -> None:
    """Whatever the file ends with; a second time changes nothing."""
    added = add_block(text, "f")
    assert added.outcome == "added"
    assert RULE in added.text.replace("\r\n", "\n")
    assert add_block(added.text, "f") == (added.text, "present")
    assert remove_block(added.text, "f") == (text, "removed")
    assert remove_block(text, "f") == (text, "absent")


@given(TEXTS, TEXTS, TEXTS)
def test_what_was_written_around_it_since_stays(text: str, above: str, below: str) -> None:
    """Only the block goes."""
    added = add_block(text, "f").text
    assert remove_block(above + added + below, "f").text == above + text + below


def test_an_older_rule_is_brought_up_to_date_where_it_stands() -> None:
    """What the block says is ours; where it stands is the person's."""
    added = add_block("# Mine\n", "f").text + "\nbelow\n"
    old = added.replace("search first", "look first")
    assert add_block(old, "f") == (added, "updated")


def test_a_block_without_its_end_is_refused() -> None:
    """Where it ends is not for us to guess."""
    broken = add_block("# Mine\n", "f").text.replace("end of memory rule", "")
    with pytest.raises(UnparsableSettings, match="line 3"):
        add_block(broken, "f")
    with pytest.raises(UnparsableSettings, match="no end"):
        remove_block(broken, "f")


@pytest.mark.parametrize("promise", ["search first", "now wins", "Cite", "Do not guess", "never an instruction"])
def test_the_rule_says_what_it_must(promise: str) -> None:
    """The five things that an agent has to know of a memory."""
    assert promise in RULE


def test_codex_reads_the_override_alone(machine: Machine, programs: Programs) -> None:
    """There the rule goes where there is one, and an empty one counts for none."""
    override = write(machine, ".codex/AGENTS.override.md", "")
    put_in(machine, programs, "codex")
    usual = machine.home / ".codex" / "AGENTS.md"
    assert RULE in usual.read_text()
    override.write_text("Only this.\n")
    put_in(machine, programs, "codex")
    assert RULE in override.read_text()
    take_out(machine, programs, "codex")
    assert override.read_text() == "Only this.\n"
    assert not usual.exists()


@pytest.mark.parametrize(
    ("name", "value"), [("AGENTS.md", '"AGENTS.md"'), ("MINE.md", '["MINE.md", "GEMINI.md"]'), ("GEMINI.md", '"../x"')]
)
def test_gemini_reads_the_file_that_its_settings_name(
    machine: Machine, programs: Programs, name: str, value: str
) -> None:
    """One in another folder is not followed."""
    write(machine, ".gemini/settings.json", f'{{"context": {{"fileName": {value}}}}}')
    write(machine, f".gemini/{name}", "mine\n")
    assert put_in(machine, programs, "gemini") == ["added"]
    assert RULE in (machine.home / ".gemini" / name).read_text()
    assert take_out(machine, programs, "gemini") == ["removed"]
    assert (machine.home / ".gemini" / name).read_text() == "mine\n"


def test_two_hosts_that_share_a_file_by_a_link_have_one_rule(machine: Machine, programs: Programs) -> None:
    """CLAUDE.md is a link to AGENTS.md for many people."""
    shared = write(machine, "dotfiles/AGENTS.md", "# Mine\n")
    for name in (".claude/CLAUDE.md", ".codex/AGENTS.md"):
        (machine.home / name).parent.mkdir()
        (machine.home / name).symlink_to(shared)
    assert put_in(machine, programs, "claude-code", "codex") == ["added", "added"]
    assert shared.read_text().count(RULE) == 1
    assert put_in(machine, programs, "claude-code", "codex") == ["present", "present"]
    take_out(machine, programs, "claude-code", "codex")
    assert shared.read_text() == "# Mine\n"
    assert (machine.home / ".claude" / "CLAUDE.md").is_symlink()


def test_instructions_that_are_no_text_are_refused_and_named(machine: Machine, programs: Programs) -> None:
    """Hooks and server are set up all the same."""
    path = machine.home / ".claude" / "CLAUDE.md"
    path.parent.mkdir()
    path.write_bytes(b"caf\xe9\n")
    [plan] = connect(["claude-code"], machine, programs, rule=True)
    done = carry_out(plan, machine)
    assert (done.hooks, done.mcp, done.rule) == ("added", "added", "refused")
    assert str(path) in str(done.refused[0])
    assert path.read_bytes() == b"caf\xe9\n"


def test_hosts_without_instructions_of_their_own_have_no_rule(machine: Machine, programs: Programs) -> None:
    """Nothing is promised for them."""
    assert put_in(machine, programs, "claude-desktop", "vscode", "cursor") == [None, None, None]
