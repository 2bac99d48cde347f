/* Sampling hold'em: every sample is a deal of its own, as likely as it is among all deals that the ranges allow.

   Players with ranges draw a combo by weight each; if two of them, or one and a known card, want the same card, the
   whole deal is thrown away. What is left of the deck is the same size whatever they hold, so random cards and the
   board are drawn afterwards, each from the cards that are left. */
#include "holdem.h"
#include "wide.h"

#include <string.h>

enum { AT_ONCE = 64, DRAWS_A_WORD = 5 };

static uint32_t pairs_of(const Cards *single, uint32_t singles, Cards *pair) {
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < singles; i++)
        for (uint32_t j = 0; j < i; j++) pair[pairs++] = with(single[i], single[j]);
    return pairs;
}

static inline const Cards *combo_by_weight(const Player *player, Chance *chance) {
    uint64_t bits = random64(chance);
    uint32_t at = player->aliases ? drawn_by_weight(player->aliases, player->n, bits) : below(&bits, player->n);
    return &player->combos[at];
}

/* One hand against a random one or a range, which most questions are: boards are drawn in pairs of cards. */
static inline __attribute__((always_inline)) void heads_up(const Player *villain, Cards hero, Cards board, int to_come,
                                                           uint64_t known, int by_weight, uint64_t seed,
                                                           uint64_t samples, uint64_t *counts) {
    Chance chance = chance_from(seed);
    Cards single[DECK], pair[COMBOS];
    const uint32_t singles = (uint32_t)live_cards(known, single), pairs = pairs_of(single, singles, pair);
    const Cards *combos = villain->random ? pair : villain->combos;
    uint32_t n = villain->random ? pairs : villain->n;
    uint64_t won = 0, tied = 0;
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t bits = random64(&chance);
        uint32_t at = by_weight ? drawn_by_weight(villain->aliases, n, bits) : below(&bits, n);
        if (by_weight && to_come) bits = random64(&chance);
        const Cards theirs = combos[at];
        Cards common = board;
        if (to_come >= 2) {
            Cards next = pair[below(&bits, pairs)];
            while (next.set & theirs.set) next = pair[one_below(&chance, pairs)];
            common = with(common, next);
        }
        if (to_come == 5) {
            Cards next = pair[below(&bits, pairs)];
            while (next.set & (theirs.set | common.set)) next = pair[one_below(&chance, pairs)];
            common = with(common, next);
        }
        if (to_come & 1) {
            Cards next = single[below(&bits, singles)];
            while (next.set & (theirs.set | common.set)) next = single[one_below(&chance, singles)];
            common = with(common, next);
        }
        Cards own = with(common, hero);
        uint32_t mine = to_come <= 2 ? steady_strength7(own) : strength7(own);
        uint32_t other = strength7(with(common, theirs));
        won += mine > other;
        tied += mine == other;
    }
    counts[0] += won;
    counts[1] += tied;
    counts[2] += samples - won - tied;
    counts[3] += tied;
}

static int heads_up_sample(const HoldemSpot *spot, Cards board, uint64_t seed, uint64_t samples, uint64_t *counts) {
    const Player *villain = &spot->player[1];
    Cards hero = spot->player[0].combos[0];
    uint64_t known = spot->known | hero.set;
    int by_weight = villain->aliases != NULL;
    switch (spot->board_count) {
#define STREET(cards)                                                                                     \
    case cards:                                                                                           \
        if (by_weight)                                                                                    \
            heads_up(villain, hero, board, 5 - cards, known, 1, seed, samples, counts);                   \
        else                                                                                              \
            heads_up(villain, hero, board, 5 - cards, known, 0, seed, samples, counts);                   \
        return 1
        STREET(0);
        STREET(3);
        STREET(4);
        STREET(5);
#undef STREET
    }
    return 0;
}

/* The players in another order: those with ranges, then those with one hand, then those with random cards. */
typedef struct {
    int who[MOST_PLAYERS];
    const Player *ranged[MOST_PLAYERS];
    Cards board, hole[MOST_PLAYERS];
    int ranges, hands, randoms, to_come;
    uint64_t known;
    int live;
    uint64_t tries, dealt;
    uint8_t deck[64]; /* the cards that nobody is known to have */
} Seating;

