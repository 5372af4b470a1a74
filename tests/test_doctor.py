"""`clef-mlx doctor`: what it shows, and the advice it draws."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from clef_mlx.cli import main
from clef_mlx.cli.diagnosis import advice

HEALTHY = {
    "system": "Linux 6.1 x86_64",
    "device": {"kind": "cpu", "name": "some chip", "cores": 4},
    "blas": "libopenblas.so.0",
    "gemm": {"gflops": 100.0, "agrees": True},
    "thread_limits": {},
    "model": "a folder",
    "model_fault": None,
}


def slow_or_broken(**changes):
    return [item for item in advice(HEALTHY | changes) if item.severity != "note"]


def test_doctor_measures_this_machine(capsys):
    code = main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert found["gemm"]["gflops"] > 0 and found["gemm"]["agrees"]
    assert found["memory_bytes"] >= found["available_bytes"] > 0
    assert {"delta", "attention"} <= set(found["paths"])
    assert {"mlx", "tokenizers"} <= set(found["packages"])


def test_doctor_prints_a_page_for_people(capsys):
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("python", "mlx", "GFLOP/s", "GB", "kernels"))


def test_healthy_machine_has_nothing_to_mend():
    assert slow_or_broken() == []


def test_missing_openblas_is_mended_by_one_command():
    (item,) = slow_or_broken(blas=None, gemm={"gflops": 1.1, "agrees": True})
    assert item.severity == "slow" and "OpenBLAS" in item.what + item.mend


def test_slow_products_are_reported_with_their_rate():
    (item,) = slow_or_broken(gemm={"gflops": 2.5, "agrees": True})
    assert item.severity == "slow" and "2.5 GFLOP/s" in item.what


def test_single_blas_thread_is_reported():
    (item,) = slow_or_broken(thread_limits={"OMP_NUM_THREADS": "1"})
    assert item.mend == "unset OMP_NUM_THREADS"


@pytest.mark.parametrize("chip, slow", [("Apple M1 Pro", True), ("Apple M2", True), ("Apple M4 Max", False)])
def test_chips_without_bfloat16_are_told_of_float16(chip, slow):
    device = {"kind": "gpu", "name": chip, "cores": 10}
    found = slow_or_broken(system="Darwin 25 arm64", blas="Accelerate", device=device)
    assert [item.mend for item in found] == (["clef-mlx decide --dtype float16 …"] if slow else [])


def test_wrong_products_are_broken():
    (item,) = slow_or_broken(gemm={"gflops": 100.0, "agrees": False})
    assert item.severity == "broken"


@pytest.mark.parametrize("name", ["/nowhere", "clef-falsh", "two\nlines"])
def test_default_model_that_is_nowhere_is_broken(capsys, monkeypatch, name):
    monkeypatch.setenv("CLEF_MLX_MODEL", name)
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "cannot be used" in shown and "Mend: export CLEF_MLX_MODEL=FOLDER" in " ".join(shown.split())


def test_default_model_that_is_there_is_healthy(monkeypatch, tiny_release, capsys):
    monkeypatch.setenv("CLEF_MLX_MODEL", str(tiny_release))
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model_fault"] is None


def test_unimportable_mlx_is_one_line_and_code_1(tmp_path):
    (tmp_path / "mlx").mkdir()
    (tmp_path / "mlx" / "__init__.py").write_text("raise ImportError('libmlx.so: cannot open')")
    code = "import sys; from clef_mlx.cli import main; sys.exit(main(['doctor']))"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("clef-mlx: a package cannot be imported: libmlx.so") and done.stderr.count("\n") == 1
