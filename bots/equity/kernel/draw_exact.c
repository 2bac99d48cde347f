/* Five-card draw against one opponent, exactly, without pairing every hand of his with every draw of ours.

   All his final hands are sorted by strength and so are ours. Going up, the weight of his hands so far is kept in
   all, by each card, each pair and each three of the cards in them. What our hand beats is then, by inclusion and
   exclusion over the up to three cards that we drew: all - those with one of them + those with two - those with all.

   Each set of kept cards has its weight whatever its size, so a final hand weighs that weight divided by the number
   of draws to the set; where all sets have one size, the division is left out and weights of 1 give whole numbers. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

enum { TRIPLES = 22100 };

typedef struct {
    uint16_t strength;
    uint8_t places[5]; /* of its cards, ascending */
    double weight;
} Final;

typedef struct {
    size_t n, room;
    Final *final;
} Finals;

typedef struct {
    double all, one[DECK], two[COMBOS], three[TRIPLES];
} Sums;

/* A set's lowest card by its place in a deck that is sorted by suit, so that sets give their cards in ascending order. */
static uint8_t place_of(uint64_t set) {
    int bit = __builtin_ctzll(set);
    return (uint8_t)(13 * (bit >> 4) + (bit & 15));
}

static int pair_index(int a, int b) { return b * (b - 1) / 2 + a; }
static int triple_index(int a, int b, int c) { return c * (c - 1) * (c - 2) / 6 + b * (b - 1) / 2 + a; }

static int add_final(Finals *finals, Cards hand, double weight) {
    if (finals->n == finals->room) {
        finals->room = finals->room ? 2 * finals->room : 4096;
        Final *more = realloc(finals->final, finals->room * sizeof *more);
        if (!more) return 0;
        finals->final = more;
    }
    Final *final = &finals->final[finals->n++];
    final->strength = (uint16_t)strength5(hand);
    final->weight = weight;
    uint8_t *place = final->places;
    for (uint64_t rest = hand.set; rest; rest &= rest - 1) *place++ = place_of(rest);
    return 1;
}

static int add_draws(Finals *finals, Cards hand, const int *deck, int n, int draws, double weight) {
    if (!draws) return add_final(finals, hand, weight);
    for (int i = draws - 1; i < n; i++)
        if (!add_draws(finals, with_card(hand, deck[i]), deck, i, draws - 1, weight)) return 0;
    return 1;
}

static double ways(int n, int k) {
    double ways = 1;
    for (int i = 0; i < k; i++) ways = ways * (n - i) / (i + 1);
    return ways;
}

static int kept_count(const uint8_t *kept) {
    int n = 0;
    while (n < 5 && kept[n] != TO_DRAW) n++;
    return n;
}

static int their_finals(const DrawSpot *spot, Finals *finals) {
    const Opponent *one = &spot->opponent[0];
    int deck[DECK], mixed = 0;
    if (!one->n) {
        int n = cards_without(spot->known, deck);
        return add_draws(finals, no_cards(), deck, n, 5, 1.0);
    }
    for (uint32_t i = 1; i < one->n; i++) mixed |= kept_count(one->kept[i]) != kept_count(one->kept[0]);
    for (uint32_t i = 0; i < one->n; i++) {
        Cards hand = no_cards();
        int many = kept_count(one->kept[i]);
        for (int c = 0; c < many; c++) hand = with_card(hand, one->kept[i][c]);
        if (hand.set & spot->known) continue;
        int n = cards_without(spot->known | hand.set, deck);
        double weight = one->weights ? one->weights[i] : 1.0;
        if (mixed) weight /= ways(n, 5 - many);
        if (!add_draws(finals, hand, deck, n, 5 - many, weight)) return 0;
    }
    for (size_t i = 0; i < finals->n && one->picky; i++)
        finals->final[i].weight *= one->goes_on[category_of(finals->final[i].strength)];
    return 1;
}

static int by_strength(const void *a, const void *b) {
    return (int)((const Final *)a)->strength - (int)((const Final *)b)->strength;
}

