"""`clef-mlx pipe`: a model in a child process, for programs in any language."""

from __future__ import annotations

from signal import SIGINT
from typing import Any

import click

from clef_mlx.cli.decide import load
from clef_mlx.cli.flags import adapter_flags, batch_tokens_flag, chosen, dtype_flag, model_flag, option_flags
from clef_mlx.cli.reading import standard_input
from clef_mlx.errors import ClefError


@click.command("pipe")
@model_flag
@adapter_flags
@dtype_flag
@batch_tokens_flag
@option_flags
@click.option("--max-line-bytes", type=click.IntRange(2), metavar="N", help="Most bytes of a line (16 MiB).")
@click.option("--max-pending", type=click.IntRange(1), metavar="N", help="Most requests that wait (256).")
@click.option("--memory-bytes", type=click.IntRange(0), metavar="N", help="Memory that this process may take.")
@click.option("--prefix-bytes", type=click.IntRange(0), metavar="N", help="Memory for states of earlier requests.")
def command(max_line_bytes: int | None, max_pending: int | None, batch_tokens: int | None, **given: Any) -> int:
    """Answer another program: one JSON request a line on stdin, one JSON answer a line on stdout.

    The first line tells version, protocol, model and limits, once the model has decided. Requests may carry an id, and
    {"cancel": id} takes one back. Requests that wait together are decided together; answers keep the order of the
    requests. A line that cannot be answered is answered by {"id", "error"}. The process ends with its stdin.
    """
    from clef_mlx.engine.clef import BATCH_TOKENS
    from clef_mlx.engine.warm_up import decide_once
    from clef_mlx.pipe.child import protocol_stdout, serve, write
    from clef_mlx.pipe.protocol import Limits, failure

    source, options = standard_input().fileno(), chosen(given)
    with protocol_stdout() as sink:
        try:
            model = load(**options)
            decide_once(model)
        except ClefError as error:
            write(sink, failure(None, error))
            raise
        limits = Limits(max_line_bytes or Limits().line_bytes, max_pending or Limits().pending)
        with model:
            number = serve(model, source, sink, limits, batch_tokens or BATCH_TOKENS)
    if number == SIGINT:
        raise KeyboardInterrupt
    return 128 + number if number else 0  # as a shell calls the end by a signal
