"""HF release (+ adapters) -> MLX folder of chosen precision, with a report."""
