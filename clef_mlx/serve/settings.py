"""Everything about the server that can be chosen, from flags and a TOML file to one frozen record.

Knows no HTTP and no model. Names are those of the flags, in the file as on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from clef_mlx.engine.options import Options
from clef_mlx.errors import RequestError
from clef_mlx.strict_json import show

MIB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """Defaults suit one person on one machine: loopback, no key, one model."""

    # What answers.
    models: tuple[str, ...] = ()  # folders, hub ids or aliases; empty: the default model. The first is the default.
    adapters: tuple[str, ...] = ()  # DIR or DIR:WEIGHT, added to the first model
    base_head: bool = False  # keep that model's head where an adapter brings its own
    dtype: str | None = None
    # Probabilities keep every digit: four decimals of 255 options need not sum to 1, and strict clients check.
    options: Options = field(default_factory=lambda: Options(round=None))
    memory_bytes: int | None = None  # of all models together; None: what the machine has
    prefix_bytes: int | None = None
    checkpoint_tokens: int | None = None

    # Where, and for whom.
    host: str = "127.0.0.1"
    port: int = 8321
    unix_socket: str | None = None  # instead of host and port
    key: str | None = field(default=None, repr=False)
    origins: tuple[str, ...] = ()  # web pages of these origins may call, beside the server's own
    hosts: tuple[str, ...] = ()  # further names in the Host header, beside loopback's and `host`

    # Caps on a request.
    max_body_bytes: int = 32 * MIB  # decompressed; 413
    max_characters: int = 2 << 20  # of a state and its questions; each takes the tokenizer a microsecond
    max_questions: int = 256
    max_images: int = 16  # frames of clips are counted on their own
    max_frames: int = 768
    body_seconds: float = 15.0  # for a whole body to arrive; 408

    # The desk.
    queue: int = 64  # requests that may wait; more are 429
    batch_tokens: int = 4096  # padded tokens of one pass
    wait_ms: float = 2.0  # for more requests to join a batch
    deadline_seconds: float = 60.0  # from arrival to answer; 503
    drain_seconds: float = 30.0  # for running work at shutdown

    # Telling.
    log_level: str = "info"  # debug | info | warning | error
    log_states: bool = False  # write request bodies to the log

    def __post_init__(self) -> None:
        if self.key is not None and not (
            self.key.isascii() and self.key.isprintable() and self.key.split() == [self.key]
        ):
            raise RequestError("key: must be printable ASCII without spaces. Choose another.")
        if self.key is None and not (self.unix_socket or is_loopback(self.host)):
            rule = f"must be a loopback address unless a key is set, got {show(self.host)}"
            raise RequestError(f"host: {rule}. Give --key-file, or leave --host out.")
        for origin in self.origins:
            parts = urlsplit(origin)
            if not (parts.scheme and parts.netloc) or f"{parts.scheme}://{parts.netloc}" != origin:
                raise RequestError(f"origin: must be scheme://host[:port], got {show(origin)}. Leave the path out.")


def is_loopback(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ip_address(host).is_loopback)


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
