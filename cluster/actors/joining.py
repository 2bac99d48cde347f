"""Joining a Ray cluster, as a driver, and leaving it; what its nodes offer, by name."""

import logging
from typing import Final

import ray
import ray.util

from cluster.settings import is_loopback, split_address

NAMESPACE: Final = "croupier"
HOST_RESOURCE: Final = "salon_host"
"""A node offers one unit for each host that it may run."""
EQUITY_RESOURCE: Final = "equity"
"""A node offers one unit for each piece of equity's work, or job of a hard bot, that it may run at a time."""


def looked_for_at(address: str) -> str:
    """Where Ray looks for a head at `address`: for a loopback one it takes the machine's own instead, unless told not to."""
    host, port = split_address(address)
    own: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return f"{own}:{port}" if is_loopback(host) else address


def join(address: str, namespace: str = NAMESPACE) -> None:
    """Make this process a driver of the cluster at `address`. Blocks. Raises ConnectionError."""
    ray.init(
        address=address,
        namespace=namespace,
        log_to_driver=False,
        logging_level=logging.ERROR,
        configure_logging=False,
    )


def leave() -> None:
    """Leave the cluster; detached hosts live on. Blocks."""
    ray.shutdown()
