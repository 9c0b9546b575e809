"""Vectors from a server that speaks OpenAI's embeddings API: Ollama, llama.cpp, vLLM, a company's own.

``POST <url>/embeddings`` with ``{"model", "input": [texts], "encoding_format": "float"}`` answers ``{"data": [{"index",
"embedding"}]}`` (https://platform.openai.com/docs/api-reference/embeddings). Only what the user's own settings name is
spoken to, and a machine other than this one only with a consent that is written out there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from wwt_vault.config import Embedding, is_this_machine, variable
from wwt_vault.errors import BadArgument, ModelUnavailable
from wwt_vault.index.embedder import clean, unit

__all__ = ["HttpEmbedder", "consent_to"]

_BATCH: Final = 32
_TRIES: Final = 4
_WAIT: Final = 0.5
"""Seconds before the second try; each further wait is twice the one before."""
_LONGEST_WAIT: Final = 20.0
_CONNECT, _READ = 5.0, 120.0
_BUSY: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
_LONGEST_TEXT: Final = 8000
"""Characters: more than any passage has; a pasted question is cut."""


def consent_to(host: str) -> str:
    """Return the sentence by which a person agrees that words of the vault are sent to ``host``."""
    return f"Send the words of my vault to {host}"


class HttpEmbedder:
    """A model behind HTTP. Calls may come from several threads at once."""

    def __init__(self, settings: Embedding) -> None:
        """Ask the server for one vector, to know its length.

        Raises ``BadArgument`` for settings that are not whole or name another machine without consent,
        ``ModelUnavailable`` when the server does not answer as it should.
        """
        import httpx2  # noqa: PLC0415 - only where it is wanted

        url, host = _checked(settings)
        if not settings.model:
            message = 'embedder = "openai-compatible" needs a model under [embedding] in your own config.toml: the name'
            raise BadArgument(f"{message} that the server has for it.", key="model")
        key = variable(settings.key_variable).strip() if settings.key_variable else ""
        if not (key.isascii() and key.isprintable()):  # no header can hold it, and an error would show it
            message = f"{settings.key_variable} holds more than a key: only printable ASCII can be sent. Set it anew."
            raise BadArgument(message, key="key_variable")
        self._key = _about_key(settings.key_variable, key)
        self._http = httpx2
        self._url = url.rstrip("/") + "/embeddings"
        self._model, self._place = settings.model, urlsplit(url).netloc.rpartition("@")[2]  # no password in a message
        self._shown = self._url.replace(urlsplit(url).netloc, self._place)
        self._query, self._passage = settings.query_prefix, settings.passage_prefix
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx2.Timeout(_READ, connect=_CONNECT),
            follow_redirects=False,  # a redirect could lead the words to a machine that nobody agreed to
            trust_env=not is_this_machine(host),
        )
        self.name = f"openai-compatible {settings.model} {self._place}"
        if self._query or self._passage:
            self.name += f" {self._query!r} {self._passage!r}"  # the same model with others makes other vectors
        self.dimension = 0
        self.dimension = len(self._embed(["dimension"])[0])

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question. Raises ``ModelUnavailable``."""
        return self._embed([self._query + text]).reshape(-1)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (texts, dimension). Raises ``ModelUnavailable``."""
        prepared = [self._passage + text for text in texts]
        batches = [self._embed(prepared[at : at + _BATCH]) for at in range(0, len(prepared), _BATCH)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), dtype=np.float32)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        # An empty text is an error to many servers.
        readable = [clean(text)[:_LONGEST_TEXT] or " " for text in texts]
        answer = self._ask({"model": self._model, "input": readable, "encoding_format": "float"})
        try:
            rows = sorted(answer["data"], key=lambda entry: int(entry["index"]))
            vectors = np.asarray([entry["embedding"] for entry in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            why = f"it answered something else than vectors ({error!r}): url must be that of an embeddings API"
            raise self._unavailable(why) from error
        if len(vectors) != len(texts) or vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise self._unavailable(f"it answered {len(vectors)} vectors for {len(texts)} texts, or no numbers")
        if self.dimension and vectors.shape[1] != self.dimension:
            raise self._unavailable(f"its vectors have {vectors.shape[1]} numbers now, and had {self.dimension}")
        return unit(vectors)

    def _ask(self, body: dict[str, Any]) -> Any:
        """Send a request, again after a while when the server is busy or not there yet; return the JSON it answers."""
        for attempt in range(_TRIES):
            last = attempt == _TRIES - 1
            try:
                answer = self._client.post(self._url, json=body)
            except self._http.ConnectError as error:
                why = f"nothing answers there ({error})"
                raise self._unavailable(why, "Start it, or mend url") from error
            except self._http.TransportError as error:
                if last:
                    raise self._unavailable(f"{type(error).__name__}: {error}") from error
                wanted = None
            else:
                if answer.is_success:
                    try:
                        return answer.json()
                    except ValueError as error:
                        why = 'it answered no JSON: url must be that of an API, which mostly ends with "/v1"'
                        raise self._unavailable(why) from error
                if answer.status_code not in _BUSY or last:
                    why = f"it answered {answer.status_code} ({answer.text[:200].strip() or answer.reason_phrase})"
                    raise self._unavailable(why + self._what_to_do(answer))
                wanted = answer.headers.get("Retry-After")
            time.sleep(_wait(attempt, wanted))
        raise AssertionError("unreachable")

    def _what_to_do(self, answer: Any) -> str:
        """Return what a refusal of this kind is mended by, empty where nobody can tell."""
        if answer.status_code in (401, 403):
            return f": {self._key}"
        if answer.status_code in (404, 405):
            return f': it has no model "{self._model}" (pull or load it), or nothing at {self._shown} (mend url)'
        if answer.is_redirect:
            return f": it sends on to {answer.headers.get('Location')}, which is not followed; write that into url"
        return ": try later" if answer.status_code in _BUSY else ""

    def _unavailable(self, why: str, advice: str = "Mend [embedding]") -> ModelUnavailable:
        message = (
            f"The embedding server at {self._place} cannot be used: {why}. "
            f"{advice}{'' if '[embedding]' in advice else ' under [embedding]'} in your own config.toml. "
            "Until then words are searched."
        )
        return ModelUnavailable(message, model=self._model, url=self._shown)


def _about_key(name: str | None, key: str) -> str:
    """Return what to do where the server does not take the key."""
    if not name:
        return "it wants a key; name the environment variable that holds it as key_variable"
    return f"it does not take the key in {name}" if key else f"it wants a key, and {name} is not set where wwt runs"


def _wait(attempt: int, wanted: str | None) -> float:
    """Return the seconds until the next try: what the server asks for, else twice as long each time, more or less."""
    if wanted and wanted.isdigit():
        return min(float(wanted), _LONGEST_WAIT)
    return float(min(_WAIT * 2**attempt, _LONGEST_WAIT)) * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


def _checked(settings: Embedding) -> tuple[str, str]:
    """Return the address and its host, if words may go there."""
    url = settings.url or ""
    import httpx2  # noqa: PLC0415 - only where it is wanted

    try:
        parts = urlsplit(url)
        # As the client reads it: the host that is judged is the one that is spoken to.
        host = httpx2.URL(url).host if parts.port != 0 else ""
    except (ValueError, httpx2.InvalidURL):
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not host:
        message = (
            '[embedding] in your own config.toml needs a url, as "http://127.0.0.1:11434/v1" for Ollama; '
            f"it has {url!r}"
        )
        raise BadArgument(message, key="url")
    if is_this_machine(host):
        return url, host
    if settings.consent != consent_to(host):
        message = (
            f"{host} is another machine: every message and note of your vaults would be sent there. If you want that, "
            f'write under [embedding] in your own config.toml: consent = "{consent_to(host)}"'
        )
        raise BadArgument(message, key="consent")
    if parts.scheme != "https":
        message = f"Words are sent to another machine by https only, not to {parts.netloc.rpartition('@')[2]}: mend url"
        raise BadArgument(f"{message} under [embedding] in your own config.toml.", key="url")
    return url, host
