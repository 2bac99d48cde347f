#include "draw.h"

#include "holdem.h"

static inline Cards drawn(const Cards *deck, uint32_t live, uint64_t used, Chance *chance) {
    Cards card;
    do card = deck[one_below(chance, live)];
    while (card.set & used);
    return card;
}

/* Whether a final hand is one that the opponent goes on with. */
static int goes_on(const Opponent *opponent, uint32_t strength, Chance *chance) {
    double often = opponent->goes_on[category_of(strength)];
    return often >= 1 || (double)(random64(chance) >> 11) * 0x1p-53 < often;
}

/* The strengths of one deal; 0 where it does not count. */
static int dealt(const DrawSpot *spot, const Cards *deck, uint32_t live, Chance *chance, uint32_t *strength) {
    uint64_t used = spot->known;
    Cards hand[MOST_OPPONENTS];
    int missing[MOST_OPPONENTS];
    for (int o = 0; o < spot->opponents; o++) {
        const Opponent *one = &spot->opponent[o];
        hand[o] = no_cards();
        missing[o] = 5;
        if (!one->n) continue;
        uint64_t bits = random64(chance);
        uint32_t at = one->aliases ? drawn_by_weight(one->aliases, one->n, bits) : below(&bits, one->n);
        for (int i = 0; i < 5 && one->kept[at][i] != TO_DRAW; i++, missing[o]--)
            hand[o] = with_card(hand[o], one->kept[at][i]);
        if (hand[o].set & used) return 0;
        used |= hand[o].set;
    }
    for (int o = 0; o < spot->opponents; o++) {
        for (; missing[o]; missing[o]--) {
            Cards card = drawn(deck, live, used, chance);
            used |= card.set;
            hand[o] = with(hand[o], card);
        }
        strength[1 + o] = strength5(hand[o]);
        if (spot->opponent[o].picky && !goes_on(&spot->opponent[o], strength[1 + o], chance)) return 0;
    }
    Cards own = spot->kept;
    for (int i = 0; i < spot->draws; i++) {
        Cards card = drawn(deck, live, used, chance);
        used |= card.set;
        own = with(own, card);
    }
    strength[0] = strength5(own);
    return 1;
}

int draw_sample(const DrawSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts) {
    Chance chance = chance_from(seed);
    Cards deck[DECK];
    uint32_t live = (uint32_t)live_cards(spot->known, deck), strength[1 + MOST_OPPONENTS];
    const int players = 1 + spot->opponents;
    for (uint64_t i = 0, tries = 0; i < samples; i++) {
        while (!dealt(spot, deck, live, &chance, strength))
            if (hopeless(++tries, i)) return 0;
        ADD_OUTCOME(strength, players, 1, counts);
    }
    return 1;
}

static void count_draws(Cards hand, const Cards *deck, int n, int draws, uint64_t *counts) {
    if (!draws) {
        counts[category_of(strength5(hand))]++;
        return;
    }
    for (int i = draws - 1; i < n; i++) count_draws(with(hand, deck[i]), deck, i, draws - 1, counts);
}

void draw_outcomes(Cards kept, int draws, uint64_t known, uint64_t *counts) {
    Cards deck[DECK];
    int n = live_cards(known | kept.set, deck);
    count_draws(kept, deck, n, draws, counts);
}
