"""What JSON Schema cannot say of our requests, for schemathesis. Runs in its environment."""

from typing import Any

import schemathesis
from hypothesis import strategies

# One blue pixel, and an animation of two.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC"
GIF = (
    "R0lGODlhAQABAIEAAAAA/wAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAAQABAAAIBAABBAQA"
    "IfkEAQoAAQAsAAAAAAEAAQCB/wAAAAAAAAAAAAAACAQAAQQEADs="
)

schemathesis.openapi.format("bare-picture", strategies.just(PNG))
schemathesis.openapi.format("picture", strategies.sampled_from([PNG, f"data:image/png;base64,{PNG}"]))
schemathesis.openapi.format("picture-url", strategies.just(f"data:image/png;base64,{PNG}"))
schemathesis.openapi.format("animation", strategies.just(f"data:image/gif;base64,{GIF}"))


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """The processor has its own rules for what it is told."""
    if isinstance(body, dict) and isinstance(body.get("media_kwargs"), dict):
        return body | {"media_kwargs": {}}
    return body


@schemathesis.hook
def filter_body(context: schemathesis.HookContext, body: Any) -> bool:
    """Names of questions, and values of a question's choices, are each used once."""
    questions = body.get("questions") if isinstance(body, dict) else None
    if not isinstance(questions, list):
        return True
    lists = [question.get("choices") for question in questions if isinstance(question, dict)]
    return _once(questions, "name") and all(_once(choices, "value") for choices in lists if isinstance(choices, list))


def _once(items: list[Any], key: str) -> bool:
    named = [repr(item[key]) for item in items if isinstance(item, dict) and item.get(key) is not None]
    return len(named) == len(set(named))
