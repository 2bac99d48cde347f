/* Cards, and the strength of five to seven of them: sums of keys, looked up in the tables of tables.bin.

   A card is a number from 0 to 51, rank * 4 + suit. Its key holds a random additive rank weight in the high 32 bits
   (sums wrap at 2^64, which loses nothing) and a counter of four bits a suit in the low 16. A sum of keys starts at
   KEY_START, so that five of a suit set the highest bit of its counter. A card's bit in a set is 16 * suit + rank:
   the set is also what the flush table is asked with. */
#ifndef CROUPIER_CARDS_H
#define CROUPIER_CARDS_H

#include <stdint.h>

#define DECK 52
#define COMBOS 1326
#define MOST_PLAYERS 9
#define CATEGORIES 9
#define STRENGTHS 7462
#define KEY_START UINT64_C(0x3333)
#define KEY_FLUSH UINT64_C(0x8888)

typedef struct {
    uint64_t key;
    uint64_t set;
} Cards;

typedef struct {
    uint16_t displace7[8192];
    uint16_t strength7[65536];
    uint16_t flush[8192];
    uint16_t displace5[1024];
    uint16_t strength5[8192];
} Tables;

/* Of this library alone, so that they are at a known distance from the code. */
#define OWN __attribute__((visibility("hidden")))

extern OWN Tables tables;
extern OWN uint32_t rank_weight[16];
extern OWN Cards card_of[64];

/* Read the packaged tables; 0 if `size` bytes at `bytes` are not what this kernel was made for. */
int load_tables(const uint8_t *bytes, int64_t size);

/* The cards that are not in the set `known`, ascending; how many there are. */
int cards_without(uint64_t known, int *cards);

/* The same cards with their keys and sets. */
int live_cards(uint64_t known, Cards *live);

static inline Cards no_cards(void) { return (Cards){KEY_START, 0}; }

static inline Cards with(Cards cards, Cards more) {
    return (Cards){cards.key + more.key, cards.set | more.set};
}

static inline Cards with_card(Cards cards, int card) { return with(cards, card_of[card]); }

static inline uint32_t flush_strength(Cards cards) {
    int suit = __builtin_ctzll(cards.key & KEY_FLUSH) >> 2;
    return tables.flush[cards.set >> (16 * suit) & 0x1fff];
}

/* What the ranks alone make of seven cards: `key` is the high half of their key. */
static inline uint32_t ranks_strength7(uint32_t key) {
    return tables.strength7[(uint16_t)(key + tables.displace7[key >> 19])];
}

/* The strength of seven cards, 1 to 7462. */
static inline uint32_t strength7(Cards cards) {
    if (__builtin_expect((cards.key & KEY_FLUSH) != 0, 0)) return flush_strength(cards);
    return ranks_strength7((uint32_t)(cards.key >> 32));
}

/* The same without a branch, for hands that are as likely a flush as not: both look-ups are made, one counts. */
static inline uint32_t steady_strength7(Cards cards) {
    uint64_t flush = cards.key & KEY_FLUSH;
    int suit = __builtin_ctzll(flush | UINT64_C(1) << 15) >> 2;
    uint32_t suited = tables.flush[cards.set >> (16 * suit) & 0x1fff];
    uint32_t mixed = ranks_strength7((uint32_t)(cards.key >> 32));
    uint32_t is_flush = -(uint32_t)(flush != 0);
    return (suited & is_flush) | (mixed & ~is_flush);
}

/* The strength of five cards, on the same scale. */
static inline uint32_t strength5(Cards cards) {
    if (__builtin_expect((cards.key & KEY_FLUSH) != 0, 0)) return flush_strength(cards);
    uint32_t key = (uint32_t)(cards.key >> 32);
    return tables.strength5[(key + tables.displace5[key >> 22]) & 8191];
}

/* The category of a strength, 0 (high card) to 8 (straight flush): how many there are of each gives the bounds. */
int category_of(uint32_t strength);

#endif
