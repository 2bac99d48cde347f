"""Benchmarks: the product beside the best of its kind, alternating in one run. Nothing else imports this package."""
