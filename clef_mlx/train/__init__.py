"""Labelled requests -> a better model: LoRA or full training of the text backbone, and of the head beside it."""
