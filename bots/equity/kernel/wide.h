/* The wide path: sampling with AVX-512, where the processor has what it takes. */
#ifndef CROUPIER_WIDE_H
#define CROUPIER_WIDE_H

#include <stdint.h>

#include "chance.h"

/* Whether this processor, and the system it runs, can take the wide path. */
int wide_is_there(void);

typedef struct {
    uint32_t n;
    const uint8_t (*cards)[2];
    const Alias *aliases;   /* or NULL: equally likely */
} WideRange;

typedef struct {
    int players;            /* 2 to 9 */
    int holes[9][2];        /* a player's hole cards, or -1: random, or of his range */
    WideRange ranges[9];    /* n is 0 for a player without one */
    int board[5];
    int board_count;        /* 0 to 5 */
    int live[52];           /* the cards that nobody is known to have, all ranges within them */
    int live_count;
} WideSpot;

/* Deal `samples` hands; add to counts[p * players + k - 1] those in which player p was among exactly k winners. 0 if a
   possible deal is rarer than one in RARE tries. */
int wide_sample(const WideSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts);

#endif
