"""Real disks that are full or may not be written, a clock that goes back, a process that sleeps on a lock."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.conversation import Conversation, shown, stored
from tests.test_hook import PROMPT, hook
from wwt_vault.config import user_folders
from wwt_vault.ingest import live, queue
from wwt_vault.operations import recall
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.state import state_for
from wwt_vault.vault.check import check_vault

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
LATER = datetime.now(UTC) + timedelta(days=2)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces are Linux's")


def in_namespace(script: str, **environ: object) -> subprocess.CompletedProcess[str]:
    """Run a shell script with mounts of its own; skip loudly where that is forbidden, unless WWT_NO_SKIP is set."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        message = "no mount namespace (unshare -rm): real full and read-only disks are not tested"
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)
    env = {**os.environ, "PYTHON": sys.executable, **{key: str(value) for key, value in environ.items()}}
    return subprocess.run(
        ["unshare", "-rm", "sh", "-euc", script], env=env, cwd=ROOT, capture_output=True, text=True, check=False
    )


SAY = 'printf %s "$PAYLOAD" | "$PYTHON" -m wwt_vault.hook claude-code'


def payload(text: str) -> str:
    """Return a prompt as Claude Code hands it over."""
    return json.dumps({**PROMPT["claude-code"], "prompt": text})


@pytest.mark.parametrize("room", ["0", "4k", "8k", "16k", "32k"])
def test_a_vault_on_a_full_disk_loses_no_word(room: str, vault: Vault, tmp_path: Path) -> None:
    """A tmpfs with hardly any room left: exit 0, the words in the vault or in the queue; later all is in the vault."""
    copied = tmp_path / "copied"
    script = f"""
        mkdir "$DISK"; mount -t tmpfs -o size=4m none "$DISK"
        cp -a "$WWT_VAULT"/. "$DISK"/; export WWT_VAULT="$DISK"
        dd if=/dev/zero of="$DISK/filler" bs=4k 2>/dev/null || true
        [ "$ROOM" = 0 ] || truncate -s -"$ROOM" "$DISK/filler"
        {SAY}
        rm "$DISK/filler"; cp -a "$DISK" "$COPIED"
    """
    text = "비밀이 아닌 긴 이야기 " * 200
    run = in_namespace(script, DISK=tmp_path / "disk", COPIED=copied, ROOM=room, PAYLOAD=payload(text))
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    vault.root.rename(vault.root.with_name("before"))
    copied.rename(vault.root)
    for item in queue.list_items():  # it was said to the vault on that disk
        data = item.path.read_text("utf-8").replace(str(tmp_path / "disk"), str(vault.root))
        item.path.write_text(data, "utf-8")
    live.retry(vault, state_for(vault), LATER)

    assert stored(vault) == [("user", text.strip())]
    assert check_vault(vault).problems == ()
    assert queue.list_items() == []


def test_a_state_folder_on_a_full_disk_costs_no_word(vault: Vault, tmp_path: Path) -> None:
    """The queue, the records and the log have no room: the vault takes the prompt."""
    state = user_folders().state
    state.mkdir(parents=True)
    script = f"""
        mount -t tmpfs -o size=4k none "$STATE"; dd if=/dev/zero of="$STATE/filler" bs=4k 2>/dev/null || true
        {SAY}
    """
    run = in_namespace(script, STATE=state, PAYLOAD=payload("hello"))

    assert (run.returncode, run.stdout) == (0, "")
    assert stored(vault) == [("user", "hello")]


def test_a_state_folder_that_may_not_be_written_costs_no_word(vault: Vault) -> None:
    """The same, mounted to be read only."""
    state = user_folders().state
    state.mkdir(parents=True)
    script = f'mount --bind "$STATE" "$STATE"; mount -o remount,ro,bind "$STATE"; {SAY}'
    run = in_namespace(script, STATE=state, PAYLOAD=payload("hello"))

    assert (run.returncode, run.stdout) == (0, "")
    assert stored(vault) == [("user", "hello")]


