"""The rules of the games, as functions of a state and a command."""
