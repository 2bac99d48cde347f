"""What a salon is called in Redis."""

from cluster.envelope import SalonId


def key(salon: SalonId, part: str) -> str:
    """A salon's key: its hash tag keeps all of them in one slot of Redis Cluster."""
    return f"{{s:{salon}}}:{part}"


def channel(salon: SalonId) -> str:
    """The channel on which each commit's entry is published, as a wake-up that may be lost."""
    return f"s:{salon}"
