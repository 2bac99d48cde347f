/* Hold'em, exactly: all boards, and on each of them the cheapest way to all deals.

   - A hand against a range: each of its combos.
   - A hand against any two cards: `any_two.c`.
   - A range against a range of weights not far apart: both sorted by strength, and one sweep. What a combo beats is the weight of all weaker
     ones less that of those which hold one of its cards.
   - More players: each assignment of combos, built up player by player. */
#include "any_two.h"
#include "holdem.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint16_t strength;
    uint16_t combo;
} Ranked;

/* The combos of a player that a board allows, as they are on it. */
typedef struct {
    uint32_t n;
    Ranked *ranked;
} Field;

typedef struct {
    const HoldemSpot *spot;
    Field field[MOST_PLAYERS];
    Ranked *spare;
    double *same;     /* by the first player's combo: the second player's weight of the very same cards */
    Duel *duel;       /* by the first player's combo, for two ranges */
    double *counts;
} Enumeration;

static double weight_of(const Player *player, uint32_t combo) {
    return player->weights ? player->weights[combo] : 1.0;
}

static void rank_field(const Player *player, Cards board, Field *field) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < player->n; i++) {
        if (player->combos[i].set & board.set) continue;
        field->ranked[n].strength = (uint16_t)strength7(with(board, player->combos[i]));
        field->ranked[n++].combo = (uint16_t)i;
    }
    field->n = n;
}

/* By strength, in two passes of seven bits. */
static void sort_field(Field *field, Ranked *spare) {
    Ranked *from = field->ranked, *to = spare;
    for (int shift = 0; shift < 14; shift += 7) {
        uint32_t start[129] = {0};
        for (uint32_t i = 0; i < field->n; i++) start[(from[i].strength >> shift & 127) + 1]++;
        for (int digit = 0; digit < 127; digit++) start[digit + 1] += start[digit];
        for (uint32_t i = 0; i < field->n; i++) to[start[from[i].strength >> shift & 127]++] = from[i];
        Ranked *swap = from;
        from = to;
        to = swap;
    }
}

/* The weight of combos, in all and by each card in them. */
typedef struct {
    double all;
    double with_card[DECK];
} Weights;

static void add_weight(Weights *weights, const uint8_t *cards, double weight) {
    weights->all += weight;
    weights->with_card[cards[0]] += weight;
    weights->with_card[cards[1]] += weight;
}

static double disjoint(const Weights *weights, const uint8_t *cards) {
    return weights->all - weights->with_card[cards[0]] - weights->with_card[cards[1]];
}

/* Two ranges, both sorted. `disjoint` takes the weight of the very same combo away twice. */
static void sweep(Enumeration *all) {
    const Player *first = &all->spot->player[0], *second = &all->spot->player[1];
    const Field *mine = &all->field[0], *theirs = &all->field[1];
    Weights total, weaker, equal;
    memset(&total, 0, sizeof total);
    memset(&weaker, 0, sizeof weaker);
    for (uint32_t i = 0; i < theirs->n; i++)
        add_weight(&total, second->cards[theirs->ranked[i].combo], weight_of(second, theirs->ranked[i].combo));
    uint32_t next = 0;
    for (uint32_t i = 0; i < mine->n;) {
        uint16_t strength = mine->ranked[i].strength;
        for (; next < theirs->n && theirs->ranked[next].strength < strength; next++)
            add_weight(&weaker, second->cards[theirs->ranked[next].combo],
                       weight_of(second, theirs->ranked[next].combo));
        equal = weaker;
        for (; next < theirs->n && theirs->ranked[next].strength == strength; next++)
            add_weight(&equal, second->cards[theirs->ranked[next].combo],
                       weight_of(second, theirs->ranked[next].combo));
        for (; i < mine->n && mine->ranked[i].strength == strength; i++) {
            uint32_t combo = mine->ranked[i].combo;
            const uint8_t *cards = first->cards[combo];
            Duel *duel = &all->duel[combo];
            double won = disjoint(&weaker, cards);
            duel->won += won;
            duel->tied += disjoint(&equal, cards) + all->same[combo] - won;
            duel->met += disjoint(&total, cards) + all->same[combo];
        }
        weaker = equal;
    }
}

