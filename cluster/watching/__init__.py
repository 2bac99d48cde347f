"""From the logs to whoever watches: replicas, projections, presence."""
