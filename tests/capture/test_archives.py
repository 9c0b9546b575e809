"""Files inside zip archives: which are read, which are not and why, and that nothing is ever unpacked."""

from __future__ import annotations

import json
import struct
import zipfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import archives, read_transcript, recognise
from wwt_vault.capture.archives import Member, members, open_archive
from wwt_vault.errors import TranscriptError
from wwt_vault.model.conversation import Message, Skipped

RECORD = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "안녕"}}
TRANSCRIPT = json.dumps(RECORD, ensure_ascii=False).encode() + b"\n"


def pack(path: Path, files: dict[str, bytes]) -> Path:
    """Write an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def listed(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names that can be read, and what cannot with its reason."""
    with open_archive(path) as archive:
        found = list(members(archive))
    names = [item.path.at for item in found if isinstance(item, Member)]
    return names, [(item.path, item.reason) for item in found if isinstance(item, Skipped)]


def claim(path: Path, size: int) -> None:
    """Let an archive of one file say in both places that it unpacks to ``size`` bytes."""
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.index(signature)
        data[start + at : start + at + 4] = struct.pack("<I", size)
    path.write_bytes(data)


def test_what_can_be_a_transcript_is_listed(tmp_path: Path) -> None:
    """In the order of the names; pictures, pages, the account's data and what a system leaves are not."""
    left = ["photo.PNG", "chat.html", "user.json", "x/users.json", "__MACOSX/._s.jsonl", "x/._t.jsonl"]
    files = {"conversations.json": b"[]", "b/s.jsonl": b"{}", **dict.fromkeys(left, b"x"), "folder/": b""}
    path = pack(tmp_path / "a.zip", files)
    assert listed(path) == (["b/s.jsonl", "conversations.json"], [])


def test_a_member_is_a_file_like_any_other(tmp_path: Path) -> None:
    """Recognised and read, also when it is compressed once more; it knows its size and time."""
    path = pack(tmp_path / "a.zip", {"a/s.jsonl": TRANSCRIPT, "b.jsonl.zst": zstandard.compress(TRANSCRIPT)})
    with open_archive(path) as archive:
        for item in members(archive):
            assert isinstance(item, Member)
            assert recognise(item.path) == "claude-code"
            [message] = [part for part in read_transcript(item.path) if isinstance(part, Message)]
            assert message.text == "안녕" and message.time.year >= 2025
            size, time = archives.member_stat(item.path)
            assert size == item.size and time.replace(tzinfo=None) <= datetime.now()  # noqa: DTZ005 - to the day