/* Two players, the first with few combos, or with weights that differ much: nothing is taken off a sum. */
static void pair_up(Enumeration *all) {
    const Player *first = &all->spot->player[0], *second = &all->spot->player[1];
    for (uint32_t i = 0; i < all->field[0].n; i++) {
        Ranked mine = all->field[0].ranked[i];
        uint64_t set = first->combos[mine.combo].set;
        double sums[3] = {0, 0, 0}; /* lost, tied, won */
        for (uint32_t j = 0; j < all->field[1].n; j++) {
            Ranked theirs = all->field[1].ranked[j];
            int outcome = 1 + (mine.strength > theirs.strength) - (mine.strength < theirs.strength);
            double weight = weight_of(second, theirs.combo);
            sums[outcome] += second->combos[theirs.combo].set & set ? 0 : weight;
        }
        double weight = weight_of(first, mine.combo);
        all->counts[0] += weight * sums[2];
        all->counts[1] += weight * sums[1];
        all->counts[2] += weight * sums[0];
        all->counts[3] += weight * sums[1];
    }
}

static void assign(Enumeration *all, int player, uint64_t used, double weight, uint32_t *strength) {
    const int players = all->spot->players;
    if (player == players) {
        ADD_OUTCOME(strength, players, weight, all->counts);
        return;
    }
    const Player *one = &all->spot->player[player];
    for (uint32_t i = 0; i < all->field[player].n; i++) {
        Ranked ranked = all->field[player].ranked[i];
        uint64_t set = one->combos[ranked.combo].set;
        if (set & used) continue;
        strength[player] = ranked.strength;
        assign(all, player + 1, used | set, weight * weight_of(one, ranked.combo), strength);
    }
}

enum { FEW = 8, UNEVEN = 1000 };

static void judge_board(Enumeration *all, Cards board) {
    for (int p = 0; p < all->spot->players; p++) rank_field(&all->spot->player[p], board, &all->field[p]);
    uint32_t strength[MOST_PLAYERS];
    if (all->duel) {
        for (int p = 0; p < 2; p++) sort_field(&all->field[p], all->spare);
        sweep(all);
    } else if (all->spot->players > 2) {
        assign(all, 0, 0, 1.0, strength);
    } else {
        pair_up(all);
    }
}

/* Every board that completes the known one, from `deck`. */
static void each_board(Enumeration *all, Cards board, const int *deck, int n, int to_come) {
    if (!to_come) {
        judge_board(all, board);
        return;
    }
    for (int i = to_come - 1; i < n; i++)
        each_board(all, with_card(board, deck[i]), deck, i, to_come - 1);
}

static Cards known_board(const HoldemSpot *spot) {
    Cards board = no_cards();
    for (int i = 0; i < spot->board_count; i++) board = with_card(board, spot->board[i]);
    return board;
}

/* The cards that may come to the board: neither known nor the only ones that a player can have. */
static int deck_of(const HoldemSpot *spot, int *deck) {
    uint64_t gone = spot->known;
    for (int p = 0; p < spot->players; p++)
        if (!spot->player[p].random && spot->player[p].n == 1) gone |= spot->player[p].combos[0].set;
    return cards_without(gone, deck);
}

