"""The commands of `croupier`, one a module. What a command says to people stands at its module's head."""
