"""Lots: numbers from 0 to below 1 that are laid along shares."""

from collections.abc import Iterable


def fallen_on(lot: float, shares: Iterable[float]) -> int:
    """The place of the share on which a lot fell; the last where they add up to a hair less than 1, -1 without any."""
    upto, at = 0.0, -1
    for at, share in enumerate(shares):
        upto += share
        if lot < upto:
            return at
    return at
