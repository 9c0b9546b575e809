"""Real hosts: network namespaces of one machine, a git daemon on one of them, a cable that is cut during a push."""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.sync.machines import AT, ENVIRON, Box, files_of, git, machine, remote_in, say
from wwt_vault import sync as syncing
from wwt_vault.config import Settings
from wwt_vault.errors import Unreachable
from wwt_vault.sync import Patience
from wwt_vault.vault import Vault, creation, open_vault

CLONE_NEWNET = 0x40000000
SILENCE = 6.0
SECONDS = 60
MIDDLE = 100_000
"""Bytes of some half a million that a push here sends, at 50,000 a second."""


class Net(NamedTuple):
    """Hosts on one switch."""

    prefix: str
    """Of the namespaces' names."""
    folder: Path
    url: str

    def cable(self, host: str, state: str) -> None:
        """Plug the cable of a host ``up``, or pull it (``down``)."""
        run("ip", "-n", f"{self.prefix}switch", "link", "set", f"to-{host}", state)

    def slow(self, host: str) -> None:
        """Let a host send no faster than 400 kbit/s."""
        rate = ("rate", "400kbit", "burst", "8kb", "latency", "400ms")
        run("tc", "-n", f"{self.prefix}{host}", "qdisc", "replace", "dev", "eth0", "root", "tbf", *rate)

    def fast(self, host: str) -> None:
        """Take that back."""
        run("tc", "-n", f"{self.prefix}{host}", "qdisc", "del", "dev", "eth0", "root")

    def sent(self, host: str) -> int:
        """Return how many bytes a host has sent."""
        command = ["ip", "-n", f"{self.prefix}{host}", "-s", "-j", "link", "show", "eth0"]
        (link,) = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return int(link["stats64"]["tx"]["bytes"])

    def wait_until_it_sends(self, host: str) -> None:
        """Return when a host is in the middle of sending something large, however busy the machine is."""
        begun, deadline = self.sent(host), time.monotonic() + SECONDS
        while self.sent(host) < begun + MIDDLE:
            assert time.monotonic() < deadline, "nothing was sent"
            time.sleep(0.05)

    def on(self, host: str, call: Callable[[], Any]) -> Any:
        """Run something in a process on a host; return what it returned, as JSON can tell it."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                space = os.open(f"/var/run/netns/{self.prefix}{host}", os.O_RDONLY)
                if ctypes.CDLL(None, use_errno=True).setns(space, CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
                os.write(writing, json.dumps({"done": call()}).encode())
            except BaseException as error:  # noqa: BLE001 - told to the parent
                os.write(writing, json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a pipe
            found = json.loads(pipe.read() or b"{}")
        os.waitpid(child, 0)
        assert "done" in found, found
        return found["done"]


def run(*command: str) -> None:
    """Run a program of the system."""
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    """Yield a switch with a server, a laptop and a desktop on it, and a git daemon on the server."""
    needed = [tool for tool in ("ip", "tc") if shutil.which(tool) is None]
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or needed:
        pytest.skip(f"SYNC BETWEEN REAL HOSTS IS NOT TESTED: network namespaces need Linux, root, ip and tc ({needed})")
    prefix = f"w{uuid.uuid4().hex[:6]}-"
    names = [f"{prefix}{name}" for name in ("switch", "server", "laptop", "desktop")]
    made = [name for name in names if subprocess.run(["ip", "netns", "add", name], check=False).returncode == 0]
    daemon = None
    try:
        if made != names:
            pytest.skip("SYNC BETWEEN REAL HOSTS IS NOT TESTED: no network namespaces can be made here")
        run("ip", "-n", names[0], "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", names[0], "link", "set", "bridge", "up")
        for number, name in enumerate(("server", "laptop", "desktop"), 1):
            peer = ("peer", "name", "eth0", "netns", f"{prefix}{name}")
            run("ip", "-n", names[0], "link", "add", f"to-{name}", "type", "veth", *peer)
            run("ip", "-n", names[0], "link", "set", f"to-{name}", "master", "bridge", "up")
            run("ip", "-n", f"{prefix}{name}", "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            run("ip", "-n", f"{prefix}{name}", "link", "set", "eth0", "up")
        remote_in(tmp_path)
        options = ("--export-all", "--enable=receive-pack", f"--base-path={tmp_path}", "--reuseaddr")
        daemon = subprocess.Popen(
            ["ip", "netns", "exec", f"{prefix}server", "git", "daemon", *options, str(tmp_path)],
            env=ENVIRON, start_new_session=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        yield Net(prefix, tmp_path, "git://10.77.0.1/remote.git")
    finally:
        if daemon is not None:
            os.killpg(daemon.pid, signal.SIGTERM)
            daemon.wait()
        for name in made:
            run("ip", "netns", "del", name)


def box_on(net: Net, name: str, silence: float = SILENCE) -> Box:
    """Return a host's machine, with a vault of its own if it is the first one."""
    patient = machine(name, net.folder, patience=Patience(silence=silence))
    if name == "laptop":
        return Box(patient, creation.create_vault(net.folder / name, timezone="Asia/Seoul"))
    root = net.folder / name
    root.mkdir()
    return Box(patient, Vault(root=root, id="new", settings=Settings()))


