"""The machine that setup works on: which hosts are there, and where each keeps the files that setup changes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from wwt_vault.capture import host_folder
from wwt_vault.capture.hosts import HOSTS
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.programs import short_path

__all__ = ["Machine", "detect", "file_of", "program_of"]


class Machine(NamedTuple):
    """What setup is told instead of looking for itself; a test gives it a home of its own."""

    home: Path
    environ: Mapping[str, str]
    platform: str = sys.platform
    shorten: Callable[[str], str | None] = short_path
    """Finds a name without blanks for a file on Windows."""


def detect(machine: Machine) -> list[str]:
    """Return the hosts on this machine: those whose program is on PATH or whose folder is there."""
    return [
        host
        for host in CONNECTIONS
        if program_of(host, machine) or host_folder(host, machine.home, machine.environ).is_dir()
    ]


def program_of(host: str, machine: Machine) -> str | None:
    """Return the host's own program, ``None`` when it is not on PATH."""
    return shutil.which(HOSTS[host].program, path=machine.environ.get("PATH", ""))


def file_of(host: str, name: str, machine: Machine) -> Path:
    """Return where a file of ``CONNECTIONS[host]`` lies."""
    folder = host_folder(host, machine.home, machine.environ)
    if not name.startswith("{home}/"):
        return folder / name
    named = machine.environ.get(HOSTS[host].folder_variable or "")
    return (folder if named else folder.parent) / name.removeprefix("{home}/")
