"""Lines of any size as small values, from any offset."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import jsonl

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=5)


def read(data: bytes) -> list[Any]:
    """Return the objects and reasons in ``data``."""
    return [record for line in jsonl.lines(io.BytesIO(data)) for record in jsonl.records(line)]


@settings(max_examples=50)
@given(st.lists(st.lists(OBJECTS, min_size=1, max_size=3), max_size=6), st.sampled_from(["\n", "\r\n", "\n\n", " \n"]))
def test_every_object_of_every_line_is_read(lines: list[list[dict[str, Any]]], end: str) -> None:
    """Also those glued on one line, and whatever stands between lines."""
    data = "".join("".join(json.dumps(value, ensure_ascii=False) for value in line) + end for line in lines)
    assert read(data.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()) == [
        json.loads(json.dumps(value)) for line in lines for value in line
    ] or any("\ud800" <= letter <= "\udfff" for letter in data)


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    """Anything gives objects or a reason; offsets cover the file without a gap."""
    lines = list(jsonl.lines(io.BytesIO(data)))
    assert [line.start for line in lines] == [0, *(line.end for line in lines)][: len(lines)]
    assert not lines or lines[-1].end == len(data)
    for record in read(data):
        assert isinstance(record, dict) or (isinstance(record, str) and record)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": 1\n', "not JSON"),
        (b"nonsense\n", "not JSON"),
        (b"[1]\n", "not a JSON object: list"),
        (b'"text"\n', "not a JSON object: str"),
        (b'{"a": "\xb0\xa1"}\n', "not UTF-8"),
        (b"[" * 200_000 + b"\n", "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "not JSON"),
    ],
    ids=["truncated", "text", "list", "string", "cp949", "deep", "digits"],
)
def test_a_bad_line_is_named_and_the_next_one_read(data: bytes, reason: str) -> None:
    """One line that is not understood hides no other."""
    found = read(data + b'{"next": true}\n')
    assert any(isinstance(record, str) and reason in record for record in found)
    assert {"next": True} in found


def test_a_file_in_utf_16_is_named_once() -> None:
    """Windows tools write it; no line of it can be read."""
    assert read('{"a": 1}\n{"b": 2}\n'.encode("utf-16")) == [
        "the file is not UTF-8 (it looks like UTF-16); save it as UTF-8"
    ]


def test_words_in_a_wrong_encoding_are_not_lost() -> None:
    """What can be read of the line is kept beside the reason."""
    assert read(b'{"a": "ok \xb0\xa1"}\n') == ["bytes that are not UTF-8 were replaced", {"a": "ok \ufffd\ufffd"}]


def test_a_byte_order_mark_and_nuls_of_a_crash_are_passed_over() -> None:
    """Both were seen at the beginning of lines of real files."""
    assert read(b'\xef\xbb\xbf{"a": 1}\n\0\0\0{"b": 2}\n') == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_of_a_huge_line_all_but_the_huge_is_kept(ascii_only: bool) -> None:
    """Texts keep their first megabyte, binaries their size and hash; all around them is as it was."""
    picture, words = bytes(range(256)) * 20_000, '가나다 \\ "quoted" 😀\n' * 200_000
    record = {
        "before": {"a": [1, "\\", "x\\"]},
        "image": base64.b64encode(picture).decode(),
        "text": words,
        "after": "끝",
    }
    line = json.dumps(record, ensure_ascii=ascii_only).encode() + b"\n"
    [big, small] = list(jsonl.lines(io.BytesIO(line + b"{}\n")))
    [value] = jsonl.records(big)
    assert isinstance(value, dict)
    kept, _, note = value["text"].rpartition("\n\n[… ")

    assert len(big.data) < 1_100_000 and (big.start, big.end, small.number) == (0, len(line), 2)
    assert (value["before"], value["after"]) == (record["before"], record["after"])
    assert jsonl.binary(value["image"]) == (len(picture), sha256(picture).hexdigest()[:12])
    assert words.startswith(kept) and len(kept) > 200_000 and note.endswith("more bytes were not kept]")


@given(st.binary(max_size=200), st.sampled_from(["", "data:image/png;base64,"]), st.booleans())
def test_a_binary_is_known_by_its_bytes(data: bytes, prefix: str, wrapped: bool) -> None:
    """Size and hash are those of the binary, not of its spelling in base64."""
    spelled = base64.encodebytes(data).decode() if wrapped else base64.b64encode(data).decode()
    assert jsonl.binary(prefix + spelled) == (len(data), sha256(data).hexdigest()[:12])


def test_a_line_beyond_all_measure_is_passed_over() -> None:
    """A line of many large strings would not fit in memory as values: it is named, and the next one read."""
    line = b'{"a": [' + b",".join(b'"' + b"x y " * 200_000 + b'"' for _ in range(50)) + b"]}\n"
    assert read(line + b'{"next": 1}\n') == ["a line of more than 33,554,432 bytes was passed over", {"next": 1}]


def test_a_gigabyte_takes_no_more_memory_than_a_megabyte(tmp_path: Path) -> None:
    """One line of 200 MB and many of a kilobyte are read in less than 60 MB, the interpreter included."""
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b'{"data": "')
        for _ in range(200):
            file.write(b"QUJD" * (1 << 18))
        file.write(b'"}\n')
        file.write(b'{"text": "%s"}\n' % (b"x" * 1000) * 20_000)
    code = (
        "import sys, resource, re\nfrom pathlib import Path\nfrom wwt_vault.capture import jsonl\n"
        "with jsonl.open_stream(Path(sys.argv[1])) as file:\n"
        "    n = sum(1 for line in jsonl.lines(file) for record in jsonl.records(line) if isinstance(record, dict))\n"
        # Linux counts in ru_maxrss what the process was before it became this program.
        "status = Path('/proc/self/status')\n"
        "peak = re.search(r'VmHWM:\\s*(\\d+)', status.read_text())[1] if status.exists() else "
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "print(n, peak)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, peak = map(int, run.stdout.split())

    assert count == 20_001
    assert peak < 60_000  # kilobytes


def test_a_compressed_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    """Offsets are those of what is in it, and it may be of several frames."""
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.zst"
    data = b"".join(b'{"n": %d}\n' % n for n in range(50_000))
    plain.write_bytes(data)
    packed.write_bytes(zstandard.compress(data[:100_000]) + zstandard.compress(data[100_000:]))
    with jsonl.open_stream(plain) as one, jsonl.open_stream(packed) as other:
        assert list(jsonl.lines(one)) == list(jsonl.lines(other))
    with jsonl.open_stream(packed) as other:
        assert jsonl.skip_to(other, 8) == 8
        assert next(record for line in jsonl.lines(other, 8, 1) for record in jsonl.records(line)) == {"n": 1}


@pytest.mark.parametrize("fault", ["damaged", "ends in the middle"])
def test_a_compressed_file_is_read_as_far_as_it_is_whole(tmp_path: Path, fault: str) -> None:
    """Every line before the damage, or the place where it was cut off; then the error says which it is."""
    path = tmp_path / "a.jsonl.zst"
    data = b"".join(b'{"n": "%s"}\n' % sha256(b"%d" % n).hexdigest().encode() for n in range(20_000))
    packed = zstandard.compress(data)
    cut = packed[: len(packed) // 2]
    path.write_bytes(zstandard.compress(data[: len(data) // 2]) + b"\xff" * 400 if fault == "damaged" else cut)
    found = []
    with jsonl.open_stream(path) as file, pytest.raises(OSError, match=fault):
        found.extend(line.data for line in jsonl.lines(file))
    assert len(found) > 5_000
    assert data.startswith(b"".join(found))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_compressed_file_that_unpacks_to_gigabytes_needs_little_memory(tmp_path: Path) -> None:
    """Four bytes of it may stand for 128 KB: it is unpacked in small pieces, and of its long line little is kept."""
    path = tmp_path / "a.jsonl.zst"
    whole, part = zstandard.ZstdCompressor().compressobj(), b" " * (16 << 20)
    with path.open("wb") as packed:
        for _ in range(64):
            packed.write(whole.compress(part))
        packed.write(whole.flush())
    code = (
        "import sys; from pathlib import Path; from wwt_vault.capture import jsonl\n"
        "with jsonl.open_stream(Path(sys.argv[1])) as file: print([line.fault for line in jsonl.lines(file)])\n"
        "print(__import__('re').search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    faults, peak = run.stdout.splitlines()
    assert path.stat().st_size < 200_000
    assert "was passed over" in faults
    assert int(peak) < 200_000  # kilobytes


@settings(max_examples=50)
@given(st.lists(OBJECTS, max_size=8), st.sampled_from([None, 2]))
def test_the_elements_of_a_list_come_one_by_one(values: list[dict[str, Any]], indent: int | None) -> None:
    """However the file is laid out."""
    text = json.dumps({"id": "x", "list": values, "end": 1}, indent=indent)
    found = jsonl.elements(io.BytesIO(text.encode()), r'"list"\s*:\s*\[')
    assert list(found) == list(enumerate(json.loads(text)["list"]))


def test_what_stands_before_the_break_of_a_list_is_read() -> None:
    """A truncated file gives its whole elements, then says that it ends."""
    text = json.dumps({"list": [{"n": n, "text": "가" * 100_000} for n in range(20)]}).encode()
    found = []
    with pytest.raises(ValueError, match="message 11 is not JSON, or the file ends in it"):
        for number, value in jsonl.elements(io.BytesIO(text[: len(text) // 2 + 10]), r'"list"\s*:\s*\['):
            found.append((number, value["n"]))
    assert found == [(n, n) for n in range(10)]
