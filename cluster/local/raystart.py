"""What `ray start` runs for us in its own process before it starts anything (Ray's variable RAY_START_HOOK)."""

from typing import Any


def without_client_server(parameters: Any, head: bool) -> None:  # noqa: FBT001 - Ray calls it so
    """Leave out the server of Ray Client: nobody here uses it, and its port 10001 may be another cluster's."""
    del head
    parameters.ray_client_server_port = None