static int begin(Enumeration *all) {
    const Player *first = &all->spot->player[0], *second = &all->spot->player[1];
    all->spare = malloc(COMBOS * sizeof *all->spare);
    int made = all->spare != NULL;
    for (int p = 0; p < all->spot->players; p++) {
        all->field[p].ranked = malloc(all->spot->player[p].n * sizeof(Ranked));
        made = made && all->field[p].ranked;
    }
    if (!all->duel) return made;
    all->same = calloc(first->n, sizeof *all->same);
    if (!made || !all->same) return 0;
    double weight[DECK][DECK] = {{0}};
    for (uint32_t j = 0; j < second->n; j++) {
        weight[second->cards[j][0]][second->cards[j][1]] += weight_of(second, j);
        weight[second->cards[j][1]][second->cards[j][0]] += weight_of(second, j);
    }
    for (uint32_t i = 0; i < first->n; i++) all->same[i] = weight[first->cards[i][0]][first->cards[i][1]];
    return 1;
}

static void end(Enumeration *all) {
    for (int p = 0; p < all->spot->players; p++) free(all->field[p].ranked);
    free(all->spare);
    free(all->same);
}

int holdem_duels(const HoldemSpot *spot, uint64_t seed, uint32_t boards, Duel *duels) {
    Enumeration all = {.spot = spot, .duel = duels};
    int deck[DECK], n = deck_of(spot, deck), to_come = 5 - spot->board_count, made = begin(&all);
    Cards known = known_board(spot);
    if (made && (!boards || !to_come)) {
        each_board(&all, known, deck, n, to_come);
    } else if (made) {
        Chance chance = chance_from(seed);
        for (uint32_t i = 0; i < boards; i++) {
            uint64_t bits = random64(&chance);
            Cards board = known;
            for (int at = 0; at < to_come; at++) {
                int other = at + (int)below(&bits, (uint32_t)(n - at)), card = deck[other];
                deck[other] = deck[at];
                deck[at] = card;
                board = with_card(board, card);
            }
            judge_board(&all, board);
        }
    }
    end(&all);
    return made;
}

static void count_any_two(const HoldemSpot *spot, double *counts) {
    uint64_t outcomes[3];
    any_two_exact(spot->player[0].combos[0], known_board(spot), 5 - spot->board_count, spot->known, outcomes);
    double weight = weight_of(&spot->player[0], 0);
    counts[0] += weight * (double)outcomes[2];
    counts[1] += weight * (double)outcomes[1];
    counts[2] += weight * (double)outcomes[0];
    counts[3] += weight * (double)outcomes[1];
}

static int count_two_ranges(const HoldemSpot *spot, double *counts) {
    const Player *first = &spot->player[0];
    Duel *duels = calloc(first->n, sizeof *duels);
    int made = duels && holdem_duels(spot, 0, 0, duels);
    for (uint32_t i = 0; made && i < first->n; i++) {
        double weight = weight_of(first, i);
        counts[0] += weight * duels[i].won;
        counts[1] += weight * duels[i].tied;
        counts[2] += weight * (duels[i].met - duels[i].won - duels[i].tied);
        counts[3] += weight * duels[i].tied;
    }
    free(duels);
    return made;
}

/* Whether the sweep's sums would lose a light combo beside heavy ones that are taken off again. */
static int is_uneven(const Player *player) {
    if (!player->weights || !player->n) return 0;
    double least = player->weights[0], most = least;
    for (uint32_t i = 1; i < player->n; i++) {
        least = player->weights[i] < least ? player->weights[i] : least;
        most = player->weights[i] > most ? player->weights[i] : most;
    }
    return most > UNEVEN * least;
}

int holdem_exact(const HoldemSpot *spot, double *counts) {
    if (spot->players == 2 && spot->player[1].random) return count_any_two(spot, counts), 1;
    const int uneven = is_uneven(&spot->player[0]) || is_uneven(&spot->player[1]);
    if (spot->players == 2 && spot->player[0].n > FEW && !uneven) return count_two_ranges(spot, counts);
    Enumeration all = {.spot = spot, .counts = counts};
    int deck[DECK], n = deck_of(spot, deck), made = begin(&all);
    if (made) each_board(&all, known_board(spot), deck, n, 5 - spot->board_count);
    end(&all);
    return made;
}
