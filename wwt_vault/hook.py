"""``wwt-hook <host>``: called by the hosts at every prompt and answer. Exits 0 always, in milliseconds.

Prints nothing, or at a session's start one JSON object that adds context (for Cursor one at every call). Whatever goes
wrong is written to the log and, with the words of the message, to the queue; the next session's start says so.
``WWT_HOOK=off`` in the environment switches it off: an agent that we start ourselves must not be recorded.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wwt_vault.model.conversation import HookCall

__all__ = ["main", "run"]

_USAGE = (
    "wwt-hook HOST reads a JSON object from stdin. Hosts call it: `wwt setup` sees to that, `wwt doctor` checks it."
)

_LARGEST_PAYLOAD = 64 << 20
"""Bytes; more is not read: a payload of this size is no prompt."""


def main() -> None:
    """Entry point: ``sys.argv[1]`` names the host, stdin holds its payload (Codex's ``notify``: the last argument)."""
    if os.environ.get("WWT_HOOK") == "off":
        return
    if sys.getfilesystemencoding() != "utf-8":
        from wwt_vault.encoding import go_on_in_utf8  # noqa: PLC0415 - only another locale pays for it

        go_on_in_utf8()
    if sys.argv[1:] in (["--help"], ["-h"]) or (len(sys.argv) == 1 and sys.stdin and sys.stdin.isatty()):
        print(_USAGE, file=sys.stderr)  # noqa: T201 - a person asks
        return
    gc.disable()  # nothing here lives long enough to be worth looking for
    host = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        payload = sys.argv[-1].encode() if len(sys.argv) > 2 else sys.stdin.buffer.read(_LARGEST_PAYLOAD)
        output = run(host, payload, datetime.now(UTC))
        if output:
            sys.stdout.write(output)
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - a hook never makes the agent fail
        _log(host, error, lost=True)
    # All is written and closed: the host need not wait for the interpreter to take itself apart.
    os._exit(0)


def run(host: str, payload: bytes, now: datetime) -> str:
    """Handle one payload and return what is to be printed: empty, or a JSON object valid for the host.

    A failure to record is logged and queued, not raised; a payload that is not understood is raised as
    ``TranscriptError`` after its size and beginning were logged by kind, never its words.
    """
    from wwt_vault import capture  # noqa: PLC0415 - import errors must not escape main()
    from wwt_vault.ingest import live  # noqa: PLC0415

    call = capture.parse_hook(host, payload, now)
    try:
        live.handle_call(call, now)
    except Exception as error:  # noqa: BLE001 - the queue has the call; the session goes on
        _log(f"{host} {call.event_name}", error, lost=live.is_lost(error))
    return _output(call, _news(call, now))


def _output(call: HookCall, news: str) -> str:
    """Return what the host takes for "go on", with ``news`` for the agent if there is any."""
    if call.session.host == "cursor" and call.event_name[:1].islower():  # its own hooks; it also runs Claude Code's
        # cursor.com/docs/hooks: stdout is JSON at every event. A prompt goes on unless `continue` is false.
        answer: dict[str, object] = {"continue": True} if call.kind == "prompt" else {}
        return json.dumps({**answer, **({"additional_context": news} if news else {})})
    context = {"hookEventName": call.event_name, "additionalContext": news}
    return json.dumps({"hookSpecificOutput": context}) if news else ""


def _news(call: HookCall, now: datetime) -> str:
    """Return what a new session is told of the memory, empty at any other time.

    Gemini CLI glues a session start's context in front of the first prompt, and then takes that prompt for none of the
    person's when it resumes: there the first prompt's hook says it, as a part of its own behind the prompt.
    """
    if call.subagent or call.kind not in ("start", "prompt"):
        return ""
    from wwt_vault.ingest import brief, excluded  # noqa: PLC0415 - only a session's start pays for it

    if call.session.host == "gemini":
        if call.kind == "start":
            brief.leave_for_prompt(call.session)
            return ""
        if not brief.was_left(call.session):
            return ""
    elif call.kind != "start":
        return ""
    if excluded.is_excluded(call.session.cwd):
        return ""  # a folder that is not to be known of is not told of others either
    return brief.brief(call.session.cwd, call.session.session_id, now)


def _log(about: str, error: Exception, *, lost: bool) -> None:
    """Append a line to the log, for the next session's start and `wwt status`; as a last resort say it on stderr."""
    reason = f"{type(error).__name__}: {error}"
    try:
        from wwt_vault.ingest import hooklog  # noqa: PLC0415 - only a failure pays for it

        hooklog.note(datetime.now(UTC), about, hooklog.LOST if lost else hooklog.WAITS, reason)
    except (OSError, ImportError) as problem:
        print(f"wwt-hook: {about}: {reason} (and the log: {problem})", file=sys.stderr)  # noqa: T201 - nowhere else to say it


if __name__ == "__main__":
    main()
