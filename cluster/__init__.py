"""The salons on Ray, their log in Redis, and the gRPC gateway in front of them."""
