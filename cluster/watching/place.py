"""A place: a watched salon as one gateway has it, and what the feed knows of its log."""

import asyncio

from cluster.envelope import Seq
from cluster.watching.replica import Replica
from cluster.watching.watched import Watched


class Place:
    """Its replica and watchers are in `watched`; the rest is the feed's."""

    def __init__(self, replica: Replica) -> None:
        self.watched = Watched(replica)
        self.head_epoch = replica.live.epoch
        self.silent = False
        """Nothing was heard of it since the last look."""
        self.stale = True
        """There may be more in its log."""
        self.heard = Seq(0)
        """The last commit that was heard of: if the log does not tell it, it was trimmed meanwhile."""
        self.other = False
        """Its log is not the one that was read: the store has forgotten who had the salon, and whoever had it before went on."""
        self.woken = False
        """A task reads on as long as there is more."""
        self.reading = asyncio.Lock()
        """Held by the one who reads on: what two read at once might be shown twice, and the older last."""
        self.announcing = False
        """Somebody is being told that it is watched."""