static int seat(const HoldemSpot *spot, Cards board, Seating *seating) {
    *seating = (Seating){.board = board, .to_come = 5 - spot->board_count, .known = spot->known};
    int seated = 0;
    for (int kind = 0; kind < 3; kind++) {
        for (int p = 0; p < spot->players; p++) {
            const Player *player = &spot->player[p];
            if ((player->random ? 2 : player->n == 1) != kind) continue;
            seating->who[seated] = p;
            if (kind == 0) seating->ranged[seating->ranges++] = player;
            if (kind == 1) {
                seating->hands++;
                seating->hole[seated] = player->combos[0];
                if (seating->hole[seated].set & seating->known) return 0;
                seating->known |= seating->hole[seated].set;
            }
            seated++;
        }
    }
    seating->randoms = spot->players - seating->ranges - seating->hands;
    for (int card = 0; card < DECK; card++)
        if (!(card_of[card].set & seating->known)) seating->deck[seating->live++] = (uint8_t)card;
    return 1;
}

/* A combo for each player with a range; the set of all cards known or chosen, 0 if there is hardly a deal. */
static inline uint64_t choose(Seating *seating, Chance *chance) {
    while (!hopeless(seating->tries++, seating->dealt)) {
        uint64_t used = seating->known;
        int r = 0;
        for (; r < seating->ranges; r++) {
            seating->hole[r] = *combo_by_weight(seating->ranged[r], chance);
            if (seating->hole[r].set & used) break;
            used |= seating->hole[r].set;
        }
        if (r < seating->ranges) continue;
        seating->dealt++;
        return used;
    }
    return 0;
}

/* One of the cards of the deck from place `at` on; the card at that place goes to where it was. */
static inline uint8_t taken(uint8_t *deck, int at, int live, uint64_t *bits) {
    int from = at + (int)below(bits, (uint32_t)(live - at));
    uint8_t card = deck[from];
    deck[from] = deck[at];
    return card;
}

/* A deal: all seven cards of each player. The cards that nobody chose come off a fresh deck that is shuffled as far as
   it is dealt, those that somebody did are passed over. 0 if there never was a deal. */
static inline __attribute__((always_inline)) int deal(int players, int ranges, int to_come, int randoms,
                                                      Seating *seating, Chance *chance, Cards *hands) {
    uint64_t used = 0;
    if (ranges && !(used = choose(seating, chance))) return 0;
    const int needed = to_come + 2 * randoms, live = seating->live;
    Cards drawn[DECK];
    uint8_t deck[64];
    memcpy(deck, seating->deck, sizeof deck);
    uint64_t bits = 0;
    if (!ranges) {
#pragma GCC unroll 21
        for (int at = 0; at < needed; at++) {
            if (at % DRAWS_A_WORD == 0) bits = random64(chance);
            drawn[at] = card_of[taken(deck, at, live, &bits)];
        }
    }
    for (int got = 0, at = 0; ranges && got < needed; at++) {
        if (at % DRAWS_A_WORD == 0) bits = random64(chance);
        drawn[got] = card_of[taken(deck, at, live, &bits)];
        got += !(drawn[got].set & used);
    }
    Cards common = seating->board;
    for (int c = 0; c < to_come; c++) common = with(common, drawn[c]);
    const int known = players - randoms;
    for (int p = 0; p < known; p++) hands[p] = with(common, seating->hole[p]);
    for (int r = 0; r < randoms; r++)
        hands[known + r] = with(with(drawn[to_come + 2 * r], drawn[to_come + 2 * r + 1]), common);
    return 1;
}

