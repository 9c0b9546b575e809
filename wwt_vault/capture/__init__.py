"""What hosts say, as messages: their hooks' payloads and their transcripts, in the form that is stored.

Each host has a module here and a row in ``HOSTS``; a hook of one host never imports the module of another. Every
message that leaves this package is canonical (``text.canonical``) and redacted (``redact``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wwt_vault.capture.hosts import HOSTS, Head, HostSpec
from wwt_vault.errors import BadArgument, TranscriptError
from wwt_vault.model.conversation import Checkpoint, HookCall, Message, Redaction, Session, Skipped, Source

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = [
    "HOSTS",
    "HostSpec",
    "find_transcripts",
    "host_folder",
    "look_again",
    "parse_hook",
    "read_transcript",
    "recognise",
]

_LARGEST_PAYLOAD = 32 << 20
_HEAD_LINES = 40
_HEAD_BYTES = 1 << 20
_LONG_LINE = 32 << 20
_SHORTEST_SECRET = 8
"""Characters."""
_PLAIN_ID = frozenset("0123456789abcdefABCDEF-")


def parse_hook(host: str, payload: bytes, now: datetime) -> HookCall:
    """Read what a host sent to its hook.

    ``host`` is a name of ``HOSTS``, as the hook was registered; the payload itself outweighs it, for people move their
    hooks from one host to another. ``now`` is the time of what was said unless the payload has one. Unknown events are
    calls of kind ``other``. Raises ``TranscriptError`` for what is not a JSON object, ``BadArgument`` for a host that
    is neither known nor recognised.
    """
    value = _payload(payload)
    name = _sender(value, host)
    hooked = [name for name, spec in HOSTS.items() if spec.own_events]
    if name not in hooked:
        raise BadArgument(f"no host with hooks is named {host!r}; known are {', '.join(hooked)}", host=host)
    call: HookCall = _module(name).parse_hook(value, now)
    return call._replace(
        session=_session_without_secrets(call.session),
        event_name=_clean(call.event_name) or "",
        source=_clean(call.source),
        message=_without_secrets(call.message) if call.message is not None else None,
        earlier=tuple(map(_without_secrets, call.earlier)),
    )


def recognise(path: File) -> str | None:
    """Return the name of the host that wrote the file at ``path``, by its content, or ``None``. Raises ``OSError``."""
    from io import BytesIO  # noqa: PLC0415 - a prompt's hook recognises nothing

    from wwt_vault.capture import jsonl  # noqa: PLC0415

    with jsonl.open_stream(path) as file:
        data = _begun(file, _HEAD_BYTES)
        if b"\n" not in data and data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            data += _begun(file, _LONG_LINE)  # a first line with a picture in it
    lines = islice(jsonl.lines(BytesIO(data)), _HEAD_LINES)
    records = [record for line in lines for record in jsonl.records(line) if isinstance(record, dict)]
    head = Head(path=path, data=data[: 1 << 16], records=records)
    return next((name for name in HOSTS if _module(name).wrote(head)), None)


def _begun(file: Any, size: int) -> bytes:
    """Read so many bytes of a buffered ``file``, less where it ends or is damaged before.

    Raises ``OSError`` if nothing can be read.
    """
    data = b""
    try:
        while len(data) < size and (piece := file.read1(size - len(data))):
            data += piece
    except OSError:
        if not data:
            raise
    return data


def read_transcript(
    path: File,
    host: str | None = None,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,
) -> Iterator[Message | Skipped | Checkpoint | Source]:
    """Read a transcript from ``start``, or from its beginning, in bounded memory.

    Yields messages in the order of the file, what was not understood, documents that lie in an export, and after every
    complete unit a checkpoint from which a later reading goes on. A message that may still grow comes last, behind the
    last checkpoint, and so again, with the same key, at the next reading. ``parent_keys`` returns the known messages'
    keys of a session that this one was forked from. Raises ``TranscriptError`` when ``host`` is not given and no reader
    understands the file, ``OSError`` when it cannot be read.
    """
    name = host or recognise(path)
    if name is None or name not in HOSTS:
        raise TranscriptError(f"{path} is not a transcript of {', '.join(HOSTS)}", path=str(path))
    known = None if parent_keys is None else lambda session_id: parent_keys(_clean_id(session_id) or "")
    items: Iterator[Message | Skipped | Checkpoint | Source] = _module(name).read(path, start, known)
    return (_item_without_secrets(item) for item in items)


def host_folder(host: str, home: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder in which ``host`` keeps its files; it need not exist."""
    spec = HOSTS[host]
    if spec.folder_variable and (named := environ.get(spec.folder_variable)):
        return Path(named).expanduser()
    if spec.home_variable and (named := environ.get(spec.home_variable)):
        home = Path(named).expanduser()
    return home / spec.folder


