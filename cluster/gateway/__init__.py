"""The gateway: gRPC to salons, sessions, lobby and histories. Stateless; any number of processes."""
