/* The wide path, which looks nothing up in memory but the combos of ranges: 64 hands are dealt at a time, one to a byte,
   and judged 32 at a time, one to a word of 16 bits, by arithmetic on sets of ranks.

   Dealing. A card is drawn as a number r below the n that are left: 16 random bits x make two draws, the high half of
   x * n and that of (what is left of x) * (n - 1); hands whose bits are in the uneven remainder are not counted
   (Lemire 2019), so that every deal is exactly as likely as any other. Which of the cards left is the r-th: with each
   card drawn before goes a threshold t, and the card's place in the whole deck is r + how many t are <= r; the new
   card's own threshold is r, and those above it sink by one. Players with ranges choose first; what they hold counts as
   drawn before, and deals in which two of them hold the same card are not counted.

   Judging. `seen[k]` is the set of ranks that are there more than k times; what a hand is follows from these four
   sets. At most one suit can make a flush, the one that three of the board have: bit by bit the majority of the
   board's five suits. A hand is three words, compared one after the other: category, main ranks, kickers. */
#include "wide.h"

#include "cards.h"
#include "chance.h"

/* Clang, which calls itself GNUC too, does not heed the pragma below: what it compiles takes the portable path. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt,bmi,bmi2")
#include <immintrin.h>

typedef __m512i Wide;

enum { HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH };

typedef struct {
    Wide s0, s1, s2, s3;
} WideChance;

static inline Wide wide_random(WideChance *chance) {
    Wide result = _mm512_add_epi64(_mm512_rol_epi64(_mm512_add_epi64(chance->s0, chance->s3), 23), chance->s0);
    Wide t = _mm512_slli_epi64(chance->s1, 17);
    chance->s2 = _mm512_xor_si512(chance->s2, chance->s0);
    chance->s3 = _mm512_xor_si512(chance->s3, chance->s1);
    chance->s1 = _mm512_xor_si512(chance->s1, chance->s2);
    chance->s0 = _mm512_xor_si512(chance->s0, chance->s3);
    chance->s2 = _mm512_xor_si512(chance->s2, t);
    chance->s3 = _mm512_rol_epi64(chance->s3, 45);
    return result;
}

static WideChance wide_chance_from(uint64_t seed) {
    uint64_t lanes[4][8];
    for (int lane = 0; lane < 8; lane++)
        for (int word = 0; word < 4; word++) lanes[word][lane] = splitmix64(&seed);
    return (WideChance){_mm512_loadu_si512(lanes[0]), _mm512_loadu_si512(lanes[1]), _mm512_loadu_si512(lanes[2]),
                        _mm512_loadu_si512(lanes[3])};
}

/* One number below n from 32 words of bits; what is left of the bits stays in them. */
static inline Wide words_below(Wide *bits, int n) {
    Wide many = _mm512_set1_epi16((short)n);
    Wide number = _mm512_mulhi_epu16(*bits, many);
    *bits = _mm512_mullo_epi16(*bits, many);
    return number;
}

/* Words that are zero in some lane sooner or later: where the bits left fall into the uneven remainder. */
static inline Wide even_so_far(Wide even, Wide bits, int outcomes) {
    int uneven = 65536 % outcomes;
    if (!uneven) return even;
    return _mm512_min_epu16(even, _mm512_subs_epu16(bits, _mm512_set1_epi16((short)(uneven - 1))));
}

typedef struct {
    Wide seen[4];
    Wide of_suit; /* the ranks that the hand has of the board's suit */
} Ranks;

typedef struct {
    Wide category, main, kickers;
} Judged;