def test_a_vault_mounted_read_only_is_read_and_searched(vault: Vault) -> None:
    """Search answers, a save is refused with its reason, what is said waits in the queue."""
    hook("claude-code", {**PROMPT["claude-code"], "prompt": "We deploy with Kamal."})
    script = f"""
        mount --bind "$WWT_VAULT" "$WWT_VAULT"; mount -o remount,ro,bind "$WWT_VAULT"
        {SAY}
        "$PYTHON" -m wwt_vault search --json Kamal > "$OUT"
        printf '# x' | "$PYTHON" -m wwt_vault note save --json --note New - > "$OUT.save" || echo "exit $?"
    """
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    out = vault.root.parent / "out"
    second = payload("And roll back with it too.")
    run = in_namespace(script, OUT=out, PAYLOAD=second)

    assert json.loads(out.read_text("utf-8"))["found"]
    assert run.stdout.startswith("exit ")
    assert json.loads(Path(f"{out}.save").read_text("utf-8"))["error"]["code"] in ("no_evidence", "vault_read_only")
    [item] = queue.list_items()
    assert "VaultReadOnly" in item.reason
    live.retry(vault, state_for(vault), LATER)
    assert Counter(stored(vault)) == Counter(
        [("user", "We deploy with Kamal."), ("user", "And roll back with it too.")]
    )


@pytest.mark.parametrize("back", [timedelta(seconds=1), timedelta(hours=1), timedelta(days=4000)])
def test_a_clock_that_is_set_back_loses_and_doubles_nothing(back: timedelta, vault: Vault, tmp_path: Path) -> None:
    """Between two prompts, between prompt and answer: each once, in both places; the same words again are kept too."""
    talk = Conversation(tmp_path)
    for number in range(3):
        prompt_id = talk.ask(f"question {number % 2}")
        talk.hook("UserPromptSubmit", prompt=f"question {number % 2}", prompt_id=prompt_id)
        talk.now -= back
        talk.answer(f"answer {number % 2}")
        talk.flush()
        talk.hook("Stop", last_assistant_message=f"answer {number % 2}", prompt_id=prompt_id)

    assert Counter(stored(vault)) == Counter(talk.said)
    assert shown(vault, talk.session_id) == talk.said
    assert check_vault(vault).problems == ()


HOLD = """
import sys, time
from wwt_vault.vault import open_vault
from wwt_vault.state import state_for
from wwt_vault.ingest.recorder import Recorder
from wwt_vault.model.conversation import Session
from pathlib import Path
vault = open_vault(Path(sys.argv[1]))
with Recorder(vault, state_for(vault), Session(host="claude-code", session_id=sys.argv[2]), timeout=1):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("ending", [signal.SIGCONT, signal.SIGKILL])
def test_a_process_asleep_on_a_lock_costs_no_word(ending: signal.Signals, vault: Vault, tmp_path: Path) -> None:
    """Stopped while it holds the session's lock: the prompt does not wait for it and its words go into the queue."""
    talk = Conversation(tmp_path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(vault.root), talk.session_id], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGSTOP)
        prompt = {"session_id": talk.session_id, "cwd": "/src/shop", "hook_event_name": "UserPromptSubmit"}
        began = time.monotonic()
        run = hook("claude-code", {**prompt, "prompt": "asked meanwhile"})
        took = time.monotonic() - began
        assert (run.returncode, run.stdout) == (0, b"")
        assert took < 30  # its patience is two seconds; the rest is for a busy machine
        [item] = queue.list_items()
        assert "LockTimeout" in item.reason
        holder.send_signal(ending)
    finally:
        holder.kill()
        holder.wait()
    live.retry(vault, state_for(vault), LATER)

    assert stored(vault) == [("user", "asked meanwhile")]
    assert check_vault(vault).problems == ()


def test_search_answers_while_the_index_may_not_be_written(vault: Vault) -> None:
    """A cache on a full disk: what was indexed before is found, and the answer says that it may be old."""
    hook("claude-code", {**PROMPT["claude-code"], "prompt": "We deploy with Kamal."})
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    recall.search(open_workspace(), "Kamal")
    hook("claude-code", {**PROMPT["claude-code"], "prompt": "We log in with Tailscale.", "prompt_id": "p-2"})
    script = """
        mount --bind "$CACHE" "$CACHE"; mount -o remount,ro,bind "$CACHE"
        "$PYTHON" -m wwt_vault search --json Kamal > "$OUT"
    """
    out = vault.root.parent / "out"
    run = in_namespace(script, OUT=out, CACHE=user_folders().cache)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))

    assert found["found"]
    assert any("cannot be written" in note for note in found["notes"])