@pytest.mark.parametrize(
    "name", ["../../home/u/.bashrc", "/etc/passwd.json", "a/../../b.json", "..\\b.json", "C:\\b.json", "C:/b.json"]
)
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    """Although nothing would be written there: who packs such a thing means no good."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), TRANSCRIPT)
        archive.writestr("good.jsonl", TRANSCRIPT)
    names, [(_, reason)] = listed(path)
    assert names == ["good.jsonl"] and "leads out of the archive" in reason


def test_an_archive_in_an_archive_is_named(tmp_path: Path) -> None:
    """It is not opened: nobody knows how deep it goes."""
    inner = pack(tmp_path / "inner.zip", {"conversations.json": b"[]"}).read_bytes()
    names, [(path, reason)] = listed(pack(tmp_path / "a.zip", {"inner.zip": inner, "good.jsonl": TRANSCRIPT}))
    assert names == ["good.jsonl"] and path.endswith("a.zip/inner.zip") and "unpack it" in reason


def test_encrypted_files_are_named_once(tmp_path: Path) -> None:
    """With what to do."""
    path = pack(tmp_path / "a.zip", {"a.json": b"{}", "b.json": b"{}"})
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = -1
        while (start := data.find(signature, start + 1)) >= 0:
            data[start + at] |= 1
    path.write_bytes(data)
    names, [(_, reason)] = listed(path)
    assert names == [] and "encrypted" in reason and "password" in reason and reason.endswith("(and 1 more)")


def test_a_bomb_is_known_by_what_it_claims(tmp_path: Path) -> None:
    """More than any packer makes of a text; a repetitive file that is honest is read."""
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("conversations.json", bytes(70 << 20))
    names, [(_, reason)] = listed(tmp_path / "bomb.zip")
    assert names == [] and "claims to unpack to 73,400,320 bytes" in reason
    assert listed(pack(tmp_path / "honest.zip", {"a.json": b"[" + b" " * (20 << 20) + b"]"}))[0] == ["a.json"]


def test_a_bomb_that_lies_ends_as_damage(tmp_path: Path) -> None:
    """What unpacks to something else than it claims is not read on."""
    path = pack(tmp_path / "a.zip", {"s.jsonl": TRANSCRIPT * 1000})
    claim(path, 10)
    with open_archive(path) as archive:
        [item] = members(archive)
        assert isinstance(item, Member)
        with pytest.raises(OSError, match="cannot be unpacked"):
            list(read_transcript(item.path, "claude-code"))


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.99])
def test_an_archive_that_was_cut_off_is_an_error_that_says_so(tmp_path: Path, keep: float) -> None:
    """Downloads break."""
    data = pack(tmp_path / "a.zip", {"conversations.json": b"[]" * 5000}).read_bytes()
    (tmp_path / "a.zip").write_bytes(data[: max(30, int(len(data) * keep))])
    assert archives.is_archive(tmp_path / "a.zip")
    with pytest.raises(TranscriptError, match="not a whole zip archive"):
        listed(tmp_path / "a.zip")


def test_damage_inside_a_file_is_an_error_of_reading(tmp_path: Path) -> None:
    """The archive's own checksum tells."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("s.jsonl", TRANSCRIPT * 100)
    path.write_bytes(path.read_bytes().replace("안녕".encode(), "아녕".encode(), 1))
    with open_archive(path) as archive:
        [item] = members(archive)
        assert isinstance(item, Member)
        with pytest.raises(OSError, match="CRC"):
            list(read_transcript(item.path, "claude-code"))


def test_a_name_that_is_no_text_in_one_of_its_two_places_is_damage(tmp_path: Path) -> None:
    """Found by fuzzing: the list at the end says the name in UTF-8, the file's own head in bytes that are none."""
    path = pack(tmp_path / "a.zip", {"대화.jsonl": TRANSCRIPT, "b.jsonl": TRANSCRIPT})
    data = path.read_bytes()
    path.write_bytes(data.replace("대화".encode(), b"\xeb\xb6\xf0\xed\x99\x94", 1))
    with open_archive(path) as archive:
        one, other = members(archive)
        assert isinstance(one, Member)
        assert isinstance(other, Member)
        with pytest.raises(OSError, match="cannot be unpacked"):
            archives.open_member(other.path)
        assert len(list(read_transcript(one.path, "claude-code"))) == 2


def test_names_that_never_end_hide_nothing_beside_them(tmp_path: Path) -> None:
    """Two slashes at the start, and more folders than any path has: named as not read, and the rest is."""
    deep = "a/" * 20_000 + "c.jsonl"
    path = pack(tmp_path / "a.zip", {"//x/a.jsonl": b"{}", "///": b"", deep: b"{}", "b.jsonl": TRANSCRIPT})
    names, left = listed(path)
    assert names == ["b.jsonl"]
    assert [reason.partition(";")[0] for _, reason in left] == [
        "its name leads out of the archive",
        "its name has more than 1,000 letters or 50 folders",
    ]
    with open_archive(path) as archive:
        [member, *_] = members(archive)
        assert isinstance(member, Member)
        assert len(list(read_transcript(member.path))) == 2


@settings(max_examples=150)
@given(st.integers(0, 400), st.binary(min_size=1, max_size=12))
def test_no_archive_is_too_odd(tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes) -> None:
    """Bytes anywhere in a good one: files come out, or an error that we know."""
    path = pack(tmp_path_factory.mktemp("odd") / "a.zip", {"a.jsonl": TRANSCRIPT, "b.json": b"[]"})
    data = path.read_bytes()
    path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    with suppress(TranscriptError, OSError), open_archive(path) as archive:
        for item in members(archive):
            if isinstance(item, Member):
                _read(item.path)


def _read(path: Any) -> None:
    with suppress(TranscriptError, OSError):
        list(read_transcript(path))