static inline Wide and3(Wide a, Wide b, Wide c) { return _mm512_ternarylogic_epi64(a, b, c, 0x80); }
static inline Wide or3(Wide a, Wide b, Wide c) { return _mm512_ternarylogic_epi64(a, b, c, 0xfe); }
static inline Wide or_and(Wide a, Wide b, Wide c) { return _mm512_ternarylogic_epi64(a, b, c, 0xf8); } /* a | (b & c) */
static inline Wide majority(Wide a, Wide b, Wide c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }
static inline Wide odd(Wide a, Wide b, Wide c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

static inline void add_ranks(Ranks *ranks, Wide rank, Wide of_suit) {
    ranks->seen[3] = or_and(ranks->seen[3], ranks->seen[2], rank);
    ranks->seen[2] = or_and(ranks->seen[2], ranks->seen[1], rank);
    ranks->seen[1] = or_and(ranks->seen[1], ranks->seen[0], rank);
    ranks->seen[0] = _mm512_or_si512(ranks->seen[0], rank);
    ranks->of_suit = _mm512_or_si512(ranks->of_suit, of_suit);
}

/* Without the lowest rank of each set. */
static inline Wide less_one(Wide set) { return _mm512_and_si512(set, _mm512_add_epi16(set, _mm512_set1_epi16(-1))); }

/* The highest card of the best straight in each set, a place above its rank; none where there is no straight. */
static inline Wide straights(Wide set) {
    Wide ranks = _mm512_or_si512(_mm512_slli_epi16(set, 1), _mm512_srli_epi16(set, 12));
    Wide runs = _mm512_and_si512(ranks, _mm512_slli_epi16(ranks, 1));
    runs = and3(runs, _mm512_slli_epi16(runs, 2), _mm512_slli_epi16(ranks, 4));
    return _mm512_andnot_si512(_mm512_srli_epi16(runs, 1), runs);
}

static inline __attribute__((always_inline)) Judged judged(const Ranks *ranks) {
    const Wide once = ranks->seen[0], twice = ranks->seen[1], thrice = ranks->seen[2], suited = ranks->of_suit;
    Judged hand;
    /* None, one or two pairs, the lowest of three left out; trips alone are one "pair" of the same rank. */
    Wide pairs = _mm512_popcnt_epi16(twice);
    __mmask32 three_pairs = _mm512_cmpeq_epi16_mask(pairs, _mm512_set1_epi16(3));
    hand.category = _mm512_min_epu16(pairs, _mm512_set1_epi16(TWO_PAIR));
    hand.main = _mm512_mask_mov_epi16(twice, three_pairs, less_one(twice));
    Wide others = less_one(_mm512_andnot_si512(hand.main, once));
    hand.kickers = _mm512_mask_mov_epi16(less_one(others), three_pairs, others);
    /* Trips, and the best pair beside the best of them. */
    __mmask32 trips = _mm512_test_epi16_mask(thrice, thrice);
    Wide best = less_one(thrice);
    best = _mm512_mask_mov_epi16(best, _mm512_testn_epi16_mask(best, best), thrice);
    Wide beside = _mm512_andnot_si512(best, twice), higher = less_one(beside);
    hand.category = _mm512_mask_mov_epi16(hand.category, trips, _mm512_set1_epi16(TRIPS));
    __mmask32 full = _mm512_mask_test_epi16_mask(trips, beside, beside);
    hand.category = _mm512_mask_mov_epi16(hand.category, full, _mm512_set1_epi16(FULL_HOUSE));
    hand.main = _mm512_mask_mov_epi16(hand.main, full, best);
    hand.kickers = _mm512_mask_mov_epi16(hand.kickers, full, beside);
    hand.kickers = _mm512_mask_mov_epi16(hand.kickers, _mm512_mask_test_epi16_mask(full, higher, higher), higher);
    /* Straights and flushes; a hand with either is no full house. */
    Wide run = straights(once);
    __mmask32 straight = _mm512_test_epi16_mask(run, run);
    hand.category = _mm512_mask_mov_epi16(hand.category, straight, _mm512_set1_epi16(STRAIGHT));
    hand.main = _mm512_mask_mov_epi16(hand.main, straight, run);
    hand.kickers = _mm512_maskz_mov_epi16((__mmask32)~straight, hand.kickers);
    Wide many = _mm512_popcnt_epi16(suited);
    __mmask32 flush = _mm512_cmpge_epu16_mask(many, _mm512_set1_epi16(5));
    Wide five = _mm512_mask_mov_epi16(suited, _mm512_cmpge_epu16_mask(many, _mm512_set1_epi16(6)), less_one(suited));
    five = _mm512_mask_mov_epi16(five, _mm512_cmpge_epu16_mask(many, _mm512_set1_epi16(7)), less_one(five));
    hand.category = _mm512_mask_mov_epi16(hand.category, flush, _mm512_set1_epi16(FLUSH));
    hand.main = _mm512_mask_mov_epi16(hand.main, flush, five);
    hand.kickers = _mm512_maskz_mov_epi16((__mmask32)~flush, hand.kickers);
    if (__builtin_expect((flush & straight) != 0, 0)) {
        run = straights(suited);
        __mmask32 both = _mm512_mask_test_epi16_mask(flush, run, run);
        hand.category = _mm512_mask_mov_epi16(hand.category, both, _mm512_set1_epi16(STRAIGHT_FLUSH));
        hand.main = _mm512_mask_mov_epi16(hand.main, both, run);
    }
    __mmask32 quads = _mm512_test_epi16_mask(ranks->seen[3], ranks->seen[3]);
    if (__builtin_expect(quads != 0, 0)) {
        Wide kicker = _mm512_andnot_si512(ranks->seen[3], once);
        for (int more = 0; more < 2; more++) {
            Wide less = less_one(kicker);
            kicker = _mm512_mask_mov_epi16(kicker, _mm512_test_epi16_mask(less, less), less);
        }
        hand.category = _mm512_mask_mov_epi16(hand.category, quads, _mm512_set1_epi16(QUADS));
        hand.main = _mm512_mask_mov_epi16(hand.main, quads, ranks->seen[3]);
        hand.kickers = _mm512_mask_mov_epi16(hand.kickers, quads, kicker);
    }
    return hand;
}

enum { MOST_CARDS = 5 + 2 * MOST_PLAYERS };

/* A range: of each combo, in four bytes, the codes of its cards and their places in the deck. */
typedef struct {
    int n;
    const Alias *aliases;
    uint32_t combo[COMBOS];
} Choices;

/* The shape of a deal, as vectors. The cards of a deal are those of the ranges, two a range, then those drawn. */
typedef struct {
    int players, ranges, drawn;
    Choices *choices;
    Wide deck;               /* the live cards' codes, suit << 4 | rank, by their place */
    int live;
    int holes[9][2];         /* where a hole card's code is: the cards of the deal first, then those known */
    int board[5];
    Wide known[MOST_CARDS];
    int known_count;
} Shape;

static int code_of(int card) { return (card & 3) << 4 | card >> 2; }

static int place_of(Shape *shape, int card, int *next) {
    if (card < 0) return (*next)++;
    shape->known[shape->known_count] = _mm512_set1_epi8((char)code_of(card));
    return MOST_CARDS + shape->known_count++;
}

static void make_choices(Choices *choices, const WideRange *range, const uint8_t *place) {
    choices->n = (int)range->n;
    choices->aliases = range->aliases;
    for (uint32_t i = 0; i < range->n; i++) {
        int a = range->cards[i][0], b = range->cards[i][1];
        choices->combo[i] = (uint32_t)(code_of(a) | code_of(b) << 8 | place[a] << 16 | place[b] << 24);
    }
}

/* Fill a shape; its choices have room for all ranges. */
static void make_shape(const WideSpot *spot, Shape *shape) {
    uint8_t deck[64] = {0}, place[DECK] = {0};
    for (int i = 0; i < spot->live_count; i++) {
        deck[i] = (uint8_t)code_of(spot->live[i]);
        place[spot->live[i]] = (uint8_t)i;
    }
    shape->players = spot->players;
    shape->deck = _mm512_loadu_si512(deck);
    for (int player = 0; player < spot->players; player++) {
        if (!spot->ranges[player].n) continue;
        make_choices(&shape->choices[shape->ranges], &spot->ranges[player], place);
        for (int i = 0; i < 2; i++) shape->holes[player][i] = 2 * shape->ranges + i;
        shape->ranges++;
    }
    int next = 2 * shape->ranges;
    for (int i = 0; i < 5; i++)
        shape->board[i] = place_of(shape, i < spot->board_count ? spot->board[i] : -1, &next);
    for (int player = 0; player < spot->players; player++)
        for (int i = 0; i < 2 && !spot->ranges[player].n; i++)
            shape->holes[player][i] = place_of(shape, spot->holes[player][i], &next);
    shape->drawn = next - 2 * shape->ranges;
    shape->live = spot->live_count - 2 * shape->ranges;
}

static inline Wide dwords(Wide words, int high) {
    return _mm512_cvtepu16_epi32(high ? _mm512_extracti64x4_epi64(words, 1) : _mm512_castsi512_si256(words));
}

/* Byte `field` of 64 fields of four bytes. */
static inline Wide bytes_of(const Wide *fields, int field) {
    static const uint8_t place[64] = {0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
                                      64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
    Wide from = _mm512_add_epi8(_mm512_loadu_si512(place), _mm512_set1_epi8((char)field));
    Wide low = _mm512_permutex2var_epi8(fields[0], from, fields[1]);
    Wide high = _mm512_permutex2var_epi8(fields[2], from, fields[3]);
    return _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1);
}

/* Choose a combo for each of 64 hands: its two cards' codes, and their places. The hands that count. */
static inline uint64_t choose(WideChance *chance, const Choices *choices, Wide *codes, Wide *places) {
    Wide bits[2] = {wide_random(chance), wide_random(chance)}, chosen[4];
    uint64_t counted = 0;
    for (int i = 0; i < 2; i++) {
        Wide number = words_below(&bits[i], choices->n);
        Wide even = even_so_far(_mm512_set1_epi8(-1), bits[i], choices->n);
        counted |= (uint64_t)_mm512_test_epi16_mask(even, even) << (32 * i);
        for (int high = 0; high < 2; high++) {
            Wide at = dwords(number, high);
            if (choices->aliases) {
                Wide keep = _mm512_i32gather_epi32(at, &choices->aliases->keep, 8);
                Wide alias = _mm512_i32gather_epi32(at, &choices->aliases->alias, 8);
                at = _mm512_mask_mov_epi32(alias, _mm512_cmplt_epu32_mask(wide_random(chance), keep), at);
            }
            chosen[2 * i + high] = _mm512_i32gather_epi32(at, choices->combo, 4);
        }
    }
    for (int card = 0; card < 2; card++) {
        codes[card] = bytes_of(chosen, card);
        places[card] = bytes_of(chosen, 2 + card);
    }
    return counted;
}

/* The thresholds of cards at given places: each place less the number of places below it. The hands that count. */
static inline uint64_t thresholds_of(const Wide *place, int n, Wide *threshold) {
    const Wide one = _mm512_set1_epi8(1);
    uint64_t counted = ~UINT64_C(0);
    for (int i = 0; i < n; i++) {
        threshold[i] = place[i];
        for (int j = 0; j < n; j++) {
            if (j < i) counted &= _mm512_cmpneq_epi8_mask(place[i], place[j]);
            if (j != i)
                threshold[i] = _mm512_mask_sub_epi8(threshold[i], _mm512_cmplt_epu8_mask(place[j], place[i]),
                                                    threshold[i], one);
        }
    }
    return counted;
}

/* Choose and draw the cards of 64 hands; the hands that count. */
static inline __attribute__((always_inline)) uint64_t deal(WideChance *chance, const Shape *shape, int ranges,
                                                           int drawn, Wide *cards) {
    const Wide one = _mm512_set1_epi8(1), all = _mm512_set1_epi8(-1);
    Wide even_low = all, even_high = all, threshold[MOST_CARDS];
    uint64_t counted = ~UINT64_C(0);
    if (ranges) {
        Wide place[2 * MOST_PLAYERS];
        for (int r = 0; r < ranges; r++)
            counted &= choose(chance, &shape->choices[r], &cards[2 * r], &place[2 * r]);
        counted &= thresholds_of(place, 2 * ranges, threshold);
    }
    const int first = 2 * ranges, end = first + drawn;
    for (int i = first; i < end; i += 2) {
        Wide low = wide_random(chance), high = wide_random(chance);
        int pair = i + 1 < end, left = shape->live - (i - first);
        cards[i] = _mm512_packus_epi16(words_below(&low, left), words_below(&high, left));
        if (pair) cards[i + 1] = _mm512_packus_epi16(words_below(&low, left - 1), words_below(&high, left - 1));
        even_low = even_so_far(even_low, low, pair ? left * (left - 1) : left);
        even_high = even_so_far(even_high, high, pair ? left * (left - 1) : left);
    }
    for (int i = first; i < end; i++) {
        Wide number = cards[i], place = number;
        for (int j = 0; j < i; j++) {
            __mmask64 reached = _mm512_cmpge_epu8_mask(number, threshold[j]);
            place = _mm512_mask_add_epi8(place, reached, place, one);
            threshold[j] = _mm512_mask_sub_epi8(threshold[j], ~reached, threshold[j], one);
        }
        threshold[i] = number;
        cards[i] = _mm512_permutexvar_epi8(place, shape->deck);
    }
    Wide low = _mm512_movm_epi16(_mm512_test_epi16_mask(even_low, even_low));
    Wide high = _mm512_movm_epi16(_mm512_test_epi16_mask(even_high, even_high));
    return counted & _mm512_movepi8_mask(_mm512_packs_epi16(low, high));
}

static inline Wide half(Wide bytes, int high) {
    return _mm512_cvtepu8_epi16(high ? _mm512_extracti64x4_epi64(bytes, 1) : _mm512_castsi512_si256(bytes));
}

static inline Wide rank_set(Wide codes) {
    return _mm512_sllv_epi16(_mm512_set1_epi16(1), _mm512_and_si512(codes, _mm512_set1_epi16(15)));
}

/* Their ranks where their suit is the board's: a shift by 16 and more leaves nothing. */
static inline Wide suited_set(Wide codes, Wide suit) {
    return _mm512_sllv_epi16(_mm512_set1_epi16(1), _mm512_xor_si512(codes, suit));
}

static inline void add_card(Ranks *ranks, Wide codes, Wide suit) {
    add_ranks(ranks, rank_set(codes), suited_set(codes, suit));
}

/* The suit of at least three of five cards, where there is one; else some suit that two of them have at most. */
static inline Wide flush_suit(const Wide *board) {
    Wide sum = odd(board[0], board[1], board[2]), carry = majority(board[0], board[1], board[2]);
    Wide more = majority(sum, board[3], board[4]);
    sum = odd(sum, board[3], board[4]);
    return _mm512_and_si512(majority(carry, more, sum), _mm512_set1_epi8(0x30));
}

static inline __mmask32 better(const Judged *a, const Judged *b, __mmask32 *equal) {
    __mmask32 more = _mm512_cmpgt_epu16_mask(a->category, b->category);
    __mmask32 same = _mm512_cmpeq_epi16_mask(a->category, b->category);
    more |= _mm512_mask_cmpgt_epu16_mask(same, a->main, b->main);
    same = _mm512_mask_cmpeq_epi16_mask(same, a->main, b->main);
    more |= _mm512_mask_cmpgt_epu16_mask(same, a->kickers, b->kickers);
    *equal = _mm512_mask_cmpeq_epi16_mask(same, a->kickers, b->kickers);
    return more;
}

/* Count who wins 32 of the hands, those in `counted`. */
static inline __attribute__((always_inline)) void judge(const Shape *shape, int players, const Wide *cards,
                                                        const Wide *board, Wide suit, int high, __mmask32 counted,
                                                        uint64_t *counts) {
    Wide of_suit = half(suit, high), none = _mm512_setzero_si512();
    Ranks common = {{none, none, none, none}, none};
    for (int i = 0; i < 5; i++) add_card(&common, half(board[i], high), of_suit);
    Judged best = {none, none, none};
    __mmask32 winners[9];
    for (int player = 0; player < players; player++) {
        Ranks own = common;
        for (int i = 0; i < 2; i++) {
            int at = shape->holes[player][i];
            add_card(&own, half(at < MOST_CARDS ? cards[at] : shape->known[at - MOST_CARDS], high), of_suit);
        }
        Judged hand = judged(&own);
        __mmask32 equal, more = better(&hand, &best, &equal);
        if (!player) more = counted;
        for (int other = 0; other < player; other++) winners[other] &= ~more;
        winners[player] = more | equal;
        best.category = _mm512_mask_mov_epi16(best.category, more, hand.category);
        best.main = _mm512_mask_mov_epi16(best.main, more, hand.main);
        best.kickers = _mm512_mask_mov_epi16(best.kickers, more, hand.kickers);
    }
    __mmask32 once = 0, again = 0;
    for (int player = 0; player < players; player++) {
        winners[player] &= counted;
        again |= once & winners[player];
        once |= winners[player];
    }
    for (int player = 0; player < players; player++)
        counts[player * players] += (uint64_t)__builtin_popcount(winners[player] & ~again);
    while (again) {
        __mmask32 hand = again & -again;
        int among = 0;
        for (int player = 0; player < players; player++) among += (winners[player] & hand) != 0;
        for (int player = 0; player < players; player++)
            if (winners[player] & hand) counts[player * players + among - 1]++;
        again ^= hand;
    }
}

static inline __attribute__((always_inline)) int sample(const Shape *shape, int players, int ranges, int drawn,
                                                        uint64_t seed, uint64_t samples, uint64_t *counts) {
    WideChance chance = wide_chance_from(seed);
    for (uint64_t tries = 0, dealt = 0; samples; tries += 64) {
        Wide cards[MOST_CARDS], board[5];
        uint64_t counted = deal(&chance, shape, ranges, drawn, cards);
        uint64_t many = (uint64_t)__builtin_popcountll(counted);
        dealt += many;
        if (hopeless(tries, dealt)) return 0;
        if (many > samples) {
            counted = _pdep_u64((UINT64_C(1) << samples) - 1, counted);
            many = samples;
        }
        samples -= many;
        for (int i = 0; i < 5; i++) {
            int at = shape->board[i];
            board[i] = at < MOST_CARDS ? cards[at] : shape->known[at - MOST_CARDS];
        }
        Wide suit = flush_suit(board);
        judge(shape, players, cards, board, suit, 0, (__mmask32)counted, counts);
        judge(shape, players, cards, board, suit, 1, (__mmask32)(counted >> 32), counts);
    }
    return 1;
}

int wide_sample(const WideSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts) {
    Choices choices[MOST_PLAYERS];
    Shape shape = {.choices = choices};
    make_shape(spot, &shape);
    int dealt;
    if (shape.players == 2 && !shape.ranges && shape.drawn == 7)
        dealt = sample(&shape, 2, 0, 7, seed, samples, counts);
    else if (shape.players == 2 && shape.ranges == 1 && shape.drawn == 2)
        dealt = sample(&shape, 2, 1, 2, seed, samples, counts);
    else
        dealt = sample(&shape, shape.players, shape.ranges, shape.drawn, seed, samples, counts);
    return dealt;
}

#pragma GCC pop_options

int wide_is_there(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi2");
}

#else

int wide_sample(const WideSpot *spot, uint64_t seed, uint64_t samples, uint64_t *counts) {
    (void)spot, (void)seed, (void)samples, (void)counts;
    return 0;
}

int wide_is_there(void) { return 0; }

#endif
