"""The settings of the servers: environment variables named CROUPIER_..., and one TOML file if CROUPIER_CONFIG names it.

Law of this file: a field's description says what a right value is, because it is also the second half of the
error that a wrong one gives.
"""

import difflib
import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from bots.equity.paths import VARIABLE as EQUITY_PATH

PREFIX = "CROUPIER_"
CONFIG_VARIABLE = "CROUPIER_CONFIG"
CLIENT_VARIABLES = ("CROUPIER_ADDRESS", "CROUPIER_NAME")
"""What the commands that talk to a gateway take from the environment; no settings of a server."""
REDIS_SCHEMES = ("redis", "rediss", "unix")
_OPERATOR_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,256}")


class SetupFault(Exception):
    """Something about this machine or its configuration is not right; the text says what would be, in a line each."""


class BadSettings(SetupFault):
    """One or more settings are wrong; the text has one line for each, naming variable, value and what is right."""


def split_address(address: str) -> tuple[str, int]:
    """The host and port of "host:port" or "[::1]:port".

    Raises:
        ValueError: it is not such a pair.
    """
    host, separator, port = address.rpartition(":")
    if not separator or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError("not a host and a port")
    return host.strip("[]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(value: str) -> str:
    split_address(value)
    return value


def _no_address(value: str) -> str:
    return _address(value) if value else value


def _redis_url(value: str) -> str:
    if value and not _is_redis_url(value):
        raise ValueError("not a Redis URL")
    return value


def _is_redis_url(value: str) -> bool:
    url = urlsplit(value)
    if url.scheme == "unix":
        return bool(url.path)
    database = url.path.strip("/")
    # To ask for the port raises ValueError where it is none.
    return url.scheme in REDIS_SCHEMES and url.port != 0 and (not database or database.isdecimal())


def _operator_token(value: SecretStr) -> SecretStr:
    if value.get_secret_value() and not _OPERATOR_TOKEN.fullmatch(value.get_secret_value()):
        raise ValueError("not an operators' token")
    return value


class ClusterSettings(BaseSettings):
    """What gateways, salon hosts and the command line are configured by. Made by `load_settings`.

    An empty variable counts as one that is not set: as a path it would be the working directory.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    redis_url: Annotated[str, AfterValidator(_redis_url)] = Field(
        default="",
        description="redis://host:port/db, rediss://host:port/db or unix:///path/to/socket; "
        "empty for the Valkey that `croupier up` brings",
    )
    ray_address: Annotated[str, AfterValidator(_no_address)] = Field(
        default="",
        description="the host and port of a Ray head, such as 10.0.0.5:6379; empty for the Ray that `croupier up` starts",
    )
    listen: Annotated[str, AfterValidator(_address)] = Field(
        default="127.0.0.1:50051",
        description="the host and port that the gateway listens on, such as 127.0.0.1:50051 (port 0: any free one)",
    )
    allow_plaintext: bool = Field(
        default=False,
        description="true where something else encrypts (an ingress, a private network), else false",
    )
    tls_cert: Path | None = Field(default=None, description="the path of a PEM certificate chain")
    tls_key: Path | None = Field(default=None, description="the path of the PEM key of CROUPIER_TLS_CERT")
    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("croupier", appauthor=False)),
        description="a directory that may be written, for what `croupier up` keeps",
    )
    salons_per_actor: int = Field(default=1, ge=1, le=10_000, description="a whole number from 1 to 10000")
    warm_spares: int = Field(
        default=1,
        ge=0,
        le=1_000,
        description="for how many more salons each node with salons keeps room in hosts that run, its fullest "
        "apart, from 0 to 1000",
    )
    rebalance_moves: int = Field(
        default=4,
        ge=0,
        le=1_000,
        description="how many salons at a time move to a node that has fewer, from 0 (none ever) to 1000",
    )
    salon_hosts: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="how many salon hosts this machine may run; 0 to go by its memory",
    )
    equity_slots: int = Field(
        default=0,
        ge=0,
        le=4096,
        description="how many equity jobs this machine runs at once; 0 to go by its cores",
    )
    host_lease_ms: int = Field(
        default=3_000,
        ge=500,
        le=60_000,
        description="milliseconds from 500 to 60000 after which a silent host is dead",
    )
    salon_idle_ms: int = Field(
        default=120_000,
        ge=1_000,
        le=86_400_000,
        description="milliseconds from 1000 to 86400000 after which nobody runs a salon that nobody needs",
    )
    operator_token: Annotated[SecretStr, AfterValidator(_operator_token)] = Field(
        default=SecretStr(""),
        description="a secret of 32 to 256 letters, digits, - and _, the same for every gateway, such as "
        "`openssl rand -hex 32` makes; empty for no operators",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="debug, info, warning or error"
    )

    @model_validator(mode="after")
    def _plaintext_stays_here(self) -> "ClusterSettings":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("CROUPIER_TLS_CERT and CROUPIER_TLS_KEY go together: set both or neither")
        host = split_address(self.listen)[0]
        if self.tls_cert is None and not self.allow_plaintext and not is_loopback(host):
            raise ValueError(
                f"CROUPIER_LISTEN={self.listen} would be reached without encryption: set CROUPIER_TLS_CERT and "
                "CROUPIER_TLS_KEY, or listen on 127.0.0.1, or set CROUPIER_ALLOW_PLAINTEXT=true if something else encrypts"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic gives it by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - so here
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """An option of the command line, then the environment, then the file that CROUPIER_CONFIG names."""
        path = os.environ.get(CONFIG_VARIABLE)
        file = (TomlConfigSettingsSource(settings_cls, path),) if path else ()
        return init_settings, env_settings, *file


def variable_of(field: str) -> str:
    """The environment variable of a field, such as CROUPIER_REDIS_URL."""
    return PREFIX + field.upper()


def load_settings(**options: Any) -> ClusterSettings:
    """The settings of this process; an option that is not None wins over the environment and the file.

    Raises:
        BadSettings: a value is wrong, or the file has a name that is no setting.
    """
    path = os.environ.get(CONFIG_VARIABLE)
    if path and not Path(path).is_file():
        raise BadSettings(f"{CONFIG_VARIABLE}={path} is no file: name a TOML file, or unset it")
    given = {name: option for name, option in options.items() if option is not None}
    try:
        return ClusterSettings(**given)
    except ValidationError as error:
        lines = [_line(dict(problem)) for problem in error.errors()]
        raise BadSettings("\n".join(lines)) from None
    except ValueError as error:  # the TOML parser's
        raise BadSettings(f"{CONFIG_VARIABLE}={path} cannot be read as TOML: {error}") from None


def unknown_variables() -> dict[str, str]:
    """Variables of the environment that look like settings and are none, each with the likeliest right name or ''.

    Not an error: Kubernetes puts CROUPIER_..._SERVICE_HOST there for a service named croupier-...
    """
    known = {variable_of(name) for name in ClusterSettings.model_fields} | {
        CONFIG_VARIABLE,
        EQUITY_PATH,
        *CLIENT_VARIABLES,
    }
    names = [name for name in os.environ if name.startswith(PREFIX) and name not in known]
    return {name: next(iter(difflib.get_close_matches(name, known, n=1)), "") for name in names}


def shown(field: str, value: object) -> str:
    """A setting's value for people: the password in a URL is left out, and so is the operators' token."""
    if field == "operator_token":
        return "***"
    if field == "redis_url" and "@" in str(value):
        head, _, host = str(value).rpartition("@")
        return f"{head.partition('://')[0]}://***@{host}"
    return str(value)


def _line(problem: dict[str, Any]) -> str:
    place = problem["loc"]
    if not place:
        return str(problem["msg"]).removeprefix("Value error, ")
    field = str(place[0])
    if problem["type"] == "extra_forbidden":
        near = next(iter(difflib.get_close_matches(field, ClusterSettings.model_fields, n=1)), "")
        return f"{field} is no setting" + (f": did you mean {near}?" if near else "")
    right = ClusterSettings.model_fields[field].description
    return f"{variable_of(field)}={shown(field, problem['input'])} is wrong: write {right}"