def begin(box: Box, url: str, *, fresh: bool) -> bool:
    """Do `wwt sync init`; wait for the daemon to be there."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            syncing.begin(box.vault, box.machine, url, fresh=fresh)
        except Unreachable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
            continue
        return syncing.sync(box.vault, box.machine, AT, fresh=fresh).pushed


def test_a_push_that_is_cut_is_made_good(net: Net) -> None:
    """Laptop and desktop over a git daemon; the laptop's cable is pulled while it sends, and plugged in again."""
    laptop, desktop = box_on(net, "laptop"), box_on(net, "desktop")
    assert net.on("laptop", lambda: begin(laptop, net.url, fresh=False))
    net.on("desktop", lambda: begin(desktop, net.url, fresh=True))
    desktop = desktop._replace(vault=open_vault(desktop.root))
    assert files_of(laptop) == files_of(desktop)

    words = random.Random(7)
    event = say(laptop, "said before the cut")
    laptop.write("Long.md", "\n".join(f"{words.getrandbits(256):x}" for _ in range(8000)) + "\n")
    before = git(net.folder / "remote.git", "rev-parse", "main")
    net.slow("laptop")

    def cut() -> str:
        child = os.fork()
        if child == 0:
            with suppress(AssertionError):
                net.wait_until_it_sends("laptop")
                net.cable("laptop", "down")
                os._exit(0)
            os._exit(1)
        done = laptop.sync()
        assert os.waitpid(child, 0)[1] == 0
        return done.offline

    said = net.on("laptop", cut)
    assert "waits for the next sync" in said
    assert git(net.folder / "remote.git", "rev-parse", "main") == before

    say(desktop, "said meanwhile", 1)
    assert net.on("desktop", lambda: desktop.sync().pushed)
    assert net.on("laptop", lambda: laptop.sync().offline)  # the cable is still out
    net.cable("laptop", "up")
    net.fast("laptop")
    assert net.on("laptop", lambda: laptop.sync().pushed)
    net.on("desktop", lambda: desktop.sync().pushed)

    assert files_of(laptop) == files_of(desktop)
    assert (desktop.root / "Long.md").stat().st_size > 400_000
    assert any(event in path for path in files_of(desktop))
    assert "fatal" not in git(net.folder / "remote.git", "fsck", "--no-dangling")


def test_a_push_goes_on_when_the_cable_is_back(net: Net) -> None:
    """Cut and healed while it sends: it takes longer, nothing is sent twice, and no other sync is needed."""
    laptop, desktop = box_on(net, "laptop", SECONDS), box_on(net, "desktop")
    assert net.on("laptop", lambda: begin(laptop, net.url, fresh=False))
    net.on("desktop", lambda: begin(desktop, net.url, fresh=True))
    desktop = desktop._replace(vault=open_vault(desktop.root))
    words = random.Random(8)
    laptop.write("Long.md", "\n".join(f"{words.getrandbits(256):x}" for _ in range(8000)) + "\n")
    net.slow("laptop")

    def cut() -> bool:
        child = os.fork()
        if child == 0:
            with suppress(AssertionError):
                net.wait_until_it_sends("laptop")
                net.cable("laptop", "down")
                time.sleep(1.5)  # less than what counts as silence
                net.cable("laptop", "up")
                os._exit(0)
            os._exit(1)
        done = laptop.sync()
        assert os.waitpid(child, 0)[1] == 0
        assert not done.offline, done.offline
        return done.pushed

    began = time.monotonic()
    assert net.on("laptop", cut)
    assert time.monotonic() - began > 1.5
    net.on("desktop", lambda: desktop.sync().pushed)
    assert files_of(laptop) == files_of(desktop)
    assert git(net.folder / "remote.git", "rev-list", "--count", "main").strip() == "2"
    assert "fatal" not in git(net.folder / "remote.git", "fsck", "--no-dangling")
