"""transformers' side of `vision.py`: loads a release's tower, then runs it whenever a line comes, and answers seconds.

A process of its own: torch's threads and OpenBLAS's, which wait by turning, would slow each other down in one.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import torch
from transformers import Qwen3_5ForConditionalGeneration
from transformers.utils import logging


def main() -> None:
    folder, pixels, rows, grid = sys.argv[1:]
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    whole = Qwen3_5ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32)
    tower, given = whole.model.visual.eval(), torch.from_numpy(np.load(pixels))
    grid_thw = torch.tensor([json.loads(grid)])
    for _ in sys.stdin:
        started = time.perf_counter()
        with torch.inference_mode():
            made = tower(given, grid_thw=grid_thw).pooler_output
        print(json.dumps(time.perf_counter() - started), flush=True)
        np.save(rows, made.numpy())


if __name__ == "__main__":
    main()
