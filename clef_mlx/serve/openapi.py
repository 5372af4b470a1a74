"""The description at /openapi.json, from the models that check requests and those of the answers.

Made when asked for, since it lists the models that are served and the caps that are set.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from pydantic.json_schema import models_json_schema

from clef_mlx.serve.decisions_form import DecisionsBody
from clef_mlx.serve.dialects import ALIASES, CLOUDFLARE_MODELS, IMAGE_SCHEMA, VIDEO_SCHEMA, SystemOneBody
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.shapes import (
    DecisionsAnswer,
    Envelope,
    Error,
    FailedEnvelope,
    Model,
    Models,
    Status,
    SystemOneAnswer,
)

REQUESTS = (SystemOneBody, DecisionsBody)
ANSWERS = (SystemOneAnswer, DecisionsAnswer, Envelope, FailedEnvelope, Models, Model, Status, Error)
UNLISTED = ("id", "media_kwargs", "images", "videos", "assets")
PICTURES = """

Pictures: `images` is an array of Picture, `videos` one of Clip, `assets` an object of name -> Asset. An asset may name
a part of a multipart/form-data body, whose part `request` is then this JSON. Bodies may be compressed, by gzip or zstd.
"""
IMAGE_PARTS = """

Parts may also be ImagePart, with a data URL."""
BODY_ERRORS = {
    400: "The body is no JSON, the model is unknown, or the record is too long.",
    403: "The Host or Origin header is foreign.",
    408: "The body took too long to arrive.",
    413: "The body, a picture or a count is over its cap.",
    415: "The media type or encoding is not supported.",
    422: "A field is missing or of the wrong type.",
    429: "The queue is full; see Retry-After.",
    500: "The model failed at this request.",
    503: "Loading, shutting down or too busy; see Retry-After.",
}


def description(settings: Settings, models: list[str]) -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    _, made = models_json_schema(
        [(model, "validation") for model in REQUESTS + ANSWERS],
        ref_template="#/components/schemas/{model}",
    )
    schemas = made["$defs"]
    _say_names(schemas, models)
    _set_pictures_apart(schemas)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "clef-mlx",
            "version": version("clef-mlx"),
            "description": "Typed decisions: the System One API.",
        },
        "paths": _paths(models, keyed=settings.key is not None),
        "components": {"schemas": schemas},
    }
    if settings.key is not None:
        document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    return document


def _say_names(schemas: dict[str, Any], models: list[str]) -> None:
    """Rules that only this server's settings know."""
    named = {"enum": list(dict.fromkeys([*models, *ALIASES]))}
    by_cloudflare = {"type": "string", "pattern": f"^{CLOUDFLARE_MODELS}clef"}
    for body in REQUESTS:
        schemas[body.__name__]["properties"]["model"] = {"anyOf": [named, by_cloudflare, {"type": "null"}]}


def _set_pictures_apart(schemas: dict[str, Any]) -> None:
    """Schemas of their own, named in the text: no schema can say that bytes are a picture, so that a body made after
    one that listed them would be refused."""
    schemas |= {"Picture": IMAGE_SCHEMA, "Clip": VIDEO_SCHEMA}
    body = schemas["SystemOneBody"]
    for field in UNLISTED:
        body["properties"].pop(field)
    body["description"] += PICTURES
    schemas["DecisionsBody"]["description"] += IMAGE_PARTS
    for schema in schemas.values():
        _drop(schema, "#/components/schemas/ImagePart")


def _drop(schema: Any, reference: str) -> None:
    """Take one alternative out of every choice between schemas."""
    if isinstance(schema, dict):
        if "oneOf" in schema:
            schema["oneOf"] = [one for one in schema["oneOf"] if one.get("$ref") != reference]
        mapping = schema.get("discriminator", {}).get("mapping", {})
        for name in [name for name, target in mapping.items() if target == reference]:
            del mapping[name]
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _drop(inner, reference)


def _paths(models: list[str], *, keyed: bool) -> dict[str, Any]:
    account = _in_path("account", {"type": "string", "minLength": 1})
    model = _in_path("model", {"enum": ["clef", "clef-flash"]})
    cloudflare = f"/client/v4/accounts/{{account}}/ai/run/{CLOUDFLARE_MODELS}{{model}}"
    wrong_key = {401: "The key is missing or wrong."} if keyed else {}
    body_errors = BODY_ERRORS | wrong_key
    foreign = {403: BODY_ERRORS[403]}
    paths = {
        "/v1/systemone": _post("Decide", "SystemOneBody", "SystemOneAnswer", body_errors),
        "/v1/decisions": _post("Decide, in OpenAI's shape", "DecisionsBody", "DecisionsAnswer", body_errors),
        cloudflare: _post("Decide, on Cloudflare's route", "SystemOneBody", "Envelope", body_errors, "FailedEnvelope"),
        "/v1/models": _get("The models served", "Models", foreign | wrong_key),
        "/v1/models/{id}": _get("One of them", "Model", foreign | wrong_key | {404: "No model has this id."}),
        "/health": _get("The process is up", "Status", foreign),
        "/ready": _get("A decision has succeeded", "Status", foreign | {503: BODY_ERRORS[503]}),
        "/metrics": _get("Figures for Prometheus", None, foreign | wrong_key),
    }
    paths[cloudflare]["parameters"] = [account, model]
    paths["/v1/models/{id}"]["parameters"] = [_in_path("id", {"enum": models})]
    if keyed:
        for path in ("/v1/systemone", "/v1/decisions", cloudflare, "/v1/models", "/v1/models/{id}", "/metrics"):
            for operation in ("get", "post"):
                if operation in paths[path]:
                    paths[path][operation]["security"] = [{"key": []}]
    return paths


def _post(summary: str, body: str, answer: str, errors: dict[int, str], error: str = "Error") -> dict[str, Any]:
    content = {"application/json": {"schema": _ref(body)}}
    operation = _get(summary, answer, errors, error)["get"]
    return {"post": operation | {"requestBody": {"required": True, "content": content}}}


def _get(summary: str, answer: str | None, errors: dict[int, str], error: str = "Error") -> dict[str, Any]:
    media_type, schema = ("application/json", _ref(answer)) if answer else ("text/plain", {"type": "string"})
    content = {media_type: {"schema": schema}}
    responses = {"200": {"description": "The answer.", "headers": _ID_HEADER, "content": content}}
    for status, why in sorted(errors.items()):
        failed = {"application/json": {"schema": _ref(error)}}
        responses[str(status)] = {"description": why, "headers": _ID_HEADER, "content": failed}
    return {"get": {"summary": summary, "responses": responses}}


def _in_path(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_ID_SCHEMA = {"type": "string", "pattern": "^req_[0-9a-f]{24}$"}
_ID_HEADER = {"x-typesafe-request-id": {"required": True, "schema": _ID_SCHEMA}}
