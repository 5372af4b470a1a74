"""Pictures and frames in requests to the server, in every form they may come."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image
from serving import NOUL, REQUEST, decide, expect, served

from clef_mlx.serve.bodies import Body
from clef_mlx.serve.dialects import read_request
from clef_mlx.serve.problems import Invalid, Refused
from clef_mlx.serve.settings import Settings

TOLERANCE = 2e-5  # float32, whatever else was in the batch
PICTURE = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release, max_images=2, max_frames=3) as running:
        yield running


def asked(value: dict[str, Any], **files: bytes) -> Any:
    body = {"state": "x", "questions": {"q": NOUL}, **value}
    return read_request(Body(body, files), Settings(max_images=3, max_frames=3)).request


def test_assets_follow_images_in_order():
    text = base64.b64encode(PICTURE).decode()
    given = {
        "images": ["data:image/png;base64,AAAA"],
        "assets": {"<a>": {"type": "image", "format": "png", "data_base64": text}, "<b>": {"part": "asset-0"}},
    }
    assert asked(given, **{"asset-0": b"bytes"}).images == ("data:image/png;base64,AAAA", PICTURE, b"bytes")


def test_multipart_brings_pictures_as_the_sdk_sends_them(server):
    request = REQUEST | {"assets": {"<image:1>": {"type": "image", "part": "asset-0"}}}
    parts = {
        "request": (None, json.dumps(request), "application/json"),
        "asset-0": ("asset-0", b"no picture", "image/png"),
    }
    response = server.client.post("/v1/systemone", files=parts)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["body", "assets", "<image:1>"]


def test_multipart_without_pictures_is_answered(server):
    parts = {"request": (None, json.dumps(REQUEST), "application/json")}
    assert server.client.post("/v1/systemone", files=parts).json()["answers"].keys() == REQUEST["questions"].keys()


@pytest.mark.parametrize(
    ("assets", "place"),
    [
        ({"a": {"part": "absent"}}, ("assets", "a", "part")),
        ({"a": {"data_base64": "!"}}, ("assets", "a", "data_base64")),
        ({"a": {}}, ("assets", "a", "data_base64")),
        ({"a": {"type": "video"}}, ("assets", "a", "type")),
        ([], ("assets",)),
    ],
)
def test_asset_fault_names_its_field(assets, place):
    with pytest.raises(Invalid) as caught:
        asked({"assets": assets})
    assert caught.value.problems[0].location == place


def test_part_that_no_asset_names_is_refused():
    with pytest.raises(Invalid, match="every part"):
        asked({}, stray=b"x")


@pytest.mark.parametrize(
    "value",
    [
        {"images": ["x"] * 4},
        {"images": ["x"] * 2, "assets": {"a": {}, "b": {}}},
        {"videos": [{"frames": ["x"] * 4}]},
        {"videos": ["x"] * 4},
        {"questions": {str(number): NOUL for number in range(257)}},
    ],
)
def test_count_over_its_cap_is_413(value):
    with pytest.raises(Refused) as caught:
        asked(value)
    assert caught.value.status == 413


def picture(width: int = 40, height: int = 30, color: str = "red", mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.new(mode, (width, height), color).save(file, "PNG")
    return file.getvalue()


def test_every_form_of_a_picture_is_the_same_picture(server):
    content = picture()
    text = base64.b64encode(content).decode()
    forms = [
        {"images": [f"data:image/png;base64,{text}"]},
        {"images": [{"content_type": "image/png", "base64": text}]},
        {"images": [text]},
        {"assets": {"<image:1>": {"type": "image", "format": "png", "data_base64": text}}},
    ]
    answers = [decide(server, {"q": NOUL}, **form)["answers"]["q"]["noul"] for form in forms]
    request = REQUEST | {"questions": {"q": NOUL}, "assets": {"<image:1>": {"part": "asset-0"}}}
    parts = {"request": (None, json.dumps(request), "application/json"), "asset-0": ("asset-0", content, "image/png")}
    answers.append(server.client.post("/v1/systemone", files=parts).json()["answers"]["q"]["noul"])
    part = [
        {"type": "input_text", "text": REQUEST["state"]},
        {"type": "input_image", "image_url": forms[0]["images"][0]},
    ]
    asked = {"input": [{"role": "user", "content": part}], "questions": [NOUL | {"type": "predicate", "name": "q"}]}
    answers.append(server.ask(asked, "/v1/decisions").json()["answers"][0]["probability"])
    assert answers == pytest.approx([answers[0]] * len(answers), abs=TOLERANCE)
    assert abs(answers[0] - decide(server, {"q": NOUL})["answers"]["q"]["noul"]) > TOLERANCE


def test_frames_of_a_clip_are_read(server):
    frames = [base64.b64encode(picture(color=color)).decode() for color in ("red", "blue")]
    seen = decide(server, {"q": NOUL}, videos=[{"frames": frames, "fps": 2}])
    assert seen["usage"]["input_tokens"] > decide(server, {"q": NOUL})["usage"]["input_tokens"]


def test_picture_of_too_many_pixels_is_413(server):
    text = base64.b64encode(picture(20_000, 20_000, 1, "1")).decode()
    assert len(text) < 1 << 20
    assert expect(server.ask(REQUEST | {"images": [text]}), 413, "request_too_large").startswith("images[0]: ")


def test_url_of_a_picture_is_never_fetched(server):
    for image in ("http://127.0.0.1:9/x.png", "file:///etc/passwd", "/etc/passwd"):
        response = server.ask(REQUEST | {"images": [image]})
        assert response.status_code == 422
        assert response.json()["detail"][0]["loc"][:2] == ["body", "images"]
