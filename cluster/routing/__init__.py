"""Which host has a salon, and the way there: leases, activation, batches, the sweep."""
