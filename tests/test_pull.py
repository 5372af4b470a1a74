"""`pull`, `list` and `remove`: the program itself against a hub on the loopback."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hub_stub import COMMIT, hub_stub
from safetensors.numpy import save_file

from clef_mlx.weights import catalog, download, shelf
from clef_mlx.weights.random_release import write_random_release

NAME = "someone/tiny-clef"
NOBODY = "http://127.0.0.1:9"  # the discard port: nobody listens
BIG = "model-00001-of-00002.safetensors"
PIECE_BYTES = 10 << 20  # what the hub's library writes at a time; less than one piece is begun anew


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    folder = write_random_release(tmp_path_factory.mktemp("hub") / "release", shards=2)
    (folder / "modeling.py").write_text("raise SystemExit")
    return folder


@pytest.fixture
def hub(release):
    with hub_stub({NAME: release, "mlx-community/clef-flash-4bit": release}) as stub:
        yield stub


@pytest.fixture
def long_file(hub, tmp_path, release) -> str:
    """A file of three pieces, in the model someone/long."""
    folder = shutil.copytree(release, tmp_path / "long")
    save_file({"extra": np.zeros(3 * PIECE_BYTES, np.uint8)}, folder / "extra.safetensors")
    hub.repositories["someone/long"] = folder
    return "extra.safetensors"


@pytest.fixture
def shell(tmp_path, hub):
    """Run the program with a cache and a configuration of this test's own."""

    def run(*arguments: str, address: str | None = None, limit_bytes: int | None = None, **variables: str):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "CLEF_"))}
        environment |= {
            "HF_HOME": str(tmp_path / "hub"),
            "HF_ENDPOINT": hub.address if address is None else address,
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        } | variables
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))) if limit_bytes else None
        command = [sys.executable, "-c", "import sys; from clef_mlx.cli import main; sys.exit(main())", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, preexec_fn=limit)
        assert "Traceback" not in done.stderr
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture
def configured(tmp_path):
    def read() -> dict:
        file = tmp_path / "config" / "clef-mlx" / "config.json"
        return json.loads(file.read_text()) if file.is_file() else {}

    return read


# What there is


def test_list_of_public_models_needs_no_network(shell, hub):
    done = shell("pull", "--json", address=NOBODY)
    offers = {offer["name"]: offer for offer in json.loads(done.out)}
    assert {"Cloudflare/clef", "Cloudflare/clef-flash", "mlx-community/clef-flash-4bit"} <= offers.keys()
    assert hub.requests == []


def test_catalog_has_the_published_parameters():
    for name, vision in (("clef-flash", 456_010_480), ("clef", 460_730_096)):
        _, text, head = catalog._shapes(name)
        assert catalog.BACKBONES[name].parameters - text == vision
        assert head == {"clef-flash": 121_762_820, "clef": 128_056_324}[name]


def test_offer_grows_with_bits_and_length():
    by_name = {offer.checkpoint.name: offer for offer in catalog.offers()}
    four, eight = by_name["mlx-community/clef-flash-4bit"], by_name["mlx-community/clef-flash-8bit"]
    assert four.download < eight.download
    assert list(four.memory) == [1024, 4096, 16384]
    assert sorted(four.memory.values()) == list(four.memory.values())


def test_offer_fits_where_the_memory_is(monkeypatch):
    monkeypatch.setattr(catalog, "available_bytes", lambda: 1 << 50)
    assert {offer.fits for offer in catalog.offers()} == {"yes"}
    monkeypatch.setattr(catalog, "available_bytes", lambda: 1 << 30)
    assert {offer.fits for offer in catalog.offers()} == {"no"}


# One model


def test_pull_downloads_and_makes_it_the_default(shell, configured):
    done = shell("pull", NAME)
    assert done.code == 0, done.err
    assert "It is the default model now." in done.out
    assert configured() == {"model": NAME}


def test_pulled_default_decides_offline(shell):
    shell("pull", NAME)
    flags = ("--state", "x", "--noul", "q=Is it?", "--format", "json")
    done = shell("decide", *flags, address=NOBODY, HF_HUB_OFFLINE="1")
    assert done.code == 0, done.err
    assert json.loads(done.out)["model"] == NAME


def test_pull_brings_no_code(shell):
    folder = Path(json.loads(shell("pull", NAME, "--json").out)["folder"])
    assert (folder / "config.json").is_file()
    assert not (folder / "modeling.py").exists()


def test_pull_can_leave_the_default(shell, configured):
    assert shell("pull", NAME, "--no-default").code == 0
    assert configured() == {}


def test_pull_by_alias_configures_the_alias(shell, configured):
    assert shell("pull", "clef-flash").code == 0
    assert configured() == {"model": "clef-flash"}


def test_pull_of_a_folder_configures_its_path(shell, configured, release):
    assert shell("pull", str(release)).code == 0
    assert configured() == {"model": str(release)}


def test_second_pull_downloads_nothing(shell):
    shell("pull", NAME)
    assert json.loads(shell("pull", NAME, "--json").out)["downloaded_bytes"] == 0


def test_environment_that_overrides_the_default_is_told(shell):
    assert "CLEF_MLX_MODEL is set" in shell("pull", NAME, CLEF_MLX_MODEL="other/model").err


def test_pull_is_quiet_in_a_pipe(shell):
    assert shell("pull", NAME).err == ""


# What goes wrong


def test_dropped_connection_is_continued_where_it_broke(shell, hub, long_file):
    hub.drops[long_file] = 1
    shell("pull", "someone/long")
    assert hub.ranges == [(long_file, PIECE_BYTES)]


