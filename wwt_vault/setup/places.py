"""The machine that setup works on: which hosts are there, and where each keeps the files that setup changes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from wwt_vault.capture import find_transcripts, host_folder
from wwt_vault.capture.hosts import HOSTS
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.programs import short_path

__all__ = ["Machine", "detect", "file_of", "folder_of", "program_of", "transcripts_of"]


class Machine(NamedTuple):
    """What setup is told instead of looking for itself; a test gives it a home of its own."""

    home: Path
    environ: Mapping[str, str]
    platform: str = sys.platform
    shorten: Callable[[str], str | None] = short_path
    """Finds a name without blanks for a file on Windows."""
    project: Path | None = None
    """The project's folder that setup is run in, for hosts that read rules per project."""
    ruled: tuple[Path, ...] = ()
    """The projects in which such a rule was written."""


def detect(machine: Machine) -> list[str]:
    """Return the hosts on this machine: those whose program is on PATH or whose folder is there."""
    return [
        host
        for host, row in CONNECTIONS.items()
        if program_of(host, machine)
        or folder_of(host, machine).is_dir()
        or any(found.is_dir() for sign in row.signs for found in _matches(sign, machine))
    ]


def program_of(host: str, machine: Machine) -> str | None:
    """Return the host's own program, ``None`` when it is not on PATH."""
    program = HOSTS[host].program if host in HOSTS else ""
    return shutil.which(program, path=machine.environ.get("PATH", "")) if program else None


def folder_of(host: str, machine: Machine) -> Path:
    """Return the host's own folder; it need not exist."""
    if host in HOSTS:
        return host_folder(host, machine.home, machine.environ)
    found = [path for pattern in CONNECTIONS[host].folders for path in _matches(pattern, machine)]
    return next((path for path in found if path.is_dir()), found[-1])


def transcripts_of(host: str, machine: Machine) -> list[Path]:
    """Return the conversations that a host still has on this machine."""
    name = host if host in HOSTS else CONNECTIONS[host].writes_as
    if not name:
        return []
    found = find_transcripts(name, machine.home, machine.environ)
    if name == host:
        return found
    other = host_folder(name, machine.home, machine.environ)
    return [path for path in found if not path.is_relative_to(other)]


def file_of(host: str, name: str, machine: Machine) -> Path:
    """Return where a file of ``CONNECTIONS[host]`` lies."""
    folder = folder_of(host, machine)
    if not name.startswith("{home}/"):
        return folder / name
    named = machine.environ.get(HOSTS[host].folder_variable or "")
    return (folder if named else folder.parent) / name.removeprefix("{home}/")


def _matches(pattern: str, machine: Machine) -> list[Path]:
    """Return what a pattern of ``Connection.folders`` means on this machine; one without ``*`` may not be there."""
    variable, _, rest = pattern.partition("/")
    top = _support(machine) if variable == "{support}" else _local(machine)
    if top is None:
        return []
    return sorted(top.glob(rest)) if "*" in rest else [top / rest]


def _support(machine: Machine) -> Path:
    """Where programs keep their own files: Apple's Library, Windows' roaming AppData, elsewhere the XDG folder."""
    if machine.platform == "darwin":
        return machine.home / "Library" / "Application Support"
    if machine.platform == "win32":
        return Path(machine.environ.get("APPDATA") or machine.home / "AppData" / "Roaming")
    named = machine.environ.get("XDG_CONFIG_HOME", "")
    return Path(named) if named.startswith("/") else machine.home / ".config"


def _local(machine: Machine) -> Path | None:
    if machine.platform != "win32":
        return None
    return Path(machine.environ.get("LOCALAPPDATA") or machine.home / "AppData" / "Local")
