"""The empty vault: what Obsidian, git and this program read from it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from wwt_vault import markdown
from wwt_vault.config import Settings, load_vault_settings
from wwt_vault.operations import conversations, notes, recall
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import check, evidence, headings
from wwt_vault.vault.creation import create_vault
from wwt_vault.vault.documents import catalog, load_document

TEMPLATE = Path(__file__).resolve().parents[1] / "vault_template"
LANGUAGES = ["en", "ko"]
FOLDERS = ["00_Inbox", "10_Projects", "20_Areas", "30_Knowledge", "40_Decisions", "50_Conversations", "AI_CONTEXT"]
NOTE_TYPES = ["project", "area", "knowledge", "decision", "topic"]
RELATIONS = ["relates_to", "contradicts", "depends_on", "part_of", "updates", "derived_from", "similar_to"]


@pytest.fixture(params=LANGUAGES)
def tree(request: pytest.FixtureRequest) -> Path:
    """Return the template of one language."""
    return TEMPLATE / str(request.param)


def files(tree: Path) -> dict[str, str]:
    """Return every file of a template: path inside it, and text."""
    return {
        path.relative_to(tree).as_posix(): path.read_bytes().decode("utf-8")
        for path in sorted(tree.rglob("*"))
        if path.is_file()
    }


def shown_by_obsidian(names: list[str]) -> list[str]:
    """Leave out what lies in a dot folder, which Obsidian neither shows nor links."""
    return [name for name in names if not any(part.startswith(".") for part in name.split("/"))]


def frontmatter(text: str) -> dict[str, Any]:
    """Return the properties of a note that must have some."""
    head = re.match(r"---\n(.*?\n)---\n", text, re.DOTALL)
    assert head, text[:80]
    values = yaml.safe_load(head[1])
    assert isinstance(values, dict)
    return values


def test_both_languages_have_the_same_files() -> None:
    """A program, a link or a person finds the same thing under the same name in either language."""
    assert list(files(TEMPLATE / "en")) == list(files(TEMPLATE / "ko"))


def test_korean_is_korean_wherever_a_person_reads() -> None:
    """No page of the Korean vault was left in English."""
    korean, english = files(TEMPLATE / "ko"), files(TEMPLATE / "en")
    for name in shown_by_obsidian(list(korean)):
        assert re.search("[가-힣]", korean[name]), name
        assert korean[name] != english[name], name


def test_every_folder_of_the_design_survives_git(tree: Path) -> None:
    """Git keeps no empty folder: each holds a note, which says what belongs there."""
    for folder in FOLDERS:
        notes = list((tree / folder).glob("*.md"))
        assert notes, folder
        assert all(note.stat().st_size for note in notes)


def test_files_are_utf8_nfc_and_end_their_last_line(tree: Path) -> None:
    """The bytes are those that git, Windows and macOS leave alone."""
    for name, text in files(tree).items():
        assert "\r" not in text, name
        assert not text.startswith("\ufeff"), name
        assert text.endswith("\n"), name
        assert unicodedata.is_normalized("NFC", name + text), name


def test_names_are_legal_everywhere(tree: Path) -> None:
    """Windows, macOS, Android and Obsidian's links can hold every name, and take no two for the same."""
    names = list(files(tree))
    for name in names:
        for part in name.split("/"):
            assert not re.search(r'[\\:*?"<>|#^\[\]\x00-\x1f]', part), name
            assert part == part.strip(" ") and not part.endswith("."), name
            assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", part), name
            assert len(part.encode()) <= 200, name
    shown = [name.rsplit("/", 1)[-1].casefold() for name in shown_by_obsidian(names)]
    assert len(shown) == len(set(shown)), "two notes share a name: a short link to it would be ambiguous"


