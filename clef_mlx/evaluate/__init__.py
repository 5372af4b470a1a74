"""Labelled requests and a model's answers to them -> how far the answers can be trusted."""
