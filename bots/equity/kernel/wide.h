/* The wide path: hands against random hands with AVX-512, where the processor has what it takes. */
#ifndef CROUPIER_WIDE_H
#define CROUPIER_WIDE_H

#include <stdint.h>

/* Whether this processor, and the system it runs, can take the wide path. */
int wide_is_there(void);

typedef struct {
    int players;               /* 2 to 9 */
    int holes[9][2];           /* a player's hole cards, or -1: random */
    int board[5];
    int board_count;           /* 0 to 5 */
    int live[52];              /* the cards that nobody is known to have */
    int live_count;
} WideSpot;

/* Deal `samples` hands; add to counts[p * players + k - 1] those in which player p was among exactly k winners. */
void wide_sample(const WideSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts);

#endif
