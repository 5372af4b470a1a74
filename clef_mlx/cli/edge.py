"""Where the program meets the shell: exit codes, one line per error, nothing that steers a terminal.

The only place that catches errors. What it does not catch is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.strict_json import show

if TYPE_CHECKING:
    from rich.console import Console

FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # only writing fails so
LONGEST_NAME = 255  # of one file on every system; a path that is longer and exists is used all the same


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
    text = "clef-mlx: " + "\n".join(map(printable, message.split("\n")))
    with suppress(OSError):  # nobody can be told; the exit code still says it
        print(text, file=sys.stderr, flush=True)


def named(name: str) -> str:
    """A file or model as messages name it: as it is, unless it is long or would break the line."""
    return name if name.isprintable() and len(name) <= LONGEST_NAME else show(name)


def check_model_name(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    return None if name is None else model_name(name)


def model_name(name: str) -> str:
    """What can name no model is refused here, shortened and escaped; every later message repeats the name."""
    if named(name) != name and not os.path.exists(os.path.expanduser(name)):
        rule = "must be a folder, a hub id owner/name[@revision] or an alias"
        raise CheckpointError(f"model: {rule}, got {show(name)}. Give --model another.")
    return name


def console() -> Console:
    """A console on stdout that leaves a closed pipe to `run`; rich's own would end the program with code 1."""
    from rich.console import Console

    class PipeConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return PipeConsole(highlight=False)


def run(command: click.Command, argv: list[str] | None) -> int:
    if sys.stderr is None:  # closed by the shell; print would take stdout instead
        sys.stderr = open(os.devnull, "w")
    if sys.stdout is None:
        say("stdout: must be open, got a closed one. Send it to a file, or to /dev/null.")
        return FAILED
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
    except BrokenPipeError:  # the reader has left
        _drop_stdout()
        return BROKEN_PIPE
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        say(f"output: cannot be written: {error.strerror.lower()}. Free some space, or send it elsewhere.")
        _drop_stdout()
        return FAILED


def _drop_stdout() -> None:
    """Point stdout at nothing, or Python complains once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
