"""What comes with a call beside its messages."""

from typing import Final

OPERATOR_KEY: Final = "croupier-operator"
"""The metadata that an operator's token goes into."""
