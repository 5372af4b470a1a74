"""`clef-mlx serve`: flags and a TOML file become settings, signals become a graceful end."""

from __future__ import annotations

import os
import tomllib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clef_mlx.cli.edge import model_name, named, say
from clef_mlx.cli.flags import Decimals, dtype_flag
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.strict_json import show

if TYPE_CHECKING:
    from clef_mlx.serve.desk import Desk
    from clef_mlx.serve.settings import Settings

KEY_VARIABLE = "CLEF_MLX_KEY"
NOT_IN_FILES = ("config", "check", "print_service")  # they say what to do now, not how to serve
OPTION_NAMES = ("isolate", "confidence", "round", "control_tokens", "on_overflow", "max_length", "max_state_tokens")
OPTION_NAMES += ("max_pixels", "calibrated")
PATHS = ("config", "key_file", "unix_socket", "adapters")
EXTRA = "serve: needs packages that are not installed ({missing}). Install them: pip install 'clef-mlx[serve]'."


def read_config(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Make a file's values the defaults of the flags, which then check them."""
    if path is None:
        return None
    known = {_flag(option)[2:]: option for option in ctx.command.params if option.name not in NOT_IN_FILES}
    defaults = {}
    for name, value in _toml(path).items():
        option = known.get(name.replace("_", "-"))
        if option is None:
            raise RequestError(f"{named(path)}: {show(name)} is unknown. Known: {', '.join(sorted(known))}.")
        if isinstance(value, dict) or (isinstance(value, list) and not option.multiple):
            raise RequestError(f"{named(path)}: {name} must be one value, got {show(value)}. Choose one.")
        defaults[option.name] = [value] if option.multiple and not isinstance(value, list) else value
    ctx.default_map = defaults
    return path


def _flag(option: click.Parameter) -> str:
    return next(name for name in option.opts if name.startswith("--"))


def _toml(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{named(path)}: cannot be read: {(error.strerror or str(error)).lower()}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{named(path)}: must be TOML in UTF-8: {error}.") from None


@click.command("serve")
@click.option(
    "--model", "models", multiple=True, help="Folder, hub id or alias of a Clef release; several may be given."
)
@click.option("--adapter", "adapters", multiple=True, metavar="DIR[:WEIGHT]", help="LoRA adapter of the first model.")
@click.option("--base-head", is_flag=True, default=None, help="Keep the model's head where an adapter brings its own.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others need a key.")
@click.option("--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="0: any that is free.")
@click.option("--unix-socket", metavar="PATH", help="Listen on a socket file instead.")
@click.option("--key", envvar=KEY_VARIABLE, show_envvar=True, help="Ask clients for it; others on this machine see it.")
@click.option("--key-file", metavar="FILE", help="A file that holds the key.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="A web page's origin that may call as well.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A further name of this server.")
@dtype_flag
@click.option("--isolate", is_flag=True, default=None, help="Decide each question alone, under a neutral id.")
@click.option("--calibrated", is_flag=True, default=None, help="Apply what clef-mlx calibrate stored for each model.")
@click.option("--confidence", type=click.Choice(["max", "jev", "gini", "entropy"]), help="What confidence means (max).")
@click.option("--round", type=Decimals(), metavar="N|none", help="Decimals of probabilities (none: all digits).")
@click.option("--control-tokens", type=click.Choice(["text", "publisher"]), help="Whether <|im_end|> in text acts.")
@click.option("--on-overflow", type=click.Choice(["truncate", "refuse"]), help="What a too long state meets.")
@click.option("--max-length", type=click.IntRange(1), metavar="N", help="Most tokens of a record (16384).")
@click.option("--max-state-tokens", type=click.IntRange(0), metavar="N", help="Most tokens of the state.")
@click.option("--max-pixels", type=click.IntRange(1024), metavar="N", help="Most pixels of a picture; more are shrunk.")
@click.option("--max-body-bytes", type=click.IntRange(1), metavar="N", help="Most bytes of a body (32 MiB).")
@click.option("--max-characters", type=click.IntRange(1), metavar="N", help="Most characters of a request (2097152).")
@click.option("--max-questions", type=click.IntRange(1), metavar="N", help="Most questions of a request (256).")
@click.option("--max-images", type=click.IntRange(0), metavar="N", help="Most pictures of a request (16).")
@click.option("--max-frames", type=click.IntRange(0), metavar="N", help="Most frames of a request's videos (768).")
@click.option("--body-seconds", type=click.FloatRange(0, min_open=True), help="Time for a body to arrive (15).")
@click.option("--queue", type=click.IntRange(1), metavar="N", help="Most requests that wait; more are 429 (64).")
@click.option("--batch-tokens", type=click.IntRange(1), metavar="N", help="Most tokens decided in one pass (4096).")
@click.option("--wait-ms", type=click.FloatRange(0), help="Time for more requests to join a pass (2).")
@click.option("--deadline-seconds", type=click.FloatRange(0, min_open=True), help="Time for an answer (60).")
@click.option("--drain-seconds", type=click.FloatRange(0), help="Time for running work at the end (30).")
@click.option("--memory-bytes", type=click.IntRange(0), metavar="N", help="Memory of all models together.")
@click.option("--prefix-bytes", type=click.IntRange(0), metavar="N", help="Memory for states of earlier requests.")
@click.option("--checkpoint-tokens", type=click.IntRange(0), metavar="N", help="Tokens between checkpoints of a state.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What is logged (info).")
@click.option("--log-states", is_flag=True, default=None, help="Write requests, states and all, to the log.")
@click.option(
    "--config", metavar="FILE.toml", is_eager=True, callback=read_config, help="Take these flags from a file as well."
)
@click.option("--check", is_flag=True, help="Load, decide once and exit.")
@click.option(
    "--print-service",
    type=click.Choice(["auto", "launchd", "systemd"]),
    is_flag=False,
    flag_value="auto",
    help="Print a definition that runs this as a service, and exit.",
)
@click.pass_context
def command(ctx: click.Context, check: bool, print_service: str | None, config: str | None, **given: Any) -> None:
    """Answer System One clients on this machine.

    One line on stdout tells the address; /ready answers 200 once a decision has succeeded. The log is JSON on stderr.
    """
    if print_service:
        _print_service(ctx, print_service)
        return
    settings = _settings({name: value for name, value in given.items() if value is not None})
    (_check if check else _serve)(settings)


def _settings(given: dict[str, Any]) -> Settings:
    try:
        import_module("clef_mlx.serve.server")  # needs every package of the extra
    except ModuleNotFoundError as error:
        raise ClefError(EXTRA.format(missing=error.name)) from None
    from clef_mlx.serve.settings import Settings

    options = {name: given.pop(name) for name in OPTION_NAMES if name in given}
    if options.get("round") == "none":
        options["round"] = None
    if key_file := given.pop("key_file", None):
        given["key"] = _key(key_file)
    given["models"] = tuple(map(model_name, given.get("models", ())))
    return Settings(options=Settings().options.with_(**options), **given)


def _key(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", None) or "not UTF-8 text").lower()
        raise RequestError(f"key-file: cannot be read: {reason}, at {named(path)}. Check the path.") from None


def _serve(settings: Settings) -> None:
    import asyncio
    import signal

    from clef_mlx.serve import logs
    from clef_mlx.serve.server import serve

    logs.start(settings.log_level)

    async def run() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def end() -> None:
            if stop.is_set():  # asked twice: at once, whatever runs
                say("stopped at once.")
                os._exit(1)
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end)

        def listening(address: str, desk: Desk) -> None:
            loop.add_signal_handler(signal.SIGHUP, desk.reload)
            print(f"Listening on {address}", flush=True)

        await serve(settings, stop=stop, listening=listening)

    asyncio.run(run())


def _check(settings: Settings) -> None:
    import asyncio

    from clef_mlx.serve.desk import Desk

    async def run() -> list[str]:
        desk = Desk(settings)
        await desk.start()
        readiness = desk.ready()
        await desk.drain(settings.drain_seconds)
        if not readiness.ready:
            raise ClefError(f"serve: is not ready: {readiness.reason}.")
        return [card.id for card in desk.models()]

    models = asyncio.run(run())
    print(f"Ready: {', '.join(models)} loaded and decided.")


def _print_service(ctx: click.Context, kind: str) -> None:
    """With the flags as they were given, paths made whole; what a --config file says stays there."""
    from clef_mlx.serve.service import default_kind, service

    if ctx.get_parameter_source("key") in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT):
        raise RequestError("key: must not stand in a service definition, which others can read. Give --key-file.")
    arguments = []
    for option in ctx.command.params:
        if ctx.get_parameter_source(option.name) is not ParameterSource.COMMANDLINE or option.name == "print_service":
            continue
        value = ctx.params[option.name]
        for item in value if option.multiple else [value]:
            arguments.append(_flag(option))
            if not option.is_flag:
                arguments.append(_whole(option.name, str(item)))
    print(service(default_kind() if kind == "auto" else kind, arguments), end="")


def _whole(name: str, value: str) -> str:
    """A path as it is found from anywhere."""
    is_path = name in PATHS or (name == "models" and os.path.exists(value))
    return str(Path(value).expanduser().absolute()) if is_path else value