/* A stable counting sort; 0 if memory is short. */
static int sort_finals(Finals *finals) {
    if (finals->n < 4096) {
        if (finals->n) qsort(finals->final, finals->n, sizeof(Final), by_strength);
        return 1;
    }
    size_t *start = calloc(STRENGTHS + 2, sizeof *start);
    Final *sorted = malloc(finals->n * sizeof *sorted);
    int made = start && sorted;
    if (made) {
        for (size_t i = 0; i < finals->n; i++) start[finals->final[i].strength + 1]++;
        for (int s = 0; s <= STRENGTHS; s++) start[s + 1] += start[s];
        for (size_t i = 0; i < finals->n; i++) sorted[start[finals->final[i].strength]++] = finals->final[i];
        free(finals->final);
        finals->final = sorted;
    } else {
        free(sorted);
    }
    free(start);
    return made;
}

static void add_sums(Sums *sums, const Final *final, int depth) {
    const uint8_t *card = final->places;
    sums->all += final->weight;
    for (int c = 0; c < 5 && depth > 0; c++) {
        sums->one[card[c]] += final->weight;
        for (int b = 0; b < c && depth > 1; b++) {
            sums->two[pair_index(card[b], card[c])] += final->weight;
            for (int a = 0; a < b && depth > 2; a++)
                sums->three[triple_index(card[a], card[b], card[c])] += final->weight;
        }
    }
}

/* The weight of the hands that hold none of `n` cards, in ascending order. */
static double disjoint(const Sums *sums, const uint8_t *card, int n) {
    double weight = sums->all;
    for (int c = 0; c < n; c++) {
        weight -= sums->one[card[c]];
        for (int b = 0; b < c; b++) {
            weight += sums->two[pair_index(card[b], card[c])];
            for (int a = 0; a < b; a++) weight -= sums->three[triple_index(card[a], card[b], card[c])];
        }
    }
    return weight;
}

/* The places of the cards of a final hand that were drawn to what was kept, which are the places `kept`. */
static int drawn_places(const Final *final, uint64_t kept, uint8_t *drawn) {
    int n = 0;
    for (int c = 0; c < 5; c++)
        if (!(kept >> final->places[c] & 1)) drawn[n++] = final->places[c];
    return n;
}

static void climb(const DrawSpot *spot, const Finals *ours, const Finals *theirs, Sums *sums, double *counts) {
    size_t next = 0;
    uint8_t drawn[5];
    uint64_t kept = 0;
    for (uint64_t rest = spot->kept.set; rest; rest &= rest - 1) kept |= UINT64_C(1) << place_of(rest);
    for (size_t i = 0; i < ours->n;) {
        uint16_t strength = ours->final[i].strength;
        for (; next < theirs->n && theirs->final[next].strength < strength; next++)
            add_sums(sums, &theirs->final[next], spot->draws);
        double won = 0, not_lost = 0;
        size_t after = i;
        for (; after < ours->n && ours->final[after].strength == strength; after++) {
            int n = drawn_places(&ours->final[after], kept, drawn);
            won += disjoint(sums, drawn, n);
        }
        for (; next < theirs->n && theirs->final[next].strength == strength; next++)
            add_sums(sums, &theirs->final[next], spot->draws);
        for (; i < after; i++) {
            int n = drawn_places(&ours->final[i], kept, drawn);
            not_lost += disjoint(sums, drawn, n);
        }
        counts[0] += won;
        counts[1] += not_lost - won;
        counts[2] -= not_lost; /* of all, added below */
        counts[3] += not_lost - won;
    }
    for (; next < theirs->n; next++) add_sums(sums, &theirs->final[next], spot->draws);
    for (size_t i = 0; i < ours->n; i++) {
        int n = drawn_places(&ours->final[i], kept, drawn);
        counts[2] += disjoint(sums, drawn, n);
    }
}

int draw_exact(const DrawSpot *spot, double *counts) {
    Finals ours = {0, 0, NULL}, theirs = {0, 0, NULL};
    int deck[DECK];
    int n = cards_without(spot->known, deck);
    Sums *sums = calloc(1, sizeof *sums);
    int made = sums && add_draws(&ours, spot->kept, deck, n, spot->draws, 1.0) && their_finals(spot, &theirs) &&
               sort_finals(&ours) && sort_finals(&theirs);
    if (made) climb(spot, &ours, &theirs, sums, counts);
    free(ours.final);
    free(theirs.final);
    free(sums);
    return made;
}