def test_every_link_resolves(tree: Path) -> None:
    """No page of a fresh vault has a dead link, and embedded views exist under the name that is embedded."""
    everything = files(tree)
    shown = shown_by_obsidian(list(everything))
    by_name = {name.rsplit("/", 1)[-1].removesuffix(".md"): name for name in shown}
    for name in shown:
        if not name.endswith(".md") or name.startswith("Templates/"):
            continue
        for link in re.findall(r"\[\[([^\]|]+)", everything[name]):
            target, _, part = link.partition("#")
            assert target in by_name, f"{name}: [[{link}]]"
            if part:
                views = yaml.safe_load(everything[by_name[target]])["views"]
                assert part in [view["name"] for view in views], f"{name}: [[{link}]]"


def test_bases_are_valid(tree: Path) -> None:
    """Every dashboard keeps to the documented keys, filters note properties that exist and names its views apart.

    Format: Obsidian help, "Bases syntax".
    """
    known = set(json.loads((tree / ".obsidian/types.json").read_text("utf-8"))["types"])
    bases = {name: text for name, text in files(tree).items() if name.endswith(".base")}
    assert {"Notes.base", "Decisions.base", "Sessions.base"} <= set(bases)
    for name, text in bases.items():
        base = yaml.safe_load(text)
        assert set(base) <= {"filters", "formulas", "properties", "summaries", "views"}, name
        check_filter(base["filters"], name)
        titles = [view["name"] for view in base["views"]]
        assert len(titles) == len(set(titles)), name
        for view in base["views"]:
            assert set(view) <= {"type", "name", "limit", "filters", "groupBy", "order", "sort", "summaries"}, name
            assert view["type"] in {"table", "cards", "list", "map"}, name
            check_filter(view.get("filters", []), name)
            columns = [*view["order"], *(row["property"] for row in view.get("sort", []))]
            for column in [*columns, *base["properties"]]:
                kind, _, prop = column.rpartition(".")
                assert kind in {"", "note", "file", "formula"}, f"{name}: {column}"
                defined = base.get("formulas", {}) if kind == "formula" else known
                assert kind == "file" or prop in defined, f"{name}: {column}"


def test_what_waits_to_be_curated_is_a_work_queue(tree: Path) -> None:
    """Sessions that no note links to, oldest day first, of one day the largest: the order of `wwt uncurated`."""
    base = yaml.safe_load((tree / "Sessions.base").read_text("utf-8"))
    [view] = [view for view in base["views"] if view.get("filters") == {"and": ["file.backlinks.isEmpty()"]}]

    assert base["formulas"] == {"day": "file.name.slice(0, 10)"}
    assert view["sort"] == [
        {"property": "formula.day", "direction": "ASC"},
        {"property": "file.size", "direction": "DESC"},
    ]


def check_filter(node: object, name: str) -> None:
    """A filter is a statement, or one of and/or/not over a list of filters."""
    if isinstance(node, str):
        prop = re.match(r"!?(?:file\.\w+|[a-z_]+)\b", node)
        assert prop, f"{name}: {node}"
        return
    if isinstance(node, dict):
        assert len(node) == 1 and set(node) <= {"and", "or", "not"}, f"{name}: {node}"
        node = next(iter(node.values()))
    assert isinstance(node, list), f"{name}: {node}"
    for part in node:
        check_filter(part, name)


def test_dashboards_leave_the_note_templates_out(tree: Path) -> None:
    """A template has the type of the notes made from it, and is none of them."""
    for name in ("Notes.base", "Decisions.base"):
        base = yaml.safe_load((tree / name).read_text("utf-8"))
        assert '!file.inFolder("Templates")' in base["filters"]["and"], name


def test_map_is_json_canvas(tree: Path) -> None:
    """The map keeps to JSON Canvas 1.0 and shows files that exist. Format: jsoncanvas.org/spec/1.0."""
    canvas = json.loads((tree / "Map.canvas").read_text("utf-8"))
    required = {"text": "text", "file": "file", "link": "url"}
    ids = [thing["id"] for thing in canvas["nodes"] + canvas["edges"]]
    assert len(ids) == len(set(ids))
    for node in canvas["nodes"]:
        assert node["type"] in {"text", "file", "link", "group"}
        assert all(isinstance(node[key], int) for key in ("x", "y", "width", "height")), node["id"]
        assert required.get(node["type"], "id") in node, node["id"]
        if node["type"] == "file":
            assert (tree / node["file"]).is_file(), node["file"]
    nodes = {node["id"] for node in canvas["nodes"]}
    for edge in canvas["edges"]:
        assert {edge["fromNode"], edge["toNode"]} <= nodes, edge["id"]
        assert {edge["fromSide"], edge["toSide"]} <= {"top", "right", "bottom", "left"}, edge["id"]


