"""The verbs that begin something: a vault, and the connection to the hosts on this machine."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from wwt_vault import setup as connections
from wwt_vault.capture import HOSTS
from wwt_vault.config import named_vault, user_folders
from wwt_vault.errors import VaultMissing, WwtError
from wwt_vault.ingest import transcripts
from wwt_vault.ingest.excluded import exclusion_list
from wwt_vault.setup import HostPlan, Machine
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, creation, open_vault, relocating
from wwt_vault.vault.files import overwrite
from wwt_vault.vault.layout import check_events_folder

__all__ = ["decline_rule", "files_for_rule", "init", "local_timezone", "server_for_any_client", "setup"]

Json = dict[str, Any]

_FOLDER: Final = "wwt-vault"
"""In the home folder: where setup makes a vault when none is named."""


def init(path: Path, *, lang: str = "en", timezone: str | None = None, events_folder: str | None = None) -> Json:
    """Make a vault from the template at ``path`` if there is none. Returns ``{vault, created, events_folder, moved}``.

    Nothing of the person's is overwritten. It becomes the vault that is used when none is named, if there is no such
    vault yet. ``events_folder`` is where its events shall lie: those it has are ``moved`` there, so many. Raises
    ``BadArgument``, ``VaultReadOnly``, ``UnparsableSettings``, what ``vault.relocating.relocate`` raises.
    """
    if events_folder is not None:
        check_events_folder(events_folder)
    created = not _holds_vault(path)
    vault = creation.create_vault(path, lang=lang, timezone=timezone or local_timezone())
    moved = 0
    if events_folder is not None:
        vault, moved = relocating.relocate(vault, events_folder, state_for(vault).locks)
    if named_vault() is None:
        connections.name_vault(vault.root, _config())
    folder = vault.settings.events_folder
    return {"vault": str(vault.root), "created": created, "events_folder": folder, "moved": moved}


def setup(
    argument: str | None = None,
    *,
    hosts: Sequence[str] = (),
    remove: bool = False,
    dry_run: bool = False,
    rule: bool | None = None,
    exclude: Sequence[Path] = (),
    include: Sequence[Path] = (),
    machine: Machine | None = None,
    program: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Json:
    """Connect ``hosts`` (those on this machine, if none are named), or take out with ``remove`` what that put in.

    Makes a vault if none is named, imports the conversations that the hosts still have, and says what is left to do.
    ``dry_run`` changes nothing and shows what would change. ``rule``: write the memory rule into the files of
    instructions, take it out, or (``None``) keep up to date what is there. Nothing is captured in the folders
    ``exclude`` and below, from now on; in ``include`` it is again. ``machine`` and ``program`` (how this program was
    called) are this machine's unless given. ``tell`` gets a sentence about each change before it is made. Returns
    ``{vault, created, hosts: [{host, hooks, mcp, rule, transcripts, imported, todo, refused}], excluded, diff,
    dry_run}``: whether the vault is made by this, the files that a host still has, the messages taken in. Raises
    ``BadArgument`` for an unknown host, ``VaultMissing`` when a vault is named that is not there.
    """
    machine = machine or _machine()
    programs = connections.find_programs(program or sys.argv[0])
    chosen = list(hosts) or connections.detect(machine)
    # Before anything is imported.
    excluded = connections.change_exclusions(Path(exclusion_list()), exclude=exclude, include=include, dry_run=dry_run)
    if remove:
        plans = connections.disconnect(chosen, machine, programs)
    else:
        plans = connections.connect(chosen, machine, programs, rule=rule)
    shown = "".join(map(connections.diff, plans)) if dry_run else ""
    root = named_vault(argument) or Path.home() / _FOLDER
    created = not remove and not _holds_vault(root)
    vault = None
    if not dry_run:
        made = created and _may_be_made(argument)
        sentences = [f"Makes a vault at {root} and names it in {_config()}."] if made else []
        for sentence in [*sentences, *(line for planned in plans for line in connections.explain(planned, machine))]:
            if tell is not None:
                tell(sentence)
        vault = None if remove else _vault(argument)
        plans = [connections.carry_out(planned, machine) for planned in plans]
        connections.remember_ruled(user_folders().state, machine)
        if rule:
            _declined().unlink(missing_ok=True)
    left = {planned.host: [] if remove else connections.transcripts_of(planned.host, machine) for planned in plans}
    results = [
        _result(planned, left[planned.host], _imported(vault, planned.host, left[planned.host], progress))
        for planned in plans
    ]
    return {
        "vault": str(vault.root if vault else root),
        "created": created,
        "hosts": results,
        "excluded": excluded,
        "diff": shown,
        "dry_run": dry_run,
    }


def files_for_rule(hosts: Sequence[str] = (), *, machine: Machine | None = None, program: str | None = None) -> Json:
    """Return where the memory rule would go, and does not stand yet: ``{files, rule}``. Changes nothing.

    No file for a person who once declined and has not asked for the rule since.
    Arguments and errors as of :func:`setup`.
    """
    machine = machine or _machine()
    if _declined().exists():
        return {"files": [], "rule": connections.RULE}
    programs = connections.find_programs(program or sys.argv[0])
    chosen = list(hosts) or connections.detect(machine)
    without, with_rule = (connections.connect(chosen, machine, programs, rule=rule) for rule in (None, True))
    known = {change.path for plan in without for change in plan.files}
    files = [str(change.path) for plan in with_rule for change in plan.files if change.path not in known]
    return {"files": files, "rule": connections.RULE}


def decline_rule() -> None:
    """Remember that the person does not want the memory rule. Raises ``VaultError``."""
    overwrite(_declined(), b"", private=True)


def server_for_any_client(program: str | None = None) -> Json:
    """Return the MCP server as any client's documentation has it: ``{"mcpServers": {"wwt": {command, args}}}``.

    ``program`` is how this program was called. Changes nothing. Raises ``NotFound`` when it is not installed.
    """
    return connections.any_client(connections.find_programs(program or sys.argv[0]).server)


def local_timezone() -> str | None:
    """Return the IANA name of this machine's time zone as far as it tells, ``None`` where it does not."""
    named = os.environ.get("TZ", "").lstrip(":")
    try:
        link = named or os.path.realpath("/etc/localtime")
    except OSError:
        return None
    name = link.rpartition("zoneinfo/")[2]
    return name if re.fullmatch(r"[A-Za-z_+-]+(/[A-Za-z0-9_+-]+)+|UTC", name) else None


