"""Running the model: batches, chunks, evaluation, and the one thread that owns MLX."""
