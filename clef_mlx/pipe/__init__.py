"""Decisions for one other program: a child process that reads requests on stdin and writes answers on stdout."""
