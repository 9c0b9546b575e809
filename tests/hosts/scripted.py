"""A language model that says what a test wrote down, in the three wire formats the real hosts speak.

It listens on loopback, in a thread of the test. The hosts believe they talk to Anthropic's Messages, OpenAI's
Responses or Google's generateContent; every request they send is kept, so a test can see what stood before the model.
"""

from __future__ import annotations

import gzip
import json
import secrets
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple

Json = dict[str, Any]


class Say(NamedTuple):
    """The model answers with these text blocks and ends its turn."""

    blocks: tuple[str, ...]


class Call(NamedTuple):
    """The model calls the offered tool whose name ends in ``tool``, after saying ``first`` (when not empty)."""

    tool: str
    arguments: Json
    first: str = ""


class Hang(NamedTuple):
    """The model does not answer any more; a test interrupts the host meanwhile."""


Step = Say | Call | Hang


class OfferedTool(NamedTuple):
    """A tool as the host offers it: what to send back, and the name to find it by."""

    name: str
    namespace: str | None
    full_name: str


def say(*blocks: str) -> Say:
    """Return the step of an answer in one or several text blocks."""
    return Say(blocks)


def offered_tools(request: Json) -> list[OfferedTool]:
    """Return every tool in the request, whichever of the three formats it has (Codex nests those of a server)."""
    tools: list[OfferedTool] = []
    for entry in request.get("tools") or []:
        if "functionDeclarations" in entry:
            tools += [OfferedTool(one["name"], None, one["name"]) for one in entry["functionDeclarations"]]
        elif entry.get("type") == "namespace":
            inner = [one["name"] for one in entry.get("tools", ()) if "name" in one]
            tools += [OfferedTool(name, entry["name"], entry["name"] + name) for name in inner]
        elif "name" in entry:
            tools.append(OfferedTool(entry["name"], None, entry["name"]))
    return tools


class ScriptedModel:
    """The server. ``with ScriptedModel([say("hello")]) as model: …`` answers at ``model.url`` until the block ends.

    Each request that offers tools is a turn of the conversation and takes the next step; the last step repeats. A
    request without tools is the host's own errand (a title, a summary) and gets a short answer.
    """

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.requests: list[Json] = []
        self.missing_tools: list[str] = []
        self.hangs = threading.Event()
        """Set as soon as a host waits for an answer that does not come."""
        self._ends = threading.Event()
        self._taken = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Return the address without a trailing slash."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ends.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def parts(self, request: Json) -> list[Json]:
        """Return what to answer: ``{"text": …}`` and ``{"tool": OfferedTool, "arguments": …}`` parts in order."""
        with self._lock:
            tools = offered_tools(request)
            self.requests.append(request)
            if not tools:
                return [{"text": "ok"}]
            step = self.steps[min(self._taken, len(self.steps) - 1)]
            self._taken += 1
        if isinstance(step, Hang):
            self.hangs.set()
            self._ends.wait()
            return [{"text": "too late"}]
        if isinstance(step, Say):
            return [{"text": text} for text in step.blocks]
        tool = next((one for one in tools if one.full_name.endswith(step.tool)), None)
        if tool is None:
            self.missing_tools.append(step.tool)
            return [{"text": f"The tool {step.tool} was not offered, only {[one.full_name for one in tools]}."}]
        said = [{"text": step.first}] if step.first else []
        return [*said, {"tool": tool, "arguments": step.arguments}]

    def new_id(self, prefix: str) -> str:
        """Return an id that no other answer of this server has."""
        return f"{prefix}_{secrets.token_hex(8)}"


def _pieces(text: str) -> list[str]:
    """Cut a text as a stream does, so that a host has to put it together again."""
    return [text[at : at + 40] for at in range(0, len(text), 40)] or [""]


def _anthropic(model: ScriptedModel, request: Json) -> Iterator[Json]:
    parts = model.parts(request)
    message: Json = {
        "id": model.new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    for index, part in enumerate(parts):
        if "tool" in part:
            block = {"type": "tool_use", "id": model.new_id("toolu"), "name": part["tool"].name, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(part["arguments"])}]
        else:
            block = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(part["text"])]
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if "tool" in parts[-1] else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 7},
    }
    yield {"type": "message_stop"}


def _openai(model: ScriptedModel, request: Json) -> Iterator[Json]:
    items: list[Json] = []
    for part in model.parts(request):
        if "tool" in part:
            item: Json = {
                "type": "function_call",
                "id": model.new_id("fc"),
                "call_id": model.new_id("call"),
                "name": part["tool"].name,
                "arguments": json.dumps(part["arguments"]),
                "status": "completed",
            }
            if part["tool"].namespace:
                item["namespace"] = part["tool"].namespace
        else:
            text = {"type": "output_text", "text": part["text"], "annotations": []}
            item = {
                "type": "message",
                "id": model.new_id("msg"),
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        items.append(item)
    response = {"id": model.new_id("resp"), "object": "response"}
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        for piece in _pieces(item["content"][0]["text"]) if item["type"] == "message" else ():
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield {"type": "response.output_text.delta", **place, "delta": piece}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 16,
    }
    done = {**response, "status": "completed", "output": items, "usage": usage}
    yield {"type": "response.completed", "response": done}


def _google(model: ScriptedModel, request: Json) -> Iterator[Json]:
    pieces: list[Json] = []
    for part in model.parts(request):
        if "tool" in part:
            pieces.append({"functionCall": {"name": part["tool"].name, "args": part["arguments"]}})
        else:
            pieces += [{"text": piece} for piece in _pieces(part["text"])]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    for number, piece in enumerate(pieces, 1):
        candidate: Json = {"content": {"role": "model", "parts": [piece]}, "index": 0}
        if number == len(pieces):
            candidate["finishReason"] = "STOP"
        yield {"candidates": [candidate], "usageMetadata": usage}


def _format_of(path: str) -> Callable[[ScriptedModel, Json], Iterator[Json]] | None:
    if "count_tokens" in path or "countTokens" in path:
        return None
    for part, answer in (("/messages", _anthropic), ("/responses", _openai), ("enerateContent", _google)):
        if part in path:
            return answer
    return None


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Keep a test's output free of access logs."""

        def send(self, body: str, kind: str = "application/json") -> None:
            data = body.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            with suppress(ConnectionError):  # a host that was interrupted does not wait for the answer
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        def do_HEAD(self) -> None:
            self.send("")

        def do_GET(self) -> None:
            self.send('{"data": [], "models": []}')

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            encoding = self.headers.get("content-encoding")
            if encoding == "gzip":
                raw = gzip.decompress(raw)
            elif encoding == "deflate":
                raw = zlib.decompress(raw)
            answer = _format_of(self.path)
            if answer is None:
                return self.send('{"input_tokens": 9, "totalTokens": 9}')
            frames = list(answer(model, json.loads(raw)))
            if answer is _google and "stream" not in self.path:
                whole = [part for frame in frames for part in frame["candidates"][0]["content"]["parts"]]
                frames[-1]["candidates"][0]["content"]["parts"] = whole
                return self.send(json.dumps(frames[-1]))
            named = answer is not _google
            lines = [(f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n" for one in frames]
            return self.send("".join(lines), "text/event-stream")

    return Handler
