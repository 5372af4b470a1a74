"""A model's name becomes a folder: local, by alias, or from a hub, and offline once it was downloaded."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import layout_writers as writers
import pytest
from hub_stub import COMMIT, hub_stub

from clef_mlx.errors import CheckpointError
from clef_mlx.weights import hub
from clef_mlx.weights.load import load_release
from clef_mlx.weights.random_release import write_random_release

NAME = "someone/tiny-clef"
OFFLINE = "http://127.0.0.1:9"  # the discard port: nobody listens


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    folder = write_random_release(tmp_path_factory.mktemp("hub") / "release", shards=2)
    (folder / "joint_schema_model.py").write_text("raise SystemExit('code from a hub was run')")
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    return folder


@pytest.fixture
def served(release):
    with hub_stub({NAME: release}) as stub:
        yield stub


@pytest.fixture
def use(monkeypatch, tmp_path):
    """Point the hub's library at an address, with a cache of this test's own."""
    from huggingface_hub import constants

    def point(address: str, offline: bool = False) -> Path:
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
        return tmp_path / "cache"

    return point


@pytest.fixture
def nobody_configured(monkeypatch, tmp_path):
    monkeypatch.delenv("CLEF_MLX_MODEL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def refusal(name: str | None) -> str:
    with pytest.raises(CheckpointError) as caught:
        hub.resolve(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Names


def test_folder_is_itself(tmp_path):
    assert hub.resolve(str(tmp_path)) == tmp_path


def test_home_is_expanded(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    assert hub.resolve("~/model") == tmp_path / "model"


def test_folder_needs_no_hub_library(release):
    code = f"import sys; from clef_mlx.weights.hub import resolve; resolve({str(release)!r})"
    code += "; sys.exit('huggingface_hub' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name", ["clef-flsh", "gpt-4", "", "  ", "a b/c", "x" * 5000])
def test_unknown_name_lists_aliases_and_how_to_download(name):
    message = refusal(name)
    assert all(alias in message for alias in hub.ALIASES) and "clef-mlx pull" in message


def test_misspelt_alias_is_guessed():
    assert "Did you mean clef-flash?" in refusal("clef-flsh")


def test_bundled_model_is_guessed_only_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setattr(hub, "bundled_folder", lambda: tmp_path / "none")
    assert "Did you mean clef-nano?" not in refusal("clef-nan")
    monkeypatch.setattr(hub, "bundled_folder", lambda: tmp_path)
    assert "Did you mean clef-nano?" in refusal("clef-nan")


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 5000 + "/y", "./" + "x" * 5000, "one\ntwo", "./one\ntwo"])
def test_name_is_repeated_short_and_on_one_line(name, use):
    use(OFFLINE)
    assert len(refusal(name)) < 700


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "../up", "~/none", "a/b/c"])
def test_missing_folder_is_told_as_one(name):
    assert "no such folder" in refusal(name)


@pytest.mark.parametrize("alias", hub.ALIASES)
def test_alias_leads_to_its_checkpoint(alias, release, use):
    with hub_stub({hub.ALIASES[alias]: release}) as stub:
        use(stub.address)
        assert hub.ALIASES[alias].replace("/", "--") in str(hub.resolve(alias))


# The default model


def test_environment_names_the_default(monkeypatch, nobody_configured, tmp_path):
    monkeypatch.setenv("CLEF_MLX_MODEL", str(tmp_path))
    assert hub.default_model().name == str(tmp_path)
    assert hub.resolve(None) == tmp_path


def test_configuration_names_the_default(nobody_configured, tmp_path):
    hub.configuration_file().parent.mkdir(parents=True)
    writers.write_json(hub.configuration_file(), {"model": str(tmp_path)})
    assert hub.default_model().name == str(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", '{"model": 5}', '{"model": " "}', '{"model": ["a"]}'])
def test_broken_configuration_is_named_with_a_remedy(nobody_configured, content):
    hub.configuration_file().parent.mkdir(parents=True)
    hub.configuration_file().write_text(content)
    message = refusal(None)
    assert message.startswith(f"{hub.configuration_file()}: ") and "or delete it" in message


@pytest.fixture
def homeless(monkeypatch):
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "XDG_CONFIG_HOME", "CLEF_MLX_MODEL"):
        monkeypatch.delenv(name, raising=False)


def test_unknown_home_is_no_configuration(homeless, monkeypatch, tmp_path):
    monkeypatch.setattr(hub, "bundled_folder", lambda: tmp_path)
    assert hub.resolve(None) == tmp_path


def test_download_without_a_home_is_one_line(homeless, monkeypatch, use):
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: Path.home())
    assert "Set HF_HOME" in refusal(NAME)


def test_environment_goes_before_configuration(monkeypatch, nobody_configured, tmp_path):
    hub.configuration_file().parent.mkdir(parents=True)
    writers.write_json(hub.configuration_file(), {"model": "other"})
    monkeypatch.setenv("CLEF_MLX_MODEL", "mine")
    assert hub.default_model().name == "mine"


def test_bundled_model_is_the_last_resort(monkeypatch, nobody_configured, tmp_path):
    monkeypatch.setattr(hub, "bundled_folder", lambda: tmp_path)
    assert hub.default_model().name == "clef-nano"
    assert hub.resolve(None) == tmp_path


def test_no_default_says_how_to_name_one(monkeypatch, nobody_configured, tmp_path):
    monkeypatch.setattr(hub, "bundled_folder", lambda: tmp_path / "none")
    message = refusal(None)
    assert "CLEF_MLX_MODEL" in message and "clef-flash" in message
    assert "is not bundled" in refusal("clef-nano")


# Downloads


def test_download_brings_weights_and_sidecars_but_no_code(release, served, use):
    use(served.address)
    names = {file.name for file in hub.resolve(NAME).iterdir()}
    assert names == {file.name for file in release.iterdir()} - {"joint_schema_model.py", "pytorch_model.bin"}


def test_downloaded_model_loads_as_the_original(release, served, use):
    use(served.address)
    copy = load_release(hub.resolve(NAME))
    assert (copy.info.source, copy.info.revision) == (NAME, COMMIT)
    assert writers.logits(copy) == writers.logits(load_release(release))


def test_second_use_asks_the_hub_nothing(served, use):
    use(served.address)
    first = hub.resolve(NAME)
    served.requests.clear()
    assert hub.resolve(NAME) == first
    assert served.requests == []


@pytest.mark.parametrize("offline", [False, True], ids=["no-network", "switched-off"])
def test_downloaded_model_decides_offline(offline, release, served, use):
    use(served.address)
    hub.resolve(NAME)
    use(OFFLINE, offline=offline)
    assert writers.logits(load_release(hub.resolve(NAME))) == writers.logits(load_release(release))


def test_download_then_offline_in_processes_of_their_own(served, tmp_path):
    """The way people do it: HF_HUB_OFFLINE=1 after a first use."""
    code = "from clef_mlx.weights.hub import resolve; from clef_mlx.weights.load import load_release;"
    code += f"print(load_release(resolve({NAME!r})).info.revision)"
    # The publisher's code is loaded with the hub switched off, for this whole process.
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_ENDPOINT": served.address, "HF_HUB_OFFLINE": "0"}
    for more in ({}, {"HF_HUB_OFFLINE": "1", "HF_ENDPOINT": OFFLINE}):
        done = subprocess.run([sys.executable, "-c", code], env=environment | more, capture_output=True, text=True)
        assert done.stdout.strip() == COMMIT, done.stderr


def test_named_revision_is_fetched(served, use):
    use(served.address)
    assert hub.resolve(f"{NAME}@{COMMIT}").name == COMMIT
    assert all("/main" not in path for path in served.requests)


def test_interrupted_download_is_completed(served, use):
    use(served.address)
    folder = hub.resolve(NAME)
    (folder / "joint_head.safetensors").unlink()
    (folder / "tokenizer.json").unlink()
    assert list(hub.missing_files(folder)) == ["tokenizer.json", "joint_head.safetensors"]
    hub.resolve(NAME)
    assert list(hub.missing_files(folder)) == []


def test_interrupted_download_of_a_single_file_model_is_completed(tmp_path, use):
    with hub_stub({NAME: write_random_release(tmp_path / "release")}) as stub:
        use(stub.address)
        folder = hub.resolve(NAME)
        assert not (folder / "model.safetensors.index.json").exists()
        (folder / "joint_head.safetensors").unlink()
        assert list(hub.missing_files(folder)) == ["joint_head.safetensors"]
        hub.resolve(NAME)
        assert list(hub.missing_files(folder)) == []


def test_copy_without_any_of_the_head_is_incomplete(tmp_path):
    folder = write_random_release(tmp_path / "release")
    for name in ("joint_head.safetensors", "joint_head_config.json"):
        (folder / name).unlink()
    assert list(hub.missing_files(folder)) == ["joint_head_config.json"]


def test_single_file_that_holds_the_head_is_complete(tmp_path):
    folder = write_random_release(tmp_path / "release")
    head = {f"head.{name}": tensor for name, tensor in writers.read_head(folder).items()}
    writers.save(folder / "model.safetensors", writers.read_backbone(folder) | head)
    (folder / "joint_head.safetensors").unlink()
    assert list(hub.missing_files(folder)) == []


def test_older_hub_library_serves(served, use, monkeypatch):
    """1.0 to 1.10 know no RevisionResolutionError."""
    monkeypatch.delattr("huggingface_hub.errors.RevisionResolutionError", raising=False)
    use(served.address)
    assert hub.resolve(NAME).name == COMMIT


def test_interrupted_download_without_network_is_told(served, use):
    use(served.address)
    (hub.resolve(NAME) / "model-00002-of-00002.safetensors").unlink()
    use(OFFLINE)
    assert NAME in refusal(NAME) and "download failed" in refusal(NAME)


# Refusals of the hub


def test_no_network_is_one_line(use):
    use(OFFLINE)
    message = refusal(NAME)
    assert message.startswith(f"{NAME}: is not on this machine") and "Check the network" in message
    assert "no such folder here" in message


def test_offline_switch_is_named(use):
    use(OFFLINE, offline=True)
    assert "HF_HUB_OFFLINE" in refusal(NAME)


def test_unknown_repository_lists_aliases(served, use):
    use(served.address)
    message = refusal("someone/else")
    assert message.startswith("someone/else: not found on the hub") and "clef-flash" in message


def test_unknown_revision_is_named(served, use):
    use(served.address)
    assert refusal(f"{NAME}@nowhere").startswith(f"{NAME}@nowhere: the hub has no such revision")


def test_gated_repository_tells_how_to_get_in(served, use):
    use(served.address)
    served.gated.add(NAME)
    assert "is gated" in refusal(NAME) and "hf auth login" in refusal(NAME)


def test_full_disk_is_told(served, use, monkeypatch):
    use(served.address)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "move", full)
    monkeypatch.setattr(os, "replace", full)
    assert "the disk is full" in refusal(NAME)
