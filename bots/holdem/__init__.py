"""Hold'em at the hard level: weight tables over all combos, values of actions against them, a river solver."""
