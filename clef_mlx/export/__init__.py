"""Traces of the forward pass with all they need, for programs that decide without Python."""
