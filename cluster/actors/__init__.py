"""Everything that is Ray: hosts as actors, and work that its workers do as tasks. Only these modules talk to a Ray cluster."""