def find_transcripts(host: str, home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Return the transcripts that ``host`` keeps on this machine, those of subagents left out, sorted by path."""
    spec, folder = HOSTS[host], host_folder(host, home, environ)
    found: dict[str, Path] = {}
    for top, pattern in [*((folder, name) for name in spec.transcripts), *((home, name) for name in spec.elsewhere)]:
        for path in top.glob(pattern):
            if not any(path.match(subagent) for subagent in spec.subagents):
                found.setdefault(os.fspath(path).removesuffix(".zst"), path)
    return sorted(found.values())


def look_again(message: Message) -> Message:
    """Return ``message`` without secrets: the last look before it is written, wherever it comes from.

    Nearly always it has none. A message that waited in a queue may be of a time when fewer kinds were known.
    """
    from wwt_vault.capture.redact import redact_again  # noqa: PLC0415 - the rules are not small

    text, found = redact_again(message.text)
    if not found:
        return _without_secrets(message)
    counts = dict(message.redactions)
    for kind, occurrences in found:
        counts[kind] = counts.get(kind, 0) + occurrences
    redactions = tuple(Redaction(kind, counts[kind]) for kind in sorted(counts))
    return _without_secrets(message._replace(text=text, redactions=redactions))


def _item_without_secrets(
    item: Message | Skipped | Checkpoint | Source,
) -> Message | Skipped | Checkpoint | Source:
    if isinstance(item, Message):
        return _without_secrets(item)
    if isinstance(item, Checkpoint):  # a reader keeps there where its session is at
        return item._replace(state=_json_without_secrets(item.state))
    if isinstance(item, Source):  # its text has none by now
        return item._replace(
            key=_clean_id(item.key) or "", title=_clean(item.title) or "", origin=_clean(item.origin) or ""
        )
    return item._replace(reason=_clean(item.reason) or "")


def _json_without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return _clean_id(value)
    if isinstance(value, dict):
        return {_clean_id(key): _json_without_secrets(inner) for key, inner in value.items()}
    return [_json_without_secrets(inner) for inner in value] if isinstance(value, list) else value


def _without_secrets(message: Message) -> Message:
    """Take secrets out of what a message says about itself; its text has none by now."""
    return message._replace(
        session=_session_without_secrets(message.session),
        # Two that were redacted would be one to whoever compares them. Without, a message is known by its words.
        key=message.key if _clean_id(message.key) == message.key else None,
        turn=message.turn if _clean_id(message.turn) == message.turn else None,
        cwd=_clean(message.cwd),
        git_branch=_clean(message.git_branch),
        model=_clean(message.model),
    )


def _session_without_secrets(session: Session) -> Session:
    return session._replace(
        session_id=_clean_id(session.session_id) or "",
        forked_from=_clean_id(session.forked_from),
        cwd=_clean(session.cwd),
        git_branch=_clean(session.git_branch),
        title=_clean(session.title),
        folder=_clean(session.folder),
        assistant=_clean(session.assistant),
    )


def _clean_id(text: str | None) -> str | None:
    """Take secrets out of an id. One of hex digits is none, as UUIDs are, and costs a hook nothing.

    Ids from hosts are random letters; whoever puts a secret into one gets what is left of it, always the same.
    """
    return text if text is None or _PLAIN_ID.issuperset(text) else _clean(text)


def _clean(text: str | None) -> str | None:
    if text is None or len(text) < _SHORTEST_SECRET:  # a prompt must not pay for looking at a short word
        return text
    from wwt_vault.capture.redact import without_secrets  # noqa: PLC0415 - the rules are not small

    return without_secrets(text)


def _payload(payload: bytes) -> dict[str, Any]:
    if len(payload) >= _LARGEST_PAYLOAD:
        raise TranscriptError(f"the payload has {len(payload):,} bytes, more than any prompt; it was not read")
    if not payload.strip():
        raise TranscriptError("the payload is empty; the host writes a JSON object to the hook's standard input")
    try:
        value = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"the payload is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise TranscriptError(f"the payload is JSON but not an object: {type(value).__name__}")
    return value


def _sender(payload: dict[str, Any], host: str) -> str:
    """Return the host whose dialect ``payload`` is: by its own events, then fields, then files; else ``host``."""
    event, transcript = str(payload.get("hook_event_name")), str(payload.get("transcript_path")).replace("\\", "/")
    for signs in (
        [name for name, spec in HOSTS.items() if event in spec.own_events],
        [name for name, spec in HOSTS.items() if any(payload.get(field) for field in spec.own_fields)],
        [name for name, spec in HOSTS.items() if spec.own_path and spec.own_path in transcript],
    ):
        if signs:
            return host if host in signs else signs[0]
    return host


def _module(host: str) -> Any:
    return import_module(f"{__name__}.{HOSTS[host].module}")
