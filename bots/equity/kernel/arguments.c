#include "arguments.h"

#include <stdlib.h>
#include <string.h>

void *wrong(const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

int read_cards(Given given, uint64_t known, Cards *cards) {
    *cards = no_cards();
    for (Py_ssize_t i = 0; i < given.n; i++) {
        uint8_t card = (uint8_t)given.bytes[i];
        if (card >= DECK) return wrong("a card is a number from 0 to 51"), 0;
        if (card_of[card].set & (known | cards->set)) return wrong("a card is there twice"), 0;
        *cards = with_card(*cards, card);
    }
    return 1;
}

static double double_at(const char *bytes, Py_ssize_t i) {
    double number;
    memcpy(&number, bytes + i * (Py_ssize_t)sizeof number, sizeof number);
    return number;
}

/* The bytes of `n` weights of which all are positive and finite, or NULL for None. */
static int read_weights(PyObject *object, Py_ssize_t n, const char **weights) {
    *weights = NULL;
    if (object == Py_None) return 1;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return 0;
    if (size != n * (Py_ssize_t)sizeof(double)) return wrong("there is one weight of 8 bytes for each"), 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double weight = double_at(bytes, i);
        if (!(weight > 0 && weight < 1e300)) return wrong("a weight is positive and finite"), 0;
    }
    *weights = bytes;
    return 1;
}

static int alias(Alias **aliases, const double *weights, uint32_t n) {
    if (!weights) return 1;
    *aliases = malloc(n * sizeof **aliases);
    if (*aliases && make_aliases(*aliases, weights, n)) return 1;
    return PyErr_NoMemory(), 0;
}

/* Hold'em */

static void free_player(Player *player) {
    free(player->cards);
    free(player->combos);
    free(player->places);
    free(player->weights);
    free(player->aliases);
    *player = (Player){0};
}

void free_players(HoldemSpot *spot) {
    for (int p = 0; p < spot->players; p++) free_player(&spot->player[p]);
}

static int allocate(Player *player, uint32_t n, int weighted) {
    player->cards = malloc(n * sizeof *player->cards);
    player->combos = malloc(n * sizeof *player->combos);
    player->places = malloc(n * sizeof *player->places);
    player->weights = weighted ? malloc(n * sizeof *player->weights) : NULL;
    if (player->cards && player->combos && player->places && (player->weights || !weighted)) return 1;
    PyErr_NoMemory();
    return 0;
}

static void add_combo(Player *player, uint32_t place, int a, int b, double weight) {
    player->cards[player->n][0] = (uint8_t)a;
    player->cards[player->n][1] = (uint8_t)b;
    player->combos[player->n] = with(card_of[a], card_of[b]);
    player->places[player->n] = (uint16_t)place;
    if (player->weights) player->weights[player->n] = weight;
    player->n++;
}

static int read_player(PyObject *object, uint64_t known, Player *player) {
    if (object == Py_None) {
        player->random = 1;
        return 1;
    }
    char *bytes;
    Py_ssize_t size;
    const char *weights;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2)
        return wrong("a player is None or a tuple of combos and weights"), 0;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(object, 0), &bytes, &size) < 0) return 0;
    if (size % 2 || size == 0 || size > 2 * COMBOS) return wrong("a range has 1 to 1326 combos of two cards"), 0;
    if (!read_weights(PyTuple_GetItem(object, 1), size / 2, &weights)) return 0;
    if (!allocate(player, (uint32_t)(size / 2), weights != NULL)) return 0;
    for (Py_ssize_t i = 0; i < size / 2; i++) {
        const char *combo = bytes + 2 * i;
        Cards cards;
        if (!read_cards((Given){combo, 2}, 0, &cards)) return 0;
        if (cards.set & known) continue;
        add_combo(player, (uint32_t)i, combo[0], combo[1], weights ? double_at(weights, i) : 1.0);
    }
    return 1;
}

static void remove_combos(Player *player, uint64_t set) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < player->n; i++) {
        if (player->combos[i].set & set) continue;
        player->combos[n] = player->combos[i];
        memcpy(player->cards[n], player->cards[i], 2);
        player->places[n] = player->places[i];
        if (player->weights) player->weights[n] = player->weights[i];
        n++;
    }
    player->n = n;
}

/* Take away the combos that a player with a single combo rules out, as often as that leaves one more. */
static int settle_combos(HoldemSpot *spot) {
    int settled[MOST_PLAYERS] = {0};
    for (int again = 1; again;) {
        again = 0;
        for (int p = 0; p < spot->players; p++) {
            const Player *one = &spot->player[p];
            if (one->random) continue;
            if (one->n == 0) return wrong("no deal is possible: a player has no combo left"), 0;
            if (one->n > 1 || settled[p]) continue;
            settled[p] = again = 1;
            for (int other = 0; other < spot->players; other++)
                if (other != p) remove_combos(&spot->player[other], one->combos[0].set);
        }
    }
    return 1;
}

