"""A model's answers to labelled requests -> temperatures that make its probabilities honest."""
