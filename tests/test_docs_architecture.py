"""``docs/architecture.md`` shows the tree as it is: nobody looks for a module in vain, or finds one that it hides."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import wwt_vault

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGE = Path(wwt_vault.__file__).parent


def patterns_on_the_page() -> list[str]:
    """Return the modules of the table as glob patterns; one under a bold package name lies in that package."""
    patterns, package = [], ""
    table = PAGE[PAGE.index("## Where is what") : PAGE.index("## Where to add things")]
    for row in table.splitlines():
        if row.startswith("| **"):
            found = re.search(r"`(\w+/)`", row)
            package = found[1] if found else ""
        elif row.startswith("| `"):
            patterns += [package + name for name in re.findall(r"`([\w./*]+)`", row.split("|")[1])]
    return patterns


def test_every_module_is_on_the_page() -> None:
    """Each module is named in the table, or the package it lies in is; and every name there is one of the tree."""
    patterns = patterns_on_the_page()
    for pattern in patterns:
        assert list(PACKAGE.glob(pattern.rstrip("/"))), f"the page names {pattern}, which is not there"
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE)
        named = any(
            module.as_posix().startswith(pattern) if pattern.endswith("/") else module.match(pattern)
            for pattern in patterns
        )
        assert named or path.name in ("__init__.py", "__main__.py"), f"{module.as_posix()} is not on the page"


def test_every_module_of_a_package_is_named_in_its_row() -> None:
    """Whoever looks for a part finds it by name, also where a package has one row for all of its modules."""
    rows = {row.split("`")[1]: row for row in PAGE.splitlines() if re.match(r"\| `[\w/]+/` \|", row)}
    assert len(rows) > 10
    for package, row in rows.items():
        named = set(re.findall(r"`(\w+)`", row))
        assert {path.stem for path in (PACKAGE / package).glob("*.py")} - {"__init__"} <= named, package


def test_a_hook_loads_what_the_page_says(vault: Vault) -> None:
    """The modules of the vault that the hook path is said to consist of, and no others."""
    said = re.search(r"and of\s+`vault`:(.*?)\) imports the standard\s+library only", PAGE, re.DOTALL)
    assert said is not None
    loaded: set[str] = set()
    for call in ({"hook_event_name": "UserPromptSubmit", "prompt": "안녕"}, {"hook_event_name": "SessionStart"}):
        code = (
            "import sys; from datetime import UTC, datetime; from wwt_vault.hook import run\n"
            "run('claude-code', sys.stdin.buffer.read(), datetime.now(UTC)); print(*sys.modules)"
        )
        payload = json.dumps({"session_id": "s-1", "cwd": str(vault.root.parent), **call})
        done = subprocess.run([sys.executable, "-c", code], input=payload, capture_output=True, text=True, check=True)
        loaded |= set(re.findall(r"wwt_vault\.vault\.(\w+)", done.stdout))
    assert loaded == set(re.findall(r"`(\w+)`", said[1]))


def test_the_order_of_imports_is_the_one_that_is_checked() -> None:
    """The page shows the layers of the import contract, in their order."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = config["tool"]["importlinter"]["contracts"][0]
    shown = PAGE[PAGE.index("## Who may import whom") :].split("```\n")[1]
    assert shown.splitlines() == [layer.replace("|", "│") for layer in contract["layers"]]


def test_the_picture_is_the_one_of_the_package() -> None:
    """Whoever opens the package first sees the same picture as whoever opens the page."""
    picture = PAGE.split("```\n")[1].splitlines()
    docstring = (wwt_vault.__doc__ or "").splitlines()
    assert [line.strip() for line in picture] == [line.strip() for line in docstring[2 : 2 + len(picture)]]


def test_every_link_of_the_documents_leads_somewhere() -> None:
    """No relative link in docs/ or in a README is dead, headings included."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name / "README.md" for name in (".", "hooks", "vault_template"))]
    for page in pages:
        text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text("utf-8"))
        for target, heading in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            file = (page.parent / target) if target else page
            assert file.exists(), f"{page.relative_to(ROOT)}: {target}"
            if heading:
                titles = re.findall(r"(?m)^#+ (.+)$", file.read_text("utf-8"))
                slugs = {re.sub(r"[^\w가-힣 -]", "", title).strip().lower().replace(" ", "-") for title in titles}
                assert heading in slugs, f"{page.relative_to(ROOT)}: {target}#{heading}"
