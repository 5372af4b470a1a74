"""Adapters (PEFT, Unsloth, mlx-lm, mlx-vlm) -> what they change in a release: merged into it, or beside it."""
