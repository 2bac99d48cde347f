"""A whole cluster on one machine: Valkey, Ray and a gateway as children of one process."""
