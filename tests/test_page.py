"""The page in Chromium against the real server: what a person sees, types, copies and keeps."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from io import BytesIO
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image
from serving import served

playwright = pytest.importorskip("playwright.sync_api", reason="the page is tested with the playwright package")
expect = playwright.expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium; `make chromium` installs Debian's")

KEY = "a-key-of-the-tests"
DESK = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
RUN_SECONDS = 60


@pytest.fixture(scope="module")
def url(tiny_release):
    with served(tiny_release) as server:
        yield server.url


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        # Chromium's own sandbox needs rights that a container's root lacks; it opens nothing but our page.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, url):
    """Open the page in a browser without a past. No script may fail and nothing may come from elsewhere."""
    contexts, faults = [], []

    def heard(message) -> None:
        # A refused request is the browser's to report, and ours to show.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def sent(request) -> None:
        if urlsplit(request.url).scheme not in ("data", "blob") and "127.0.0.1" not in request.url:
            faults.append(request.url)

    def open_page(address: str = url, **options):
        context = browser.new_context(**DESK | options)
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", heard)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", sent)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def page(visit):
    page = visit()
    expect(page.locator("#status")).to_have_text("Ready")
    return page


def decide(page) -> dict:
    """Ask with the keyboard; the answer the server gave."""
    with page.expect_response("**/v1/systemone") as response:
        page.keyboard.press("Control+Enter")
    expect(page.locator("#decide")).to_have_text("Decide")
    return response.value.json()


def ask_only(page, kind: str) -> None:
    """Leave one new question of a kind in the builder."""
    while page.locator(".question").count():
        page.get_by_role("button", name="Remove question").first.click()
    page.locator(f"[data-add={kind}]").click()


def picture(colour: str) -> str:
    file = BytesIO()
    Image.new("RGB", (32, 32), colour).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def drop(page, *pictures: str) -> None:
    """Drop PNG files on the state, as a desktop does."""
    files = page.evaluate_handle(
        """pictures => {
          const transfer = new DataTransfer();
          pictures.forEach((picture, index) => {
            const bytes = Uint8Array.from(atob(picture), character => character.charCodeAt(0));
            transfer.items.add(new File([bytes], `picture ${index}.png`, {type: "image/png"}));
          });
          return transfer;
        }""",
        list(pictures),
    )
    for event in ("dragover", "drop"):
        page.dispatch_event("#state-panel", event, {"dataTransfer": files})
    expect(page.locator("#thumbnails img")).to_have_count(len(pictures))


def copied(page, button: str) -> str:
    page.locator(button).click()
    expect(page.locator(button)).to_have_text("Copied")
    return page.evaluate("navigator.clipboard.readText()")


def code(page, language: str) -> str:
    page.locator("label", has=page.locator(f"input[name=language][value={language}]")).click()
    return copied(page, "#copy-code")


def test_page_shows_every_probability_as_a_bar(page):
    answers = decide(page)["answers"]
    shown = page.locator(".answer")
    expect(shown).to_have_count(3)
    percents = shown.nth(0).locator(".percent").all_inner_texts()
    assert percents == [f"{share:.1%}" for share in answers["team"]["probabilities"].values()]
    widths = (
        shown.nth(0).locator(".fill").evaluate_all("fills => fills.map(fill => fill.style.getPropertyValue('--share'))")
    )
    assert [float(width) for width in widths] == list(answers["team"]["probabilities"].values())
    expect(shown.nth(0).locator(".verdict strong")).to_have_text(answers["team"]["choice"])
    expect(shown.nth(0).locator(".confidence")).to_have_text(f"confidence {answers['team']['confidence']:.1%}")
    expect(shown.nth(2).locator(".verdict strong")).to_have_text(f"{answers['frustration']['score']:.2f} of 3")


def test_page_shows_time_and_tokens(page):
    answer = decide(page)
    facts = page.locator("#facts").inner_text().replace("\n", " ")
    assert f"Tokens {answer['usage']['input_tokens']:,}" in facts
    assert f"Decided in {answer['x_timing_ms']['model']:.1f} ms" in facts
    assert "Round trip" in facts


def test_page_keeps_the_order_of_numeric_names(page):
    ask_only(page, "choice")
    page.locator(".option-id").nth(0).fill("20")
    page.locator(".option-id").nth(1).fill("3")
    with page.expect_request("**/v1/systemone") as request:
        decide(page)
    assert list(json.loads(request.value.post_data)["questions"]["q1"]["criteria"]) == ["20", "3"]
    expect(page.locator(".bar .label")).to_have_text(["20", "3"])


def test_page_folds_many_options(page):
    ask_only(page, "choice")
    for number in range(12):
        page.locator(".option-id").nth(number).fill(f"option {number}")
        page.keyboard.press("Enter")
    decide(page)
    expect(page.locator(".bar")).to_have_count(8)
    page.get_by_role("button", name="4 less likely").click()
    expect(page.locator(".bar")).to_have_count(12)


def test_page_sends_a_json_state_as_it_was_typed(page):
    page.get_by_text("JSON", exact=True).first.click()
    page.fill("#state", '{"order": 12345678901234567890, "2": "b", "1": 1.50}')
    expect(page.locator("#json-verdict")).to_have_text("Valid JSON: an object with 3 names")
    with page.expect_request("**/v1/systemone") as request:
        decide(page)
    assert '"state": {"order": 12345678901234567890, "2": "b", "1": 1.50}' in request.value.post_data


def test_page_says_where_a_state_is_no_json(page):
    page.get_by_text("JSON", exact=True).first.click()
    page.fill("#state", '{"a": 1,\n  "b": }')
    expect(page.locator("#json-verdict")).to_have_text("Line 2, column 8: expected a value, got }")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_be_focused()
    expect(page.locator("#state-panel .problem")).to_have_count(1)
    page.fill("#state", '{"a": 1}')
    expect(page.locator(".problem")).to_have_count(0)


GOOD = ["0", "-1.5e+3", '"\\u0041\\n"', "null", " [1 , {}]\n", '{"a": {"b": [[]]}, "": ""}', '"한 🎯"', "9" * 40]
BAD = [
    "",
    "{",
    "[1,]",
    '{"a" 1}',
    "{a: 1}",
    "'a'",
    "01",
    "1.",
    ".5",
    "+1",
    "nul",
    "truefalse",
    '"a',
    '"\t"',
    '"\\x"',
    "1 2",
]
REFUSED = ["NaN", "1e400", '{"a": 1, "a": 2}', "[" * 200 + "]" * 200]


def test_page_judges_json_as_the_server_does(page, url):
    faults = page.evaluate(
        "texts => import('/page/fault.js').then(({jsonFault}) => texts.map(jsonFault))", GOOD + BAD + REFUSED
    )
    assert [fault is None for fault in faults] == [True] * len(GOOD) + [False] * len(BAD + REFUSED)
    with httpx.Client(base_url=url, headers={"content-type": "application/json"}) as client:
        for text, fault in zip(GOOD + BAD + REFUSED, faults, strict=True):
            body = f'{{"state": {text}, "questions": {{"q": {{"type": "noul"}}}}}}'
            status = client.post("/v1/systemone", content=body).status_code
            assert (status == 200) == (fault is None), text


def test_page_shows_a_refusal_at_the_field_it_names(page):
    ask_only(page, "score")
    page.get_by_role("button", name="Remove level").first.click()
    decide(page)
    problem = page.locator('.question [data-for="score"] .problem')
    expect(problem).to_contain_text("questions.q1.criteria: must be an array of 1 to 10 levels")
    marked = page.locator("[aria-invalid=true]")
    expect(marked).to_be_focused()
    assert marked.get_attribute("aria-describedby") == problem.get_attribute("id")


def test_page_catches_names_given_twice(page):
    page.locator(".id").nth(1).fill("team")
    page.locator(".option-id").nth(1).fill("billing")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".question .problem")).to_have_text(
        ["Another option is called “billing”. Rename one.", "Another question is called “team”. Rename one."]
    )


def test_page_says_that_the_server_is_gone(page):
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#failure")).to_have_text("The server did not answer. Is it still running?")


def test_page_stops_waiting_when_told(page):
    page.route("**/v1/systemone", lambda route: None)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#decide")).to_have_text("Stop")
    page.keyboard.press("Escape")
    expect(page.locator("#decide")).to_have_text("Decide")
    expect(page.locator("#failure")).to_be_hidden()
    page.unroute_all(behavior="ignoreErrors")


def test_page_takes_dropped_pictures_and_sends_them(page):
    drop(page, picture("red"), picture("blue"))
    with page.expect_request("**/v1/systemone") as request:
        decide(page)
    images = json.loads(request.value.post_data)["images"]
    assert images == [f"data:image/png;base64,{picture(colour)}" for colour in ("red", "blue")]
    page.get_by_role("button", name="Remove picture picture 0.png").click()
    expect(page.locator("#thumbnails img")).to_have_count(1)


def test_page_shows_a_refused_picture_at_the_picture(page):
    drop(page, b64encode(b"no picture").decode())
    decide(page)
    expect(page.locator("#thumbnails .problem")).to_contain_text("images[0]")


def test_page_copies_curl_that_runs(page, url):
    if not shutil.which("curl"):
        pytest.skip("needs curl")
    page.fill("#state", 'It\'s "quoted" $HOME `pwd` \\ 🎯')
    expected = decide(page)
    done = subprocess.run(["bash", "-c", code(page, "curl")], capture_output=True, text=True, timeout=RUN_SECONDS)
    assert json.loads(done.stdout)["usage"] == expected["usage"]


def test_page_copies_python_that_runs(page):
    page.get_by_text("JSON", exact=True).first.click()
    page.fill("#state", '{"true": [true, false, null], "text": "true 🎯 \\ud83d\\ude00 \\/"}')
    expected = decide(page)
    done = subprocess.run(
        [sys.executable, "-c", code(page, "python")],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        env=os.environ,
    )
    assert str(expected["usage"]) in done.stdout, done.stderr


def test_page_copies_json_and_the_answer(page, url):
    expected = decide(page)
    request = json.loads(code(page, "json"))
    assert httpx.post(f"{url}/v1/systemone", json=request).json()["usage"] == expected["usage"]
    assert json.loads(copied(page, "#copy-answer")) == expected


def test_page_history_outlives_a_reload_without_pictures(page):
    page.fill("#state", "Where is my parcel?")
    drop(page, picture("red"))
    page.get_by_role("button", name="Remove picture").click()
    decide(page)
    drop(page, picture("red"))
    page.reload()
    entry = page.locator("#history button")
    expect(entry).to_contain_text("Where is my parcel?")
    page.fill("#state", "Something else")
    entry.click()
    expect(page.locator("#state")).to_have_value("Where is my parcel?")
    expect(page.locator(".answer")).to_have_count(3)
    assert "data:image" not in page.evaluate("JSON.stringify(localStorage)")


def test_page_history_can_be_cleared(page):
    decide(page)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#history button")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('clef.history')") is None


def test_page_keeps_a_draft(page):
    page.fill("#state", "Half a thought")
    page.reload()
    expect(page.locator("#state")).to_have_value("Half a thought")


def test_page_asks_for_a_key_and_never_shows_it(visit, tiny_release):
    with served(tiny_release, key=KEY) as server:
        page = visit(server.url)
        for given in ("wrong", KEY):
            expect(page.locator("#key")).to_be_visible()
            page.fill("#key", given)
            page.get_by_role("button", name="Use key").click()
            if given != KEY:
                expect(page.get_by_text("That key was refused.")).to_be_visible()
        expect(page.locator("#model option")).not_to_have_count(0)
        decide(page)
        expect(page.locator(".answer")).to_have_count(3)
        assert KEY not in code(page, "curl") + code(page, "python") + page.content()
        assert KEY not in page.evaluate("JSON.stringify(localStorage)")


def lightness(page) -> int:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)[0]")


def test_page_follows_the_systems_colours(visit):
    assert lightness(visit(color_scheme="light")) > 200
    assert lightness(visit(color_scheme="dark")) < 60


def test_page_remembers_chosen_colours(page):
    for name in ("Light", "Dark"):
        page.locator("#theme").click()
        expect(page.locator("#theme")).to_contain_text(name)
    page.reload()
    assert lightness(page) < 60


@pytest.mark.parametrize("width", [320, 390, 768])
def test_page_fits_narrow_screens(visit, width):
    page = visit(**PHONE | {"viewport": {"width": width, "height": 844}})
    expect(page.locator("#status")).to_have_text("Ready")
    page.locator("#decide").tap()
    expect(page.locator(".answer")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    expect(page.locator("#answers-title")).to_be_in_viewport()


def test_page_works_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_be_focused()
    page.locator(".option-id").nth(2).focus()
    page.keyboard.press("Enter")
    page.keyboard.type("legal")
    expect(page.locator(".option-id").nth(3)).to_have_value("legal")
    page.locator(".options .row").nth(3).get_by_role("button", name="Move option up").press("Enter")
    expect(page.locator(".option-id").nth(2)).to_have_value("legal")
    expect(page.locator(".options .row").nth(2).get_by_role("button", name="Move option up")).to_be_focused()
    page.locator(".option-id").nth(3).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    expect(page.locator(".options:visible .option-id")).to_have_count(4)
    assert "legal" in decide(page)["answers"]["team"]["probabilities"]


def test_page_names_every_control(page):
    decide(page)
    nameless = page.evaluate(
        """[...document.querySelectorAll("input, select, textarea, button")].filter(control =>
          control.checkVisibility() && !control.labels?.length && !control.ariaLabel && !control.textContent.trim()
        ).map(control => control.outerHTML)"""
    )
    assert nameless == []


def test_page_starts_from_an_example(page):
    page.select_option("#example", "Invoice (JSON)")
    expect(page.locator("#json-verdict")).to_contain_text("Valid JSON")
    assert set(decide(page)["answers"]) == {"prices_match", "next_step"}
