"""Croupier's API: the root of the generated protobuf packages."""
