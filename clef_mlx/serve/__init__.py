"""A local System One server: HTTP requests to decisions of the models on this machine."""
