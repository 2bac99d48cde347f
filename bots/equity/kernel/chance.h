/* Chance: a stream of random numbers from a seed, and drawing by weight from it.

   xoshiro256++ 1.0 by Blackman and Vigna (2019), seeded by splitmix64. A number below n is the high word of
   64 random bits times n, and the low word is the bits for the next one. Of all that 64 bits decide, N outcomes in all,
   some are likelier than others by at most N / 2^64; what is asked of one word here stays below 2^38. */
#ifndef CROUPIER_CHANCE_H
#define CROUPIER_CHANCE_H

#include <stdint.h>

typedef struct {
    uint64_t s0, s1, s2, s3;
} Chance;

static inline uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline Chance chance_from(uint64_t seed) {
    Chance chance;
    chance.s0 = splitmix64(&seed);
    chance.s1 = splitmix64(&seed);
    chance.s2 = splitmix64(&seed);
    chance.s3 = splitmix64(&seed);
    return chance;
}

/* Sampling is given up where, after the first millions of tries, fewer than one in RARE was a possible deal: so a call
   ends within seconds whatever it is asked, also where nobody can tell it to stop. */
enum { PATIENCE = 1 << 22, RARE = 4096 };

static inline int hopeless(uint64_t tries, uint64_t dealt) { return tries > PATIENCE + RARE * dealt; }

static inline uint64_t rotated(uint64_t bits, int by) { return bits << by | bits >> (64 - by); }

static inline uint64_t random64(Chance *chance) {
    uint64_t result = rotated(chance->s0 + chance->s3, 23) + chance->s0;
    uint64_t t = chance->s1 << 17;
    chance->s2 ^= chance->s0;
    chance->s3 ^= chance->s1;
    chance->s1 ^= chance->s2;
    chance->s0 ^= chance->s3;
    chance->s2 ^= t;
    chance->s3 = rotated(chance->s3, 45);
    return result;
}

static inline uint32_t below(uint64_t *bits, uint32_t n) {
    unsigned __int128 product = (unsigned __int128)*bits * n;
    *bits = (uint64_t)product;
    return (uint32_t)(product >> 64);
}

static inline uint32_t one_below(Chance *chance, uint32_t n) {
    uint64_t bits = random64(chance);
    return below(&bits, n);
}

/* The alias method (Vose 1991): entry i is kept if 32 random bits are under `keep[i]`, else its alias is taken. */
typedef struct {
    uint32_t keep;
    uint32_t alias;
} Alias;

/* Fill `aliases` for `n` weights, of which one is positive; 0 if memory is short. */
int make_aliases(Alias *aliases, const double *weights, uint32_t n);

/* `bits` are used up. */
static inline uint32_t drawn_by_weight(const Alias *aliases, uint32_t n, uint64_t bits) {
    uint32_t index = below(&bits, n);
    return (uint32_t)(bits >> 32) < aliases[index].keep ? index : aliases[index].alias;
}

#endif
