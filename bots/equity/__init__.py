"""Equity: how often a hand wins. Exact where that is cheap, sampled elsewhere, in chunks for any executor."""
