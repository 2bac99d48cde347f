"""The generated messages and services of the proto package croupier.v1."""
