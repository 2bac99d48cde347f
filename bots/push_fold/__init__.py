"""Push or fold: heads-up all-in play before the flop, solved exactly."""
