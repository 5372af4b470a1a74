"""Release files to arrays and back: the only room that knows checkpoint names."""