@pytest.mark.parametrize("kind", NOTE_TYPES)
def test_note_templates_have_the_properties_of_a_note(tree: Path, kind: str) -> None:
    """A note made by hand from a template is a curated note like an agent's; its id comes with the first save."""
    values = frontmatter((tree / "Templates" / f"{kind.capitalize()} template.md").read_text("utf-8"))
    assert values["type"] == kind
    assert values["status"] in {"current", "superseded", "draft"}
    assert values["reviewed"] is True, "a person wrote it"
    assert "id" not in values, "an id in a template would be copied into every note"
    assert {"aliases", "tags", "created", "updated", "written_by", "questions", *RELATIONS} <= set(values)
    types = json.loads((tree / ".obsidian/types.json").read_text("utf-8"))["types"]
    assert set(values) <= set(types)


def test_obsidian_settings_fit_the_tree(tree: Path) -> None:
    """Obsidian finds the templates, has the plugins that the start page needs, and hides none of our notes."""
    settings = {path.name: json.loads(path.read_text("utf-8")) for path in (tree / ".obsidian").glob("*.json")}
    assert (tree / settings["templates.json"]["folder"]).is_dir()
    plugins = settings["core-plugins.json"]
    assert all(plugins[name] for name in ("templates", "bases", "canvas", "graph", "backlink", "properties"))
    assert not plugins["sync"] and not plugins["publish"], "what leaves the machine is for the person to switch on"
    hidden = settings["app.json"]["userIgnoreFilters"]
    assert not [folder for folder in FOLDERS if any(f"{folder}/x.md".startswith(prefix) for prefix in hidden)]
    assert (tree / settings["app.json"]["newFileFolderPath"]).is_dir()
    for group in settings["graph.json"]["colorGroups"]:
        assert (tree / group["query"].removeprefix("path:")).is_dir(), group
    assert "workspace.json" not in settings and "community-plugins.json" not in settings


def test_vault_settings_are_read_and_are_the_defaults(tree: Path) -> None:
    """A fresh vault behaves as the program does without settings, and every key it shows is one the program knows."""
    settings = load_vault_settings(tree / ".wwt" / "config.toml")
    assert settings == Settings(language=tree.name)
    text = (tree / ".wwt/config.toml").read_text("utf-8")
    shown = tomllib.loads(re.sub(r"(?m)^# (\w+ = )", r"\1", text))
    keys = {key for table in shown.values() for key in table}
    assert keys == set(Settings._fields)
    assert shown["search"]["meaning_weight"] == Settings().meaning_weight