def test_download_that_breaks_for_good_is_told(shell, hub, configured):
    hub.drops[BIG] = 100
    done = shell("pull", NAME)
    assert done.code == 1
    assert "run it again" in done.err
    assert done.err.count("\n") == 1
    assert configured() == {}


def test_files_that_came_whole_are_kept_for_the_next_try(shell, hub):
    hub.drops[BIG] = 100
    shell("pull", NAME)
    hub.drops.clear()
    hub.requests.clear()
    assert shell("pull", NAME).code == 0
    fetched = {path.rpartition("/")[2] for path in hub.requests if "/resolve/" in path}
    assert BIG in fetched and "model-00002-of-00002.safetensors" not in fetched


def test_wrong_hash_is_named_deleted_and_downloaded_again(shell, hub, configured):
    hub.damaged.add(BIG)
    done = shell("pull", NAME)
    assert done.code == 1
    assert BIG in done.err and "sha256" in done.err and "deleted" in done.err
    assert done.err.count("\n") == 1
    assert configured() == {}
    hub.damaged.clear()
    assert shell("pull", NAME).code == 0


def test_wrong_hash_of_a_small_file_is_found_too(shell, hub):
    hub.damaged.add("tokenizer.json")
    done = shell("pull", NAME)
    assert done.code == 1
    assert "tokenizer.json" in done.err


def test_full_disk_is_one_line(shell, configured):
    done = shell("pull", NAME, limit_bytes=50_000)
    assert done.code == 1
    assert "full" in done.err or "File too large" in done.err
    assert done.err.count("\n") == 1
    assert configured() == {}


def test_too_small_a_disk_is_refused_before_downloading(hub, monkeypatch, tmp_path):
    plan = download.Download(NAME, None, bytes_total=100, bytes_missing=1 << 60, cache=tmp_path)
    with pytest.raises(download.CheckpointError, match="needs 1152921504.6 GB|on the disk of"):
        download.refuse_full_disk(plan)


def test_no_network_is_one_line(shell):
    done = shell("pull", NAME, address=NOBODY)
    assert done.code == 1
    assert "Check the network" in done.err
    assert done.err.count("\n") == 1


def test_offline_switch_is_named(shell):
    assert "HF_HUB_OFFLINE" in shell("pull", NAME, HF_HUB_OFFLINE="1").err


def test_unknown_model_is_one_line(shell):
    done = shell("pull", "someone/else")
    assert done.code == 1
    assert "not found on the hub" in done.err


def test_chat_model_is_refused_and_no_default(shell, hub, tmp_path, configured):
    folder = tmp_path / "chat"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "qwen3_5"}')
    (folder / "tokenizer.json").write_text("{}")
    hub.repositories["someone/chat"] = folder
    done = shell("pull", "someone/chat")
    assert done.code == 1
    assert configured() == {}


def test_unwritable_configuration_says_what_else_to_do(shell, tmp_path):
    (tmp_path / "config").write_text("a file where the folder should be")
    done = shell("pull", NAME)
    assert done.code == 1
    assert "Set CLEF_MLX_MODEL instead" in done.err


# What is here


def test_list_shows_model_and_default(shell):
    shell("pull", NAME)
    facts = json.loads(shell("list", "--json", address=NOBODY).out)
    assert facts["default"] == NAME
    assert [(model["name"], model["revision"]) for model in facts["models"]][:1] == [(NAME, COMMIT)]


def test_list_table_marks_the_default(shell):
    shell("pull", NAME)
    line = next(line for line in shell("list").out.splitlines() if NAME in line)
    assert "default" in line


def test_list_tells_an_incomplete_download(shell, hub):
    hub.drops[BIG] = 100
    shell("pull", NAME)
    hub.drops.clear()
    assert f"Complete {NAME} with: clef-mlx pull {NAME}" in shell("list").out


def test_list_leaves_other_models_out(shell, tmp_path):
    other = tmp_path / "hub" / "hub" / "models--someone--chat" / "snapshots" / ("d" * 40)
    other.mkdir(parents=True)
    (other / "config.json").write_text("{}")
    assert "someone/chat" not in shell("list").out


def test_empty_list_says_where_to_look(shell):
    out = shell("list").out
    assert "clef-mlx pull" in out or "clef-nano" in out


# Away with it


def test_remove_deletes_the_files_and_the_default(shell, configured):
    folder = Path(json.loads(shell("pull", NAME, "--json").out)["folder"])
    done = shell("remove", NAME, "--yes")
    assert done.code == 0, done.err
    assert not folder.exists()
    assert configured() == {}


def test_remove_keeps_another_default(shell, configured):
    shell("pull", NAME)
    shell("pull", "clef-flash")
    assert shell("remove", NAME, "--yes").code == 0
    assert configured() == {"model": "clef-flash"}


def test_remove_asks_nobody_in_a_pipe(shell):
    shell("pull", NAME)
    done = shell("remove", NAME)
    assert done.code == 2
    assert "--yes" in done.err


@pytest.mark.parametrize(
    ("name", "told"),
    [("someone/else", "no such model"), ("clef-nano", "comes with the package"), ("", "must be named")],
)
def test_remove_of_what_is_not_there_is_one_line(shell, name, told):
    done = shell("remove", name, "--yes")
    assert done.code == 1
    assert told in done.err


def test_remove_leaves_folders_alone(release):
    with pytest.raises(shelf.CheckpointError, match="Delete it yourself"):
        shelf.find(str(release))
