/* Where no flush is possible, all that counts of two hole cards is their ranks: 91 pairs of ranks stand for up to
   1,225 pairs of cards. The same holds for the cards of the board that are to come, so the 91 are judged once for
   each set of ranks that the board may get, and counted for all its suits. A board with three or more of a suit has
   the pairs of cards that make a flush taken out of the count, and put in again as flushes. */
#include "any_two.h"

enum { PAIRS = 91 };

typedef struct {
    Cards hand, board;
    uint64_t live;              /* the set of the cards that are neither known nor in the hand */
    int left[13];               /* live cards of a rank that are not on the board */
    uint32_t key;               /* of the board's ranks */
    uint32_t mine;              /* the hand's strength, were there no flushes */
    uint16_t strength[PAIRS];   /* of a pair of ranks, were there no flushes */
    uint32_t many[PAIRS];       /* how many pairs of cards it stands for */
    uint64_t base[3];
    uint64_t total[3];
} AnyTwo;

static int pair_index(int a, int b) { return a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b; }

static int outcome(uint32_t mine, uint32_t theirs) { return 1 + (mine > theirs) - (mine < theirs); }

static void count_all(const AnyTwo *all, uint32_t mine, uint64_t *counts) {
    uint64_t lost = 0, won = 0, sum = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        sum += all->many[pair];
        won += all->strength[pair] < mine ? all->many[pair] : 0;
        lost += all->strength[pair] > mine ? all->many[pair] : 0;
    }
    counts[0] = lost;
    counts[1] = sum - won - lost;
    counts[2] = won;
}

/* The board's ranks are complete: judge the pairs of ranks. */
static void judge_ranks(AnyTwo *all) {
    uint32_t hand = (uint32_t)(all->hand.key >> 32);
    all->mine = ranks_strength7(all->key + hand);
    int pair = 0;
    for (int b = 0; b < 13; b++) {
        uint32_t key = all->key + rank_weight[b];
        for (int a = 0; a < b; a++, pair++) {
            all->many[pair] = (uint32_t)(all->left[a] * all->left[b]);
            all->strength[pair] = (uint16_t)ranks_strength7(key + rank_weight[a]);
        }
        all->many[pair] = (uint32_t)(all->left[b] * (all->left[b] - 1) / 2);
        all->strength[pair] = (uint16_t)ranks_strength7(key + rank_weight[b]);
        pair++;
    }
    count_all(all, all->mine, all->base);
}

/* Move a pair of cards from what its ranks make to what it is. */
static void move(AnyTwo *all, int64_t *moved, uint32_t mine, int a, int b, uint32_t flush) {
    moved[outcome(mine, all->strength[pair_index(a, b)])]--;
    moved[outcome(mine, flush)]++;
}

static void judge_flush_board(AnyTwo *all, Cards board, int suit, int many) {
    uint32_t mine = strength7(with(board, all->hand));
    uint64_t counts[3];
    if (mine == all->mine)
        for (int i = 0; i < 3; i++) counts[i] = all->base[i];
    else
        count_all(all, mine, counts);
    uint64_t live = all->live & ~board.set;
    uint32_t on_board = board.set >> (16 * suit) & 0x1fff, in_suit = live >> (16 * suit) & 0x1fff;
    int64_t moved[3] = {0, 0, 0};
    for (uint32_t rest = in_suit; rest; rest &= rest - 1) {
        int a = __builtin_ctz(rest);
        for (uint32_t more = rest & (rest - 1); more; more &= more - 1) {
            int b = __builtin_ctz(more);
            move(all, moved, mine, a, b, tables.flush[on_board | 1u << a | 1u << b]);
        }
        if (many < 4) continue;
        uint32_t flush = tables.flush[on_board | 1u << a];
        for (int other = 0; other < 4; other++) {
            if (other == suit) continue;
            for (uint32_t more = live >> (16 * other) & 0x1fff; more; more &= more - 1)
                move(all, moved, mine, a, __builtin_ctz(more), flush);
        }
    }
    if (many == 5) { /* two cards of other suits play the board's own flush */
        uint64_t others = live & ~(UINT64_C(0x1fff) << (16 * suit));
        for (; others; others &= others - 1)
            for (uint64_t more = others & (others - 1); more; more &= more - 1)
                move(all, moved, mine, __builtin_ctzll(others) & 15, __builtin_ctzll(more) & 15,
                     tables.flush[on_board]);
    }
    for (int i = 0; i < 3; i++) all->total[i] += counts[i] + (uint64_t)moved[i];
}

static void judge_board(AnyTwo *all, Cards board) {
    for (int suit = 0; suit < 4; suit++) {
        int many = __builtin_popcountll(board.set >> (16 * suit) & 0x1fff);
        if (many >= 3) {
            judge_flush_board(all, board, suit, many);
            return;
        }
    }
    for (int i = 0; i < 3; i++) all->total[i] += all->base[i];
}

/* Give each rank of the board its suits: `taken` cards of the ranks from `rank` down are wanted. */
static void each_suits(AnyTwo *all, const int *taken, int rank, Cards board) {
    while (rank >= 0 && !taken[rank]) rank--;
    if (rank < 0) {
        judge_board(all, board);
        return;
    }
    for (int suits = 1; suits < 16; suits++) {
        if (__builtin_popcount((unsigned)suits) != taken[rank]) continue;
        Cards more = board;
        int there = 1;
        for (int suit = 0; suit < 4 && there; suit++) {
            if (!(suits >> suit & 1)) continue;
            Cards card = card_of[rank * 4 + suit];
            there = (card.set & all->live) != 0;
            more = with(more, card);
        }
        if (there) each_suits(all, taken, rank - 1, more);
    }
}

/* Choose how many cards of each rank come to the board. */
static void each_ranks(AnyTwo *all, int *taken, int rank, int to_come) {
    if (!to_come) {
        judge_ranks(all);
        each_suits(all, taken, 12, all->board);
        return;
    }
    if (rank == 13) return;
    each_ranks(all, taken, rank + 1, to_come);
    for (int many = 1; many <= to_come && all->left[rank] > 0; many++) {
        all->left[rank]--;
        all->key += rank_weight[rank];
        taken[rank] = many;
        each_ranks(all, taken, rank + 1, to_come - many);
    }
    all->left[rank] += taken[rank];
    all->key -= (uint32_t)taken[rank] * rank_weight[rank];
    taken[rank] = 0;
}

void any_two_exact(Cards hand, Cards board, int to_come, uint64_t known, uint64_t *outcomes) {
    AnyTwo all = {.hand = hand, .board = board, .key = (uint32_t)(board.key >> 32)};
    for (int card = 0; card < DECK; card++) {
        if (card_of[card].set & (known | hand.set)) continue;
        all.live |= card_of[card].set;
        all.left[card >> 2]++;
    }
    int taken[13] = {0};
    each_ranks(&all, taken, 0, to_come);
    for (int i = 0; i < 3; i++) outcomes[i] = all.total[i];
}
