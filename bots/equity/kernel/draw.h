/* Five-card draw: a hand after its discard, against what opponents are thought to have kept and the cards they drew. */
#ifndef CROUPIER_DRAW_H
#define CROUPIER_DRAW_H

#include "cards.h"
#include "chance.h"

enum { MOST_OPPONENTS = 5, TO_DRAW = 255 };

/* What an opponent holds: one of n sets of kept cards, the rest of the five drawn. */
typedef struct {
    uint32_t n;
    uint8_t (*kept)[5];        /* card numbers; TO_DRAW for a card that was drawn */
    double *weights;           /* or NULL: 1 each */
    Alias *aliases;            /* or NULL: equally likely */
    int picky;                 /* whether goes_on says anything */
    double goes_on[CATEGORIES];
} Opponent;

typedef struct {
    Cards kept;                /* the own cards that were kept */
    int draws;                 /* how many come to them */
    uint64_t known;            /* the set of the own cards, the discards and the dead cards */
    int opponents;
    Opponent opponent[MOST_OPPONENTS];
} DrawSpot;

/* Outcomes are added to counts[p * n + k - 1] as at hold'em, n being 1 + opponents and the own hand player 0. */

/* Deal `samples` hands. 0 if a deal that counts is rarer than one in RARE tries. */
int draw_sample(const DrawSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts);

/* Go through all deals against one opponent. 0 if memory is short. */
int draw_exact(const DrawSpot *spot, double *counts);

/* How many of all draws make each category. */
void draw_outcomes(Cards kept, int draws, uint64_t known, uint64_t *counts);

#endif