static inline __attribute__((always_inline)) void judge(int players, const Cards *hands, uint64_t *counts) {
    uint32_t strength[MOST_PLAYERS], best = 0;
    for (int p = 0; p < players; p++) {
        strength[p] = strength7(hands[p]) << 4 | (uint32_t)p;
        best = strength[p] > best ? strength[p] : best;
    }
    int among = 0;
    for (int p = 0; p < players; p++) among += (strength[p] ^ best) < 16;
    if (__builtin_expect(among == 1, 1)) {
        counts[(best & 15) * (uint32_t)players]++;
        return;
    }
    for (int p = 0; p < players; p++)
        if ((strength[p] ^ best) < 16) counts[p * players + among - 1]++;
}

/* Many hands are dealt before they are judged: a guess of the processor's that fails in the one does not undo what it
   had begun of the other. */
static inline __attribute__((always_inline)) int many(int players, int ranges, int to_come, int randoms,
                                                      Seating *seating, uint64_t seed, uint64_t samples,
                                                      uint64_t *counts) {
    Chance chance = chance_from(seed);
    Cards hands[AT_ONCE * MOST_PLAYERS];
    while (samples) {
        int dealt = samples < AT_ONCE ? (int)samples : AT_ONCE;
        for (int i = 0; i < dealt; i++)
            if (!deal(players, ranges, to_come, randoms, seating, &chance, &hands[i * players])) return 0;
        for (int i = 0; i < dealt; i++) judge(players, &hands[i * players], counts);
        samples -= (uint64_t)dealt;
    }
    return 1;
}

/* Any players. The commonest question, one hand against random ones before the flop, has code of its own for each
   number of players, with all loops unrolled. */
static int many_sample(const HoldemSpot *spot, Cards board, uint64_t seed, uint64_t samples, uint64_t *counts) {
    const int players = spot->players;
    Seating s;
    uint64_t seated[MOST_PLAYERS * MOST_PLAYERS] = {0};
    if (!seat(spot, board, &s)) return 0;
    const int usual = s.ranges == 0 && s.hands == 1 && s.to_come == 5;
    int dealt = 0;
    switch (players) {
#define PLAYERS(n)                                                                          \
    case n:                                                                                 \
        dealt = usual ? many(n, 0, 5, n - 1, &s, seed, samples, seated)                     \
                      : many(n, s.ranges, s.to_come, s.randoms, &s, seed, samples, seated); \
        break
        PLAYERS(2);
        PLAYERS(3);
        PLAYERS(4);
        PLAYERS(5);
        PLAYERS(6);
        PLAYERS(7);
        PLAYERS(8);
        PLAYERS(9);
#undef PLAYERS
    }
    for (int p = 0; p < players; p++)
        for (int k = 0; k < players; k++) counts[s.who[p] * players + k] += seated[p * players + k];
    return dealt;
}

static int wide_sampled(const HoldemSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts) {
    WideSpot wide = {.players = spot->players, .board_count = spot->board_count};
    memcpy(wide.board, spot->board, sizeof wide.board);
    uint64_t known = spot->known;
    for (int p = 0; p < spot->players; p++) {
        const Player *player = &spot->player[p];
        const int one = !player->random && player->n == 1;
        for (int i = 0; i < 2; i++) wide.holes[p][i] = one ? player->cards[0][i] : -1;
        if (!one && !player->random)
            wide.ranges[p] = (WideRange){player->n, (const uint8_t (*)[2])player->cards, player->aliases};
        if (one && player->combos[0].set & known) return 0;
        if (one) known |= player->combos[0].set;
    }
    wide.live_count = cards_without(known, wide.live);
    return wide_sample(&wide, seed, samples, counts);
}

int holdem_sample(const HoldemSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts) {
    if (spot->wide) return wide_sampled(spot, seed, samples, counts);
    Cards board = no_cards();
    for (int i = 0; i < spot->board_count; i++) board = with_card(board, spot->board[i]);
    if (spot->players == 2 && !spot->player[0].random && spot->player[0].n == 1) {
        const Player *villain = &spot->player[1];
        int disjoint = villain->random || villain->n > 1 || !(villain->combos[0].set & spot->player[0].combos[0].set);
        return disjoint && heads_up_sample(spot, board, seed, samples, counts);
    }
    return many_sample(spot, board, seed, samples, counts);
}
