#include "cards.h"

#include <string.h>

enum { MAGIC = 8, WEIGHTS = 13 * 4, HEADER = 64 };

Tables tables;
uint32_t rank_weight[16];
Cards card_of[64];

static uint32_t little_endian32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

int load_tables(const uint8_t *bytes, int64_t size) {
    if (size != HEADER + (int64_t)sizeof tables || memcmp(bytes, "CRPQ0001", MAGIC) != 0) return 0;
    for (int rank = 0; rank < 13; rank++) rank_weight[rank] = little_endian32(bytes + MAGIC + 4 * rank);
    uint16_t *entry = (uint16_t *)&tables;
    const uint8_t *at = bytes + HEADER;
    for (size_t i = 0; i < sizeof tables / 2; i++, at += 2) entry[i] = (uint16_t)(at[0] | at[1] << 8);
    for (int card = 0; card < DECK; card++) {
        int rank = card >> 2, suit = card & 3;
        card_of[card].key = (uint64_t)rank_weight[rank] << 32 | UINT64_C(1) << (4 * suit);
        card_of[card].set = UINT64_C(1) << (16 * suit + rank);
    }
    return 1;
}

int cards_without(uint64_t known, int *cards) {
    int n = 0;
    for (int card = 0; card < DECK; card++)
        if (!(card_of[card].set & known)) cards[n++] = card;
    return n;
}

int live_cards(uint64_t known, Cards *live) {
    int cards[DECK], n = cards_without(known, cards);
    for (int i = 0; i < n; i++) live[i] = card_of[cards[i]];
    return n;
}

int category_of(uint32_t strength) {
    static const uint16_t last[CATEGORIES] = {1277, 4137, 4995, 5853, 5863, 7140, 7296, 7452, STRENGTHS};
    int category = 0;
    while (strength > last[category]) category++;
    return category;
}
