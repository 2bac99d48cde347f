"""Deciding: one function from a table and a command to events and the next table, or a refusal.

No clock, no randomness, no input or output: the shuffled deck and the lot come in with the command, and
`now` beside it. The given table stays valid and unchanged, so that a salon keeps it until the events are
committed.
"""
