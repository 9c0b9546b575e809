"""UTF-8, whatever the locale: the vault's file names and the words of a command are Unicode."""

from __future__ import annotations

import os
import sys

__all__ = ["go_on_in_utf8"]


def go_on_in_utf8() -> None:
    """Start this program again in Python's UTF-8 mode, in this very process, if names of files are not UTF-8 here.

    In the C locale Python does so by itself (PEP 540), but not under ``PYTHONUTF8=0`` or in a locale like
    ``ko_KR.EUC-KR``. There a Korean argument comes as bytes that are no letters, and no Korean name can be written.
    Arguments are handed on as the locale reads them.
    """
    if sys.getfilesystemencoding() == "utf-8" or not sys.executable or os.name == "nt":
        return
    arguments = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execv(sys.executable, [part.encode("utf-8", "surrogateescape") for part in arguments])  # noqa: S606 - this program itself, no shell