int read_players(PyObject *players, Given board, Given dead, HoldemSpot *spot) {
    Py_ssize_t n = PySequence_Size(players);
    Cards on_board, gone;
    if (n < 0) return 0;
    if (n < 2 || n > MOST_PLAYERS) return wrong("there are 2 to 9 players"), 0;
    if (board.n != 0 && (board.n < 3 || board.n > 5)) return wrong("a board has 0, 3, 4 or 5 cards"), 0;
    if (!read_cards(board, 0, &on_board) || !read_cards(dead, on_board.set, &gone)) return 0;
    if (dead.n + 2 * n + 5 > DECK) return wrong("there are not enough cards for a deal"), 0;
    spot->known = on_board.set | gone.set;
    spot->board_count = (int)board.n;
    for (int i = 0; i < spot->board_count; i++) spot->board[i] = board.bytes[i];
    while (spot->players < n) {
        PyObject *object = PySequence_GetItem(players, spot->players);
        int read = object && read_player(object, spot->known, &spot->player[spot->players]);
        Py_XDECREF(object);
        spot->players++;
        if (!read) return 0;
    }
    return settle_combos(spot);
}

int alias_players(HoldemSpot *spot) {
    for (int p = 0; p < spot->players; p++) {
        Player *player = &spot->player[p];
        if (!alias(&player->aliases, player->weights, player->n)) return 0;
    }
    return 1;
}

int spread_players(HoldemSpot *spot) {
    for (int p = 0; p < spot->players; p++) {
        Player *player = &spot->player[p];
        if (!player->random) continue;
        *player = (Player){0};
        if (!allocate(player, COMBOS, 0)) return 0;
        uint32_t place = 0;
        for (int b = 0; b < DECK; b++)
            for (int a = 0; a < b; a++, place++)
                if (!((card_of[a].set | card_of[b].set) & spot->known)) add_combo(player, place, a, b, 1.0);
    }
    return 1;
}

/* Five-card draw */

int read_own(Given kept, Given dead, DrawSpot *spot) {
    Cards gone;
    if (kept.n < 2 || kept.n > 5) return wrong("two to five cards are kept"), 0;
    if (!read_cards(kept, 0, &spot->kept) || !read_cards(dead, spot->kept.set, &gone)) return 0;
    if (dead.n + 5 * (1 + spot->opponents) > DECK) return wrong("there are not enough cards for a deal"), 0;
    spot->draws = (int)(5 - kept.n);
    spot->known = spot->kept.set | gone.set;
    return 1;
}

static int read_goes_on(PyObject *object, Opponent *opponent) {
    char *bytes;
    Py_ssize_t size;
    if (object == Py_None) return 1;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return 0;
    if (size != sizeof opponent->goes_on) return wrong("goes_on has one probability of 8 bytes a category"), 0;
    memcpy(opponent->goes_on, bytes, sizeof opponent->goes_on);
    double most = 0;
    for (int category = 0; category < CATEGORIES; category++) {
        double often = opponent->goes_on[category];
        if (!(often >= 0 && often <= 1)) return wrong("goes_on holds probabilities from 0 to 1"), 0;
        most = often > most ? often : most;
    }
    opponent->picky = 1;
    return most > 0 ? 1 : (wrong("an opponent goes on with something"), 0);
}

/* What is kept in an entry comes first. */
static int read_entry(const char *entry, Cards *cards) {
    int many = 0;
    while (many < 5 && (uint8_t)entry[many] != TO_DRAW) many++;
    for (int c = many; c < 5; c++)
        if ((uint8_t)entry[c] != TO_DRAW) return wrong("the cards to be drawn come last in an entry"), 0;
    return read_cards((Given){entry, many}, 0, cards);
}

int read_opponent(PyObject *object, uint64_t known, Opponent *opponent) {
    if (object == Py_None) return 1;
    char *bytes;
    Py_ssize_t size;
    const char *weights;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 3)
        return wrong("an opponent is None or a tuple of entries, weights and goes_on"), 0;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(object, 0), &bytes, &size) < 0) return 0;
    if (size % 5 || size == 0) return wrong("an entry has five bytes"), 0;
    Py_ssize_t n = size / 5;
    if (!read_weights(PyTuple_GetItem(object, 1), n, &weights)) return 0;
    if (!read_goes_on(PyTuple_GetItem(object, 2), opponent)) return 0;
    opponent->kept = malloc((size_t)size);
    opponent->weights = weights ? malloc((size_t)n * sizeof *opponent->weights) : NULL;
    if (!opponent->kept || (weights && !opponent->weights)) return PyErr_NoMemory(), 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        Cards cards;
        if (!read_entry(bytes + 5 * i, &cards)) return 0;
        if (cards.set & known) continue;
        if (weights) opponent->weights[opponent->n] = double_at(weights, i);
        memcpy(opponent->kept[opponent->n++], bytes + 5 * i, 5);
    }
    return opponent->n ? 1 : (wrong("no deal is possible: an opponent has nothing left to hold"), 0);
}

int alias_opponent(Opponent *opponent) { return alias(&opponent->aliases, opponent->weights, opponent->n); }

void free_opponents(DrawSpot *spot) {
    for (int o = 0; o < spot->opponents; o++) {
        free(spot->opponent[o].kept);
        free(spot->opponent[o].weights);
        free(spot->opponent[o].aliases);
    }
}
