"""Where this program's own commands lie, and how a host's settings must write them to call them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.setup.hosts import Shell

__all__ = ["HOOK", "PROGRAM", "Programs", "find_programs", "hook_command", "short_path"]

HOOK = "wwt-hook"
PROGRAM = "wwt"

_SAFE_ON_WINDOWS = re.compile(r"[\w.~:\\/+-]+")


class Programs(NamedTuple):
    """Absolute paths that stay the same when the program is upgraded: Codex asks again about a changed command."""

    hook: str
    server: str


def find_programs(started_as: str, platform: str = sys.platform) -> Programs:
    """Return where ``wwt-hook`` and ``wwt`` lie: beside the program that runs, in this environment's folder, on PATH.

    ``started_as`` is ``sys.argv[0]``. Links are not resolved: an installer's link stays when what it leads to moves.
    Raises ``NotFound``.
    """
    suffix = ".exe" if platform == "win32" else ""
    folders = [Path(os.path.abspath(started_as)).parent, Path(sysconfig.get_path("scripts"))]  # noqa: PTH100
    folders.append(Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))))
    folders += [Path(found).absolute().parent for found in [shutil.which(HOOK)] if found]
    for folder in folders:
        if all((folder / (name + suffix)).is_file() for name in (HOOK, PROGRAM)):
            return Programs(str(folder / (HOOK + suffix)), str(folder / (PROGRAM + suffix)))
    raise NotFound(f"{HOOK} and {PROGRAM} are not installed side by side: install wwt-vault again", program=HOOK)


def hook_command(
    program: str, host: str, windows_shell: Shell, platform: str, shorten: Callable[[str], str | None]
) -> str:
    """Return the command line that calls the hook, as the shell of ``host`` on ``platform`` reads it.

    On Windows three shells with different quotes are in use, so nothing is quoted there: ``shorten`` finds another name
    for a path with blanks. Raises ``BadArgument`` when there is none.
    """
    if platform != "win32":
        return shlex.join([program, host])
    path = program if _SAFE_ON_WINDOWS.fullmatch(program) else shorten(program)
    if path is None or not _SAFE_ON_WINDOWS.fullmatch(path):
        message = f"{program} has a character that a shell on Windows takes apart: install wwt-vault in another folder"
        raise BadArgument(message, path=program)
    if windows_shell == "bash or powershell":
        path = path.replace("\\", "/")  # bash takes a backslash for an escape
    return f"{path} {host}"


def short_path(path: str) -> str | None:
    """Return the file's 8.3 name on Windows, ``None`` elsewhere or where the volume has none."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - on Windows alone it has what is needed

        buffer = ctypes.create_unicode_buffer(32_768)
        if ctypes.windll.kernel32.GetShortPathNameW(path, buffer, len(buffer)):
            return buffer.value
    return None
