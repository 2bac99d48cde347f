/* Hold'em: two to nine players with a hand, a weighted range or random cards each, on any board. */
#ifndef CROUPIER_HOLDEM_H
#define CROUPIER_HOLDEM_H

#include "cards.h"
#include "chance.h"

typedef struct {
    int random;            /* any two cards: there are no combos */
    uint32_t n;
    uint8_t (*cards)[2];   /* the combos, none with a card that is known to be elsewhere */
    Cards *combos;         /* the same, as keys */
    uint16_t *places;      /* where each was among those that came in */
    double *weights;       /* or NULL: 1 each */
    Alias *aliases;        /* or NULL: equally likely */
} Player;

typedef struct {
    int players;
    Player player[MOST_PLAYERS];
    int board[5];
    int board_count;
    uint64_t known;        /* the set of the board and the dead cards */
    int wide;              /* take the wide path */
} HoldemSpot;

/* Outcomes are added to counts[p * players + k - 1]: player p is among exactly k winners. */

/* Deal `samples` hands. 0 if a possible deal is rarer than one in RARE tries. */
int holdem_sample(const HoldemSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts);

/* Go through all deals, each with the product of its combos' weights. There must be no random player, unless
   there are two players and the first has one combo. 0 if memory is short. */
int holdem_exact(const HoldemSpot *spot, double *counts);

/* A combo of the first player's against all that the second may have: weights of deals. */
typedef struct {
    double won, tied, met;
} Duel;

/* Add to each combo of the first of two players what it does against the second's, on `boards` random boards, or on
   all where that is 0. Neither player is random. Good to about 1e-13 of all the weight that
   the second player has. 0 if memory is short. */
int holdem_duels(const HoldemSpot *spot, uint64_t seed, uint32_t boards, Duel *duels);

/* Count the winners among `players` strengths and add `weight`, as in all counts. */
#define ADD_OUTCOME(strengths, players, weight, counts)                                    \
    do {                                                                                   \
        uint32_t best_ = 0;                                                                \
        int among_ = 0;                                                                    \
        for (int p_ = 0; p_ < (players); p_++)                                             \
            if ((strengths)[p_] > best_) best_ = (strengths)[p_];                          \
        for (int p_ = 0; p_ < (players); p_++) among_ += (strengths)[p_] == best_;         \
        for (int p_ = 0; p_ < (players); p_++)                                             \
            if ((strengths)[p_] == best_) (counts)[p_ * (players) + among_ - 1] += weight; \
    } while (0)

#endif
