"""A weighted range in a line, for people."""

import numpy as np

from bots.hand_classes import CLASSES, name_of
from bots.holdem.combo_arrays import CLASS_OF, Floats


def range_line(weights: Floats) -> str:
    """How wide a range is, and its heaviest classes, as in "21% (AKs AQs KQs)"."""
    there = weights[weights > 0]
    width = float(np.exp(-(there @ np.log(there)))) / len(weights) if len(there) else 0.0
    by_class = np.bincount(CLASS_OF, weights, CLASSES) / np.bincount(CLASS_OF, minlength=CLASSES)
    heaviest = np.argsort(-by_class, kind="stable")[:4]
    return f"{width:.0%} ({' '.join(name_of(int(number)) for number in heaviest)})"
