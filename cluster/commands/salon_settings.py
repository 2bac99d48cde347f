"""A salon's settings as they are written on a command line: key=value, and bots by level and style."""

import difflib

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from cluster.commands.terminal import Misused
from croupier.v1.settings_pb2 import BotLevel, BotSeat, BotStyle, Game, SalonSettings

_SPELLINGS = {"hold'em": "holdem", "texas": "holdem", "five-card-draw": "draw"}
_TRUE = ("true", "on", "yes", "1")
_FALSE = ("false", "off", "no", "0")
_APART = ("game", "bots")
"""Fields that are not given as key=value."""
SETTING_KEYS = tuple(field.name for field in SalonSettings.DESCRIPTOR.fields if field.name not in _APART)
"""What may stand before the sign."""


def parse_game(text: str) -> "Game.ValueType":
    """The game that a word names. Raises Misused."""
    tidy = _SPELLINGS.get(text.lower(), text.lower())
    if tidy == "holdem":
        return Game.GAME_HOLDEM
    if tidy == "draw":
        return Game.GAME_DRAW
    raise Misused(f"{text} is no game: write holdem or draw")


def parse_settings(game: str, pairs: list[str]) -> SalonSettings:
    """The settings that the words say; what is left out keeps its default. Raises Misused."""
    settings = SalonSettings(game=parse_game(game))
    for pair in pairs:
        word, separator, text = pair.partition("=")
        key = word.strip().replace("-", "_")
        if key not in SETTING_KEYS:
            raise Misused(_no_setting(key))
        if not separator:
            raise Misused(f"{key} has no value: write {key}=VALUE")
        setattr(settings, key, _value(SalonSettings.DESCRIPTOR.fields_by_name[key], text.strip()))
    return settings


def parse_bots(text: str) -> list[BotSeat]:
    """Such as "hard,normal,easy:loose". Raises Misused."""
    return [_bot(word.strip()) for word in text.split(",") if word.strip()]


def _no_setting(key: str) -> str:
    near = difflib.get_close_matches(key, SETTING_KEYS, n=1)
    meant = f"did you mean {near[0]}? All are: " if near else "write KEY=VALUE, where KEY is one of "
    return f"{key} is no setting: {meant}{', '.join(SETTING_KEYS)}"


def _bot(word: str) -> BotSeat:
    level, _, style = word.partition(":")
    try:
        seat = BotSeat(level=BotLevel.Value(f"BOT_LEVEL_{level.upper()}"))
        if style:
            seat.style = BotStyle.Value(f"BOT_STYLE_{style.upper()}")
    except ValueError:
        raise Misused(
            f"{word} is no bot: write easy, normal or hard, and a style if you like: hard:tight, "
            "hard:balanced, hard:loose"
        ) from None
    return seat


def _value(field: FieldDescriptor, text: str) -> int | bool:
    if field.enum_type is not None:
        return _enum_value(field.enum_type, field.name, text)
    if field.type == FieldDescriptor.TYPE_BOOL:
        if text.lower() in (*_TRUE, *_FALSE):
            return text.lower() in _TRUE
        raise Misused(f"{field.name}={text}: write on or off")
    try:
        number = int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise Misused(f"{field.name}={text}: write a whole number") from None
    bits = 31 if field.type == FieldDescriptor.TYPE_INT32 else 63
    if abs(number) >= 1 << bits:
        raise Misused(f"{field.name}={text}: write a smaller number")
    return number


def _enum_value(kind: EnumDescriptor, name: str, text: str) -> int:
    prefix = f"{kind.values[0].name.removesuffix('UNSPECIFIED')}"
    words = {value.name.removeprefix(prefix).lower(): value.number for value in kind.values[1:]}
    if text.lower() not in words:
        raise Misused(f"{name}={text}: write one of {', '.join(words)}")
    return words[text.lower()]
