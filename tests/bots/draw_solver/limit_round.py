"""A round of fixed-limit betting between two, for the best responder and his opponents: words of k, b, c, r and f."""


def actions(history: str, cap: int) -> str:
    """The letters that may follow: check and bet; fold, call and, below the cap of raises, raise."""
    bets = bets_in(history)
    if not bets:
        return "kb"
    return "fcr" if bets <= cap else "fc"


def bets_in(history: str) -> int:
    return history.count("b") + history.count("r")


def is_over(history: str) -> bool:
    return history == "kk" or history.endswith(("c", "f"))


def folder(history: str) -> int:
    """Who folded at the end of it: 0 acts first."""
    return (len(history) - 1) % 2


def both_paid(history: str) -> int:
    """The bets that both have put in at the end of a round."""
    return bets_in(history) - history.endswith("f")


def endings(cap: int, history: str = "") -> list[str]:
    """All ways in which a round may end."""
    if is_over(history):
        return [history]
    return [end for action in actions(history, cap) for end in endings(cap, history + action)]
