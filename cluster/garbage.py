"""The garbage collector of a server process: what was there before it served is not looked at again and again.

A host's tables and a gateway's streams live long, and cycles among what a command leaves are few: with Python's own
thresholds a quarter of the CPU time of both went into looking for them, and a look at everything stopped the process.
"""

import gc
from typing import Final

_YOUNG: Final = 50_000
_MIDDLE: Final = 20
_OLD: Final = 100


def settle() -> None:
    """Let the collector pass over all that there is now, and look less often at what comes. Call it once, before serving."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