def test_git_keeps_the_truth_byte_for_byte_and_nothing_of_one_machine(tree: Path, tmp_path: Path) -> None:
    """Events and revisions are tracked as they are, line ends too; window positions and unfinished files are not."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    vault = tmp_path / "vault"
    shutil.copytree(tree, vault)
    kept = {
        ".wwt/vault.json": b"{}\n",
        ".wwt/events/2026/11/30/20261130T015801Z-9f2c4e1ab07d.json": b"{}\n",
        ".wwt/revisions/k7/9f2c.md": b"one\r\ntwo",
        "10_Projects/Shop.md": b"\xef\xbb\xbfone\r\ntwo\n",
    }
    left = [".obsidian/workspace.json", ".obsidian/workspace-mobile.json", ".trash/x.md", "50_Conversations/.tmp-9f2c"]
    for name, data in [*kept.items(), *((name, b"x") for name in left)]:
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_bytes(data)

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-c", "core.autocrlf=true", *arguments], cwd=vault, check=True, stdout=-1).stdout

    git("init", "-q")
    git("add", "-A")
    tracked = git("ls-files", "-z").decode().split("\0")
    assert not set(left) & set(tracked)
    for name, data in kept.items():
        assert git("cat-file", "blob", f":{name}") == data, name


def test_every_vault_gets_an_id_of_its_own(tree: Path) -> None:
    """The template carries no vault id, so two vaults never share one."""
    assert not (tree / ".wwt/vault.json").exists()


def test_a_fresh_vault_has_nothing_to_find_but_the_glossary(tree: Path, tmp_path: Path) -> None:
    """The pages that come with a vault never stand between a question and its answer, and none has a fault."""
    vault = create_vault(tmp_path / "vault", tree.name)
    found = catalog(vault)
    assert list(found) == ["AI_CONTEXT/Glossary.md"]
    assert not load_document(vault, next(iter(found))).problems


def test_a_template_has_the_headings_that_need_evidence(tree: Path) -> None:
    """The heading over the facts is one under which every bullet has to cite, in either language."""
    for path in (tree / "Templates").glob("*.md"):
        body = markdown.split(path.read_text("utf-8")).body
        hint = re.search(r"%% .*?\[\^.*? %%", body)
        assert hint, path.name
        assert not list(evidence.uncited_facts(markdown.parse(body))), path.name
        filled = markdown.parse(body.replace(hint[0], "- one\n"))
        assert len(list(evidence.uncited_facts(filled))) == 1, path.name


@pytest.mark.parametrize("kind", NOTE_TYPES)
def test_a_note_begun_by_hand_from_a_template_is_kept_up_by_an_agent(tree: Path, kind: str, tmp_path: Path) -> None:
    """In either language: its headings mean what they mean in an agent's notes, and nothing of it is lost."""
    vault = create_vault(tmp_path / "vault", tree.name)
    workspace = open_workspace(str(vault.root), embedder=lambda: None)
    now = datetime(2026, 11, 30, 3, tzinfo=UTC)
    said = [{"role": "user", "text": "Orders go to PostgreSQL.", "time": now.isoformat()}]
    (event,) = conversations.record(workspace, "chat", "s1", said, now=now)["added"]
    text = (vault.root / "Templates" / f"{kind.capitalize()} template.md").read_text("utf-8")
    text = text.replace("{{date:YYYY-MM-DD}}", "2026-11-30").replace("{{time:HH:mm:ss}}", "12:00:00")
    path = vault.root / "00_Inbox" / "주문 database.md"
    path.write_text(text.replace("%% ", "Mine. %% ", 1), "utf-8")
    structure = markdown.parse(markdown.split(text).body)
    facts = headings.find(structure, headings.FACTS)
    forms = [headings.FACTS, headings.HISTORY, *([headings.REASON, headings.REJECTED] if kind == "decision" else [])]
    assert all(headings.find(structure, form) for form in forms)
    assert facts is not None

    read = notes.read_note(workspace, "주문 database")
    saved = notes.save_note(
        workspace, "주문 database", append={facts.text: f"- PostgreSQL [^{event}]"}, history=f"begun [^{event}]",
        revision=read["revision"], written_by="codex", now=now,
    )  # fmt: skip
    after = path.read_text("utf-8")
    assert saved["id"]
    assert "Mine. %% " in after
    assert f"- PostgreSQL [^{event}]\n" in after
    assert f"- 2026-11-30: begun [^{event}]\n" in after
    assert "reviewed: false" in after
    assert check.check_vault(vault).problems == ()
    (told,) = [item for item in recall.context(workspace, "PostgreSQL orders")["items"] if item["kind"] == "note"]
    assert told["path"] == "00_Inbox/주문 database.md"
    assert not re.search("(?:Why|이유|Rejected options|버린 선택지): ", told["text"]), "a hint is no reason"


def test_agents_are_told_the_rules(tree: Path) -> None:
    """The page that agents follow names the tools it tells them to use."""
    text = (tree / "AI_CONTEXT/Rules.md").read_text("utf-8")
    for tool in (
        "wiki_get_context",
        "wiki_read",
        "wiki_read_events",
        "wiki_save_note",
        "wiki_uncurated",
        "wiki_mark_curated",
    ):
        assert f"`{tool}`" in text, tool
