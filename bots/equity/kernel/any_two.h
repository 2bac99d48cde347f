/* A hand against any two cards, exactly: by pairs of ranks and not by pairs of cards. */
#ifndef CROUPIER_ANY_TWO_H
#define CROUPIER_ANY_TWO_H

#include "cards.h"

/* How many of all deals the hand loses, ties and wins. `known` is the set of the board and the dead cards. */
void any_two_exact(Cards hand, Cards board, int to_come, uint64_t known, uint64_t *outcomes);

#endif