def _machine() -> Machine:
    """Return this machine, with the project that the command was started in."""
    home, here = Path.home(), Path.cwd()
    project = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)
    if project is None and (here / ".cursor").is_dir():
        project = here
    ruled = connections.ruled_projects(user_folders().state)
    return Machine(home=home, environ=os.environ, project=None if project == home else project, ruled=ruled)


def _vault(argument: str | None) -> Vault:
    """Open the vault that is named; make one where that was asked for, or none is named.

    One that the settings name and that is missing may only be not mounted: that is an error.
    """
    root = named_vault(argument)
    if root is None or _may_be_made(argument):
        root = root or Path.home() / _FOLDER
        language = "ko" if os.environ.get("LANG", "").startswith("ko") else "en"
        vault = creation.create_vault(root, lang=language, timezone=local_timezone())
    else:
        vault = open_vault(root)
    connections.name_vault(vault.root, _config())
    return vault


def _may_be_made(argument: str | None) -> bool:
    """Return whether the vault was asked for now, or none is named at all."""
    return bool(argument or os.environ.get("WWT_VAULT")) or named_vault() is None


def _declined() -> Path:
    return user_folders().state / "rule-declined"


def _config() -> Path:
    """Return the user's settings file, which names the vault."""
    return user_folders().config / "config.toml"


def _holds_vault(path: Path) -> bool:
    try:
        open_vault(path)
    except VaultMissing:
        return False
    return True


def _imported(
    vault: Vault | None, host: str, paths: Sequence[Path], progress: Callable[[int, int], None] | None
) -> Mapping[str, Any]:
    """Import what the host still has; return how many messages, and what was not understood."""
    if vault is None:
        return {"events": 0, "problem": None}
    try:
        name = host if host in HOSTS else None  # else each file tells whose form it has
        report = transcripts.ingest_paths(vault, state_for(vault), paths, host=name, progress=progress)
    except (WwtError, OSError) as error:
        return {"events": 0, "problem": f"Its conversations could not be imported: {error}"}
    skipped = sum(part.reason != transcripts.NOTHING_SAID for part in report.skipped)
    problem = f"{skipped} parts of its conversations were not understood: `wwt ingest` names them." if skipped else None
    return {"events": report.events_added, "problem": problem}


def _result(plan: HostPlan, paths: Sequence[Path], imported: Mapping[str, Any]) -> Json:
    return {
        "host": plan.host,
        "hooks": plan.hooks,
        "mcp": plan.mcp,
        "rule": plan.rule,
        "transcripts": len(paths),
        "imported": imported["events"],
        "todo": [*plan.todo, *([imported["problem"]] if imported["problem"] else [])],
        "refused": [error.as_json() for error in plan.refused],
    }
