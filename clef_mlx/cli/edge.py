"""Where the program meets the shell: exit codes, one line per error, nothing that steers a terminal.

The only place that catches errors. What it does not catch is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import io
import os
import sys

import click

from clef_mlx.errors import ClefError

FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


# What a terminal obeys rather than shows (controls, marks that turn the direction of text), and the halves of
# characters that stand for undecodable bytes in file names. Joiners stay: emoji are made with them.
UNPRINTABLE = dict.fromkeys(
    [*range(32), *range(127, 160), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
    + [*range(0xD800, 0xE000)],
    "\ufffd",
)


def printable(text: str) -> str:
    """Make ids, names and messages safe to show; they come from strangers."""
    return text.translate(UNPRINTABLE)


def say(message: str) -> None:
    """Print on stderr. A message is one line, or one a problem."""
    print("clef-mlx: " + "\n".join(map(printable, message.split("\n"))), file=sys.stderr, flush=True)


def run(command: click.Command, argv: list[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Bars have no place in some encodings; a question mark is better than no table.
        sys.stdout.reconfigure(errors="replace")
    try:
        with command.make_context("clef-mlx", sys.argv[1:] if argv is None else list(argv)) as context:
            code = command.invoke(context)
            # Python would flush at exit, where a closed pipe can no longer be handled.
            sys.stdout.flush()
            return code or 0
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return USAGE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "clef-mlx"
        say(f"{error.format_message()} See '{path} --help'.")
        return USAGE
    except ClefError as error:
        say(str(error))
        return FAILED
    except (KeyboardInterrupt, click.Abort):
        say("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left. Point stdout at nothing, or Python complains once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
