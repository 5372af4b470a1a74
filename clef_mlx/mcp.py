"""The Model Context Protocol over stdio: agents -> the tools `decide` and `models`.

The official SDK speaks the protocol and keeps stdout to itself. A model is loaded when it is first asked, since agents
start their servers whether they need them or not. Errors are tool errors of one line, which agents read and mend.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

import clef_mlx
from clef_mlx.engine.clef import Clef
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.schema import MAX_LEVELS, MAX_OPTIONS
from clef_mlx.strict_json import show
from clef_mlx.weights.hub import known_as

ANYTHING = {"description": "Any JSON value."}
QUESTION = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"enum": ["noul", "choice", "score"], "description": "Yes or no, one of some options, or a level."},
        "instructions": {"description": "The question, usually one sentence."},
        "criteria": {
            "description": (
                f"choice: an object of 1 to {MAX_OPTIONS} options, each with a description or null. score: an array of "
                f"1 to {MAX_LEVELS} levels, lowest first. noul: left out, or an object that describes true and false."
            )
        },
    },
}
DECIDE = {
    "type": "object",
    "required": ["state", "questions"],
    "properties": {
        "state": {"description": "What is judged: a text, or any JSON value."},
        "questions": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": QUESTION,
            "description": "Question id -> question.",
        },
        "images": {"type": "array", "items": ANYTHING, "description": "Pictures to judge: paths or data URLs."},
        "model": {"type": "string", "description": "One of those `models` lists; the first without it."},
    },
}
READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
TOOLS = [
    Tool(
        name="decide",
        description=(
            "Answer typed questions about a state with calibrated probabilities, on this machine, in milliseconds. "
            "noul is the probability of yes; choice and score come with the probability of every option or level."
        ),
        input_schema=DECIDE,
        annotations=READS,
    ),
    Tool(
        name="models",
        description="The models that decide here, and what each takes.",
        input_schema={"type": "object", "properties": {}},
        annotations=READS,
    ),
]


class Models:
    """Names -> models, each loaded when it is first asked. The first is the default."""

    def __init__(self, names: Iterable[str], load: Callable[[str], Clef]) -> None:
        self._names: dict[str, str] = {}
        for name in names:
            if (id := known_as(name)) in self._names:
                rule = f"names must differ, got {show(id)} twice. Rename a folder, or drop one."
                raise RequestError(f"model: {rule}")
            self._names[id] = name
        self._load = load
        self._loaded: dict[str, Clef] = {}
        self._loading = anyio.Lock()

    async def get(self, id: str | None) -> Clef:
        """Raises RequestError, or what loading raises."""
        id = next(iter(self._names)) if id is None else id
        if not isinstance(id, str) or id not in self._names:
            raise RequestError(f"model: must be one of {', '.join(self._names)}, got {show(id)}. Or leave it out.")
        async with self._loading:
            if id not in self._loaded:
                self._loaded[id] = await anyio.to_thread.run_sync(self._load, self._names[id])
        return self._loaded[id]

    def list(self) -> list[dict[str, Any]]:
        return [{"id": id, "loaded": id in self._loaded} | _facts(self._loaded.get(id)) for id in self._names]

    def close(self) -> None:
        for model in self._loaded.values():
            model.close()


async def serve(models: Models) -> None:
    """Answer on stdin and stdout until stdin ends."""

    async def list_tools(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=TOOLS)

    async def call_tool(_: Any, call: CallToolRequestParams) -> CallToolResult:
        try:
            return _result(await _called(models, call.name, call.arguments or {}))
        except ClefError as error:
            return _refusal(str(error))
        except Exception as error:  # noqa: BLE001 - the agent is told that much, stderr the rest
            traceback.print_exception(error, file=sys.stderr)
            return _refusal(f"{call.name}: failed at this call. The server's stderr says where.")

    server = Server("clef-mlx", version=clef_mlx.__version__, on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
    models.close()


async def _called(models: Models, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    known = {found.name: found.input_schema["properties"] for found in TOOLS}
    if tool not in known:
        raise RequestError(f"tool: must be {' or '.join(known)}, got {show(tool)}. Choose one.")
    for name in given:
        if name not in known[tool]:
            allowed = ", ".join(known[tool]) or "none"
            raise RequestError(f"{tool}: {show(name)} is unknown. Known: {allowed}.", (name,))
    if tool == "models":
        return {"models": models.list()}
    for name in DECIDE["required"]:
        if name not in given:
            raise RequestError(f"{tool}: {name} must be given. See the tool's schema.", (name,))
    model = await models.get(given.get("model"))
    decision = await model.adecide(given["state"], given["questions"], given.get("images") or ())
    return decision.to_dict()


def _facts(model: Clef | None) -> dict[str, Any]:
    if model is None:
        return {}
    info = model.info
    return {"dtype": info.dtype, "weight_bytes": info.weight_bytes, "max_length": model.options.max_length}


def _result(value: dict[str, Any]) -> CallToolResult:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=value)


def _refusal(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)
