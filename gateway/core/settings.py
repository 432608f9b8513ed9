"""Loads the values of the settings; `gateway.core.settings_table` has the table of all settings.

The origins of a value are the default, `config.toml` in the instance folder, the environment (`GATEWAY_` and the name
in capitals), and the options. A later one overrides an earlier one. Other variables that begin with `GATEWAY_` are
ignored, because platforms set some of their own (`GATEWAY_PORT=tcp://10.0.0.7:80`); `gateway check` names them.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from gateway.core.errors import ConfigurationError
from gateway.core.settings_table import SETTINGS, Setting, Value

__all__ = [
    "READY",
    "SETTINGS",
    "VERSION",
    "Setting",
    "Settings",
    "Value",
    "default_settings",
    "instance_folder",
    "load",
    "place_of_copy",
    "unknown_variables",
]

VERSION = "0.6.0"  # that of pyproject.toml; to ask the installed package takes a fifth of the time of `--version`
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_PREFIX = "GATEWAY_"
_INSTANCE = "GATEWAY_INSTANCE"
_VARIABLES = {f"{_PREFIX}{setting.name.upper()}": setting for setting in SETTINGS}


class Settings(Mapping[str, Value]):
    """The settings in force, by name, and the instance folder that they belong to."""

    def __init__(self, instance: Path, values: Mapping[str, Value], origins: Mapping[str, str]) -> None:
        self.instance = instance
        self.origins = dict(origins)
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, name: str) -> str:
        """Return a setting that is text. Raise KeyError for an unknown name, here and below."""
        return str(self._values[name])

    def number(self, name: str) -> int:
        """Return a setting that is a whole number."""
        return int(self._values[name])

    def seconds(self, name: str) -> float:
        """Return a setting that is a duration, in seconds."""
        return float(self._values[name])

    def share(self, name: str) -> float:
        """Return a setting that is a share, from 0 to 1."""
        return float(self._values[name])

    def is_on(self, name: str) -> bool:
        """Return a setting that is true or false."""
        return bool(self._values[name])


def place_of_copy(instance: Path, digest: str) -> Path:
    """Return the path of a stored copy in an instance folder; `digest` is its SHA-256 in lower-case hexadecimal."""
    return instance / "files" / digest[:2] / digest


def instance_folder(option: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the instance folder: the option, else `GATEWAY_INSTANCE`, else `instance` in the working directory."""
    return Path(option or environ.get(_INSTANCE) or "instance").absolute()


READY = "restoring/ready"  # in an instance folder: its files are being replaced by those of a backup


def load(
    instance: Path, environ: Mapping[str, str] = os.environ, options: Mapping[str, Value] | None = None
) -> Settings:
    """Return the settings in force.

    Raise ConfigurationError for a value of the wrong type, out of bounds or illegal, and for an unknown name in
    `config.toml` or `options`. It is also raised for a file that cannot be read, and while an interrupted restore is
    not finished.
    """
    if (instance / READY).exists():
        raise ConfigurationError(
            f"A restore of {instance} was interrupted. Run `gateway restore` with the same backup again."
        )
    values: dict[str, Value] = {setting.name: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    file = instance / "config.toml"
    variables = {setting.name: environ[name] for name, setting in _VARIABLES.items() if name in environ}
    for origin, layer in ((str(file), _file_layer(file)), ("environment", variables), ("option", options or {})):
        for name, value in layer.items():
            values[name] = _checked(name, value, origin)
            origins[name] = origin
    return Settings(instance, values, origins)


def default_settings(instance: Path) -> Settings:
    """Return the default settings for a folder that has databases as files, such as that of a restore."""
    return Settings(instance, {setting.name: setting.default for setting in SETTINGS}, {})


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of variables that begin with `GATEWAY_` and are no setting, sorted."""
    return sorted(name for name in environ if name.startswith(_PREFIX) and name not in {*_VARIABLES, _INSTANCE})


def _file_layer(file: Path) -> Mapping[str, object]:
    try:
        with file.open("rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not TOML, or not UTF-8
        raise ConfigurationError(f"{file} cannot be read: {error}") from error


def _checked(name: str, value: object, origin: str) -> Value:
    setting = _BY_NAME.get(name)
    if setting is None:
        raise ConfigurationError(f"There is no setting {name!r} ({origin}).")
    wanted = type(setting.default)
    try:
        converted = _converted(value, wanted)
    except (ValueError, OverflowError) as error:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[wanted]
        raise ConfigurationError(f"The setting {name} must be {kind}, not {value!r} ({origin}).") from error
    if isinstance(converted, str):
        try:
            setting.check(converted)
        except ConfigurationError as error:
            raise ConfigurationError(f"The setting {setting.name} is wrong ({origin}): {error}") from error
    elif not isinstance(converted, bool) and (fault := _out_of_bounds(setting, converted)):
        raise ConfigurationError(f"The setting {name} must be {fault}, not {value!r} ({origin}).")
    return converted


def _out_of_bounds(setting: Setting, number: float) -> str:
    """Return what the number must be, or an empty string if it is within its bounds."""
    if not number >= setting.least:  # also true for NaN
        return f"at least {setting.least}"
    return "" if number <= setting.most else f"at most {setting.most}"


def _converted(value: object, wanted: type) -> Value:
    if wanted is bool and isinstance(value, str) and value.lower() in ("true", "false", "1", "0", "yes", "no"):
        return value.lower() in ("true", "1", "yes")
    if isinstance(value, str) and wanted in (int, float):
        return int(value) if wanted is int else float(value)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, (str, int, float)) and type(value) is wanted:
        return value
    raise ValueError(value)
