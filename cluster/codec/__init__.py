"""Protobuf to engine types and back. Nothing else in the product reads or writes a message's fields by rule."""
