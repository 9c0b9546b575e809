"""Fuzz what reads bytes that others wrote, guided by coverage: any exception but the documented ones is a find.

    pip install atheris && python tests/bench/fuzz.py redact -max_total_time=60

Targets: a host's name (its transcript reader), ``archive``, ``markdown``, ``payload`` (of a hook), ``redact``,
``settings``.
Further arguments go to libFuzzer, a folder of samples among them. What is found belongs into ``tests/`` as a case of
its own.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["wwt_vault", "zipfile"]):
    from wwt_vault import capture, markdown
    from wwt_vault.capture import archives
    from wwt_vault.capture.redact import redact
    from wwt_vault.config import load_vault_settings
    from wwt_vault.errors import TranscriptError, WwtError

_FOLDER = Path(tempfile.mkdtemp(prefix="wwt-fuzz-"))


def read_transcript(host: str) -> Callable[[bytes], None]:
    """Return a target that reads bytes as a host's transcript."""
    path = _FOLDER / f"{host}.jsonl"

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with suppress(TranscriptError):
            for _ in capture.read_transcript(path, host):
                pass

    return target


def read_markdown(data: bytes) -> None:
    """Split and join, read the frontmatter and the structure: the text comes out as it went in."""
    text = data.decode("utf-8", "replace")
    parts = markdown.split(text)
    assert parts.join() == text
    markdown.read_frontmatter(parts, "note.md")
    markdown.tags(markdown.parse(parts.body))


def take_out_secrets(data: bytes) -> None:
    """Take secrets out twice: the second time nothing is left."""
    clean, _ = redact(data.decode("utf-8", "replace"))
    assert redact(clean)[0] == clean


def read_settings(data: bytes) -> None:
    """Read bytes as a vault's settings."""
    path = _FOLDER / "config.toml"
    path.write_bytes(data)
    with suppress(WwtError):
        load_vault_settings(path)


def read_archive(data: bytes) -> None:
    """Read bytes as an export's archive: what is in it, and the first megabyte of each."""
    path = _FOLDER / "export.zip"
    path.write_bytes(data)
    with suppress(TranscriptError), archives.open_archive(path) as archive:
        for member in archives.members(archive):
            if isinstance(member, archives.Member):
                archives.member_stat(member.path)
                with suppress(OSError), archives.open_member(member.path) as file:
                    file.read(1 << 20)


def read_payload(data: bytes) -> None:
    """Read bytes as what a host sends to its hook."""
    with suppress(WwtError):
        capture.parse_hook("claude-code", data, datetime(2026, 11, 30, tzinfo=UTC))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "archive": read_archive,
    "markdown": read_markdown,
    "payload": read_payload,
    "redact": take_out_secrets,
    "settings": read_settings,
    **{host: read_transcript(host) for host in capture.HOSTS},
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"{__doc__}\nTargets: {', '.join(TARGETS)}")
    chosen = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, chosen)
    atheris.Fuzz()
