"""Making a vault from the template: in an empty folder, or in an Obsidian vault that a person already has."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

from wwt_vault.config import Settings
from wwt_vault.errors import BadArgument, EventConflict, Refused, VaultMissing
from wwt_vault.vault import Vault, files, format_of, open_vault, zone_named
from wwt_vault.vault.layout import CONFIG_FILE, VAULT_FILE, find_name, inside

__all__ = ["create_vault", "refuse_inside_a_vault", "template_folder"]


def template_folder() -> Path:
    """Return the folder that holds a template per language: in the wheel, or at the top of a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_vault_template", package.parent / "vault_template"):
        if folder.is_dir():
            return folder
    raise VaultMissing("the vault's template is not there: install the program again (pip install --force-reinstall)")


def create_vault(root: Path, lang: str = "en", timezone: str | None = None, template: Path | None = None) -> Vault:
    """Make the folder ``root`` a vault and open it; one that is a vault already is opened and left as it is.

    ``lang`` is the language of the template and of what the program writes (``en``, ``ko``); ``timezone`` an IANA
    name, UTC without one; ``template`` a folder with a tree per language, this program's own without one. A file that
    is there is never overwritten, also when its name differs by case or Unicode form alone. What was interrupted is
    finished by the next call.

    Raises ``BadArgument`` (unknown language or zone, ``root`` is a file), ``Refused`` inside another vault,
    ``VaultReadOnly``, ``VaultError``, and what ``open_vault`` raises.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
    try:
        return open_vault(root)
    except VaultMissing:
        pass
    if root.exists() and not root.is_dir():
        raise BadArgument(f"{root} is a file; name a folder for the vault", path=str(root))
    refuse_inside_a_vault(root)
    templates = template or template_folder()
    languages = sorted(folder.name for folder in templates.iterdir() if folder.is_dir())
    if lang not in languages:
        raise BadArgument(f"there is no vault in {lang!r}; choose one of {', '.join(languages)}", argument="lang")
    if timezone is not None:
        zone_named(timezone)
    tree = templates / lang
    for source in sorted(path for path in tree.rglob("*") if path.is_file()):
        rel = source.relative_to(tree).as_posix()
        data = source.read_bytes()
        if rel == CONFIG_FILE:
            data = _with_settings(data.decode(), lang, timezone or "UTC").encode()
        _add(root, rel, data)
    _add(root, CONFIG_FILE, _with_settings("[vault]\n", lang, timezone or "UTC").encode())  # if the template had none
    # Last: until it is there, the folder is no vault, and the next call goes on.
    _add(root, VAULT_FILE, json.dumps({"format": format_of(Settings()), "id": os.urandom(16).hex()}).encode() + b"\n")
    return open_vault(root)


def refuse_inside_a_vault(root: Path) -> None:
    """Raise ``Refused`` if the folder ``root`` lies in a vault: that one's search and sync would take it for theirs."""
    for folder in (*root.parents, *root.resolve().parents):
        if (folder / VAULT_FILE).is_file():
            message = f"{root} lies in the vault {folder}, and a vault holds no other one. Nothing was written."
            message += f" Use that one (--vault {folder}), or name a folder outside of it."
            raise Refused(message, path=str(folder))


def _add(root: Path, rel: str, data: bytes) -> None:
    """Write a file unless the person has one of that name, in folders of the person's where they have them."""
    place = root
    *folders, name = rel.split("/")
    for folder in folders:
        place /= find_name(place, folder) or folder
    if find_name(place, name) is None:
        with suppress(EventConflict):  # made in this moment by somebody else
            files.create_once(inside(root, (place / name).relative_to(root).as_posix(), hidden=True), data)


def _with_settings(text: str, lang: str, timezone: str) -> str:
    """Return the text of a ``config.toml`` with language and time zone set, all else as it is."""
    for key, value in (("language", lang), ("timezone", timezone)):
        line = f"{key} = {json.dumps(value)}"
        if re.search(rf"(?m)^{key}\s*=", text):
            text = re.sub(rf"(?m)^{key}\s*=.*$", line, text, count=1)
        else:
            text = re.sub(r"(?m)^\[vault\][ \t]*$", f"[vault]\n{line}", text, count=1)
    return text
