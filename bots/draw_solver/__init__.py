"""The solver of heads-up draw: a near-equilibrium strategy, trained here, kept in a table and played from it."""
