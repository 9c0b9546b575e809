"""Connects the hosts on this machine: hooks and MCP server go into their settings, and come out again.

``hosts`` has a row per host; ``plan`` works out the changes, ``carry_out`` makes or shows them; ``entries`` knows what
ours look like; ``jsonc`` and ``toml`` edit text and leave the rest of it alone.
"""

from __future__ import annotations

from wwt_vault.setup.carry_out import carry_out, diff
from wwt_vault.setup.entries import any_client
from wwt_vault.setup.exclusions import change_exclusions
from wwt_vault.setup.explain import explain
from wwt_vault.setup.naming import name_vault
from wwt_vault.setup.places import Machine, detect, transcripts_of
from wwt_vault.setup.plan import Command, HostPlan, connect, disconnect
from wwt_vault.setup.programs import Programs, find_programs
from wwt_vault.setup.rule import RULE, remember_ruled, ruled_projects

__all__ = [
    "RULE",
    "Command",
    "HostPlan",
    "Machine",
    "Programs",
    "any_client",
    "carry_out",
    "change_exclusions",
    "connect",
    "detect",
    "diff",
    "disconnect",
    "explain",
    "find_programs",
    "name_vault",
    "remember_ruled",
    "ruled_projects",
    "transcripts_of",
]
