/* bots.equity._kernel: the kernel as a Python module, in the limited API of Python 3.11. `_kernel.pyi` describes it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "holdem.h"
#include "wide.h"

static int loaded;

static void *wrong(const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

static int ready(void) {
    if (!loaded) PyErr_SetString(PyExc_RuntimeError, "load_tables comes first");
    return loaded;
}

/* The set of different cards, none of them in `known`; a ValueError otherwise. */
static int set_of(const uint8_t *cards, Py_ssize_t n, uint64_t known, uint64_t *set) {
    *set = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (cards[i] >= DECK) return wrong("a card is a number from 0 to 51"), 0;
        uint64_t card = card_of[cards[i]].set;
        if (card & (known | *set)) return wrong("a card is there twice"), 0;
        *set |= card;
    }
    return 1;
}

static Cards cards_of(const uint8_t *cards, Py_ssize_t n) {
    Cards all = no_cards();
    for (Py_ssize_t i = 0; i < n; i++) all = with_card(all, cards[i]);
    return all;
}

/* `n` weights of which all are positive and finite, or NULL for None; 0 with an error set. */
static int weights_of(PyObject *object, Py_ssize_t n, const double **weights) {
    *weights = NULL;
    if (object == Py_None) return 1;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return 0;
    if (size != n * (Py_ssize_t)sizeof(double)) return wrong("there is one weight of 8 bytes for each"), 0;
    *weights = (const double *)(const void *)bytes;
    for (Py_ssize_t i = 0; i < n; i++) {
        double weight;
        memcpy(&weight, bytes + i * (Py_ssize_t)sizeof weight, sizeof weight);
        if (!(weight > 0 && weight < 1e300)) return wrong("a weight is positive and finite"), 0;
    }
    return 1;
}

static Alias *aliases_of(const double *weights, uint32_t n) {
    Alias *aliases = malloc(n * sizeof *aliases);
    if (aliases && make_aliases(aliases, weights, n)) return aliases;
    free(aliases);
    return PyErr_NoMemory(), NULL;
}

static PyObject *as_list(const double *counts, int n, int whole) {
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *count = whole ? PyLong_FromDouble(counts[i]) : PyFloat_FromDouble(counts[i]);
        if (!count || PyList_SetItem(list, i, count) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *as_counts(const uint64_t *counts, int n) {
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *count = PyLong_FromUnsignedLongLong(counts[i]);
        if (!count || PyList_SetItem(list, i, count) < 0) Py_CLEAR(list);
    }
    return list;
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

static void free_players(HoldemSpot *spot) {
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

static int parse_player(PyObject *object, uint64_t known, Player *player) {
    if (object == Py_None) {
        player->random = 1;
        return 1;
    }
    char *bytes;
    Py_ssize_t size;
    const double *weights;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2)
        return wrong("a player is None or a tuple of combos and weights"), 0;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(object, 0), &bytes, &size) < 0) return 0;
    if (size % 2 || size == 0 || size > 2 * COMBOS) return wrong("a range has 1 to 1326 combos of two cards"), 0;
    if (!weights_of(PyTuple_GetItem(object, 1), size / 2, &weights)) return 0;
    if (!allocate(player, (uint32_t)(size / 2), weights != NULL)) return 0;
    for (Py_ssize_t i = 0; i < size / 2; i++) {
        const uint8_t *cards = (const uint8_t *)bytes + 2 * i;
        uint64_t set;
        if (!set_of(cards, 2, 0, &set)) return 0;
        if (!(set & known)) add_combo(player, (uint32_t)i, cards[0], cards[1], weights ? weights[i] : 1.0);
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

static int parse_spot(PyObject *players, const char *board, Py_ssize_t on_board, const char *dead, Py_ssize_t gone,
                      HoldemSpot *spot) {
    Py_ssize_t n = PySequence_Size(players);
    uint64_t board_set, dead_set;
    if (n < 0) return 0;
    if (n < 2 || n > MOST_PLAYERS) return wrong("there are 2 to 9 players"), 0;
    if (on_board != 0 && (on_board < 3 || on_board > 5)) return wrong("a board has 0, 3, 4 or 5 cards"), 0;
    if (!set_of((const uint8_t *)board, on_board, 0, &board_set)) return 0;
    if (!set_of((const uint8_t *)dead, gone, board_set, &dead_set)) return 0;
    if (gone + 2 * n + 5 > DECK) return wrong("there are not enough cards for a deal"), 0;
    spot->known = board_set | dead_set;
    spot->board_count = (int)on_board;
    for (int i = 0; i < on_board; i++) spot->board[i] = (uint8_t)board[i];
    for (spot->players = 0; spot->players < n;) {
        PyObject *object = PySequence_GetItem(players, spot->players);
        int parsed = object && parse_player(object, spot->known, &spot->player[spot->players]);
        Py_XDECREF(object);
        spot->players++;
        if (!parsed) return 0;
    }
    return settle_combos(spot);
}

static PyObject *py_holdem_sample(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *players;
    const char *board, *dead;
    Py_ssize_t on_board, gone;
    unsigned long long seed, samples;
    int wide, dealt = 0;
    HoldemSpot spot = {0};
    uint64_t counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    PyObject *list = NULL;
    if (!ready() || !PyArg_ParseTuple(args, "Oy#y#KKp", &players, &board, &on_board, &dead, &gone, &seed, &samples, &wide))
        return NULL;
    spot.wide = wide && wide_is_there();
    int parsed = parse_spot(players, board, on_board, dead, gone, &spot);
    for (int p = 0; parsed && p < spot.players; p++) {
        Player *player = &spot.player[p];
        if (player->weights) parsed = (player->aliases = aliases_of(player->weights, player->n)) != NULL;
    }
    if (parsed) {
        Py_BEGIN_ALLOW_THREADS;
        dealt = holdem_sample(&spot, seed, samples, counts);
        Py_END_ALLOW_THREADS;
        if (dealt)
            list = as_counts(counts, spot.players * spot.players);
        else
            PyErr_SetString(PyExc_RuntimeError, "no possible deal was found");
    }
    free_players(&spot);
    return list;
}

/* Give a player who may hold any two cards all of them. */
static int spread(Player *player, uint64_t known) {
    *player = (Player){0};
    if (!allocate(player, COMBOS, 0)) return 0;
    uint32_t place = 0;
    for (int b = 0; b < DECK; b++)
        for (int a = 0; a < b; a++, place++)
            if (!((card_of[a].set | card_of[b].set) & known)) add_combo(player, place, a, b, 1.0);
    return 1;
}

/* Put the players so that the sums are cheapest: one hand against any two cards, the shorter range first. */
static int arrange(HoldemSpot *spot, int *swapped) {
    Player *first = &spot->player[0], *second = &spot->player[1];
    if (spot->players == 2 && (first->random || (!second->random && second->n < first->n))) {
        Player swap = *first;
        *first = *second;
        *second = swap;
        *swapped = 1;
    }
    if (spot->players == 2 && !first->random && first->n == 1) return 1;
    for (int p = 0; p < spot->players; p++)
        if (spot->player[p].random && !spread(&spot->player[p], spot->known)) return 0;
    return 1;
}

static PyObject *py_holdem_exact(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *players, *list = NULL;
    const char *board, *dead;
    Py_ssize_t on_board, gone;
    HoldemSpot spot = {0};
    double counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    int swapped = 0, made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "Oy#y#", &players, &board, &on_board, &dead, &gone)) return NULL;
    if (parse_spot(players, board, on_board, dead, gone, &spot) && arrange(&spot, &swapped)) {
        Py_BEGIN_ALLOW_THREADS;
        made = holdem_exact(&spot, counts);
        Py_END_ALLOW_THREADS;
        if (swapped) {
            double first[2] = {counts[0], counts[1]};
            memcpy(counts, counts + 2, sizeof first);
            memcpy(counts + 2, first, sizeof first);
        }
        list = made ? as_list(counts, spot.players * spot.players, 0) : PyErr_NoMemory();
    }
    free_players(&spot);
    return list;
}

static PyObject *duels_of(PyObject *first, const Player *player, const Duel *duels) {
    Py_ssize_t n = first == Py_None ? COMBOS : PyBytes_Size(PyTuple_GetItem(first, 0)) / 2;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof *duels);
    if (!bytes) return NULL;
    char *out = PyBytes_AsString(bytes);
    memset(out, 0, (size_t)n * sizeof *duels);
    for (uint32_t i = 0; i < player->n; i++) memcpy(out + player->places[i] * sizeof *duels, &duels[i], sizeof *duels);
    return bytes;
}

/* The first player's combos come back in the order given; those that known cards rule out met nothing. */
static PyObject *py_holdem_duels(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *first, *second, *bytes = NULL;
    const char *board, *dead;
    Py_ssize_t on_board, gone;
    unsigned long long seed;
    unsigned int boards;
    HoldemSpot spot = {0};
    Duel *duels = NULL;
    int made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "OOy#y#KI", &first, &second, &board, &on_board, &dead, &gone, &seed, &boards))
        return NULL;
    PyObject *players = PyTuple_Pack(2, first, second);
    if (players && parse_spot(players, board, on_board, dead, gone, &spot)) {
        for (int p = 0; p < 2; p++)
            if (spot.player[p].random && !spread(&spot.player[p], spot.known)) goto done;
        duels = calloc(spot.player[0].n, sizeof *duels);
        Py_BEGIN_ALLOW_THREADS;
        made = duels && holdem_duels(&spot, seed, boards, duels);
        Py_END_ALLOW_THREADS;
        bytes = made ? duels_of(first, &spot.player[0], duels) : PyErr_NoMemory();
    }
done:
    free(duels);
    free_players(&spot);
    Py_XDECREF(players);
    return bytes;
}

/* Five-card draw */

static int parse_own(const char *kept, Py_ssize_t keeps, const char *dead, Py_ssize_t gone, DrawSpot *spot) {
    uint64_t kept_set, dead_set;
    if (keeps < 2 || keeps > 5) return wrong("two to five cards are kept"), 0;
    if (!set_of((const uint8_t *)kept, keeps, 0, &kept_set)) return 0;
    if (!set_of((const uint8_t *)dead, gone, kept_set, &dead_set)) return 0;
    spot->kept = cards_of((const uint8_t *)kept, keeps);
    spot->draws = (int)(5 - keeps);
    spot->known = kept_set | dead_set;
    if (gone + 5 * (1 + spot->opponents) > DECK) return wrong("there are not enough cards for a deal"), 0;
    return 1;
}

static int parse_goes_on(PyObject *object, Opponent *opponent) {
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

/* The entries that known cards do not rule out; what is kept comes first in each. */
static int parse_opponent(PyObject *object, uint64_t known, Opponent *opponent) {
    if (object == Py_None) return 1;
    char *bytes;
    Py_ssize_t size;
    const double *weights;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 3)
        return wrong("an opponent is None or a tuple of entries, weights and goes_on"), 0;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(object, 0), &bytes, &size) < 0) return 0;
    if (size % 5 || size == 0) return wrong("an entry has five bytes"), 0;
    Py_ssize_t n = size / 5;
    if (!weights_of(PyTuple_GetItem(object, 1), n, &weights)) return 0;
    if (!parse_goes_on(PyTuple_GetItem(object, 2), opponent)) return 0;
    uint8_t (*kept)[5] = malloc((size_t)size);
    opponent->kept = (const uint8_t (*)[5])kept;
    opponent->weights = weights ? malloc((size_t)n * sizeof(double)) : NULL;
    if (!kept || (weights && !opponent->weights)) return PyErr_NoMemory(), 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const uint8_t *entry = (const uint8_t *)bytes + 5 * i;
        int many = 0;
        uint64_t set;
        while (many < 5 && entry[many] != TO_DRAW) many++;
        for (int c = many; c < 5; c++)
            if (entry[c] != TO_DRAW) return wrong("the cards to be drawn come last in an entry"), 0;
        if (!set_of(entry, many, 0, &set)) return 0;
        if (set & known) continue;
        if (weights) opponent->weights[opponent->n] = weights[i];
        memcpy(kept[opponent->n++], entry, 5);
    }
    return opponent->n ? 1 : (wrong("no deal is possible: an opponent has nothing left to hold"), 0);
}

static void free_opponents(DrawSpot *spot) {
    for (int o = 0; o < spot->opponents; o++) {
        free((void *)spot->opponent[o].kept);
        free(spot->opponent[o].weights);
        free(spot->opponent[o].aliases);
    }
}

static PyObject *py_draw_sample(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *opponents, *list = NULL;
    const char *kept, *dead;
    Py_ssize_t keeps, gone;
    unsigned long long seed, samples;
    DrawSpot spot = {0};
    uint64_t counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    int dealt = 0;
    if (!ready() || !PyArg_ParseTuple(args, "y#Oy#KK", &kept, &keeps, &opponents, &dead, &gone, &seed, &samples))
        return NULL;
    Py_ssize_t n = PySequence_Size(opponents);
    if (n < 0) return NULL;
    if (n < 1 || n > MOST_OPPONENTS) return wrong("there are 1 to 5 opponents");
    spot.opponents = (int)n;
    int parsed = parse_own(kept, keeps, dead, gone, &spot);
    for (int o = 0; parsed && o < n; o++) {
        Opponent *opponent = &spot.opponent[o];
        PyObject *object = PySequence_GetItem(opponents, o);
        parsed = object && parse_opponent(object, spot.known, opponent);
        Py_XDECREF(object);
        if (parsed && opponent->weights)
            parsed = (opponent->aliases = aliases_of(opponent->weights, opponent->n)) != NULL;
    }
    if (parsed) {
        Py_BEGIN_ALLOW_THREADS;
        dealt = draw_sample(&spot, seed, samples, counts);
        Py_END_ALLOW_THREADS;
        if (dealt)
            list = as_counts(counts, (1 + spot.opponents) * (1 + spot.opponents));
        else
            PyErr_SetString(PyExc_RuntimeError, "no possible deal was found");
    }
    free_opponents(&spot);
    return list;
}

static PyObject *py_draw_exact(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *opponent, *list = NULL;
    const char *kept, *dead;
    Py_ssize_t keeps, gone;
    DrawSpot spot = {.opponents = 1};
    double counts[4] = {0};
    int made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "y#Oy#", &kept, &keeps, &opponent, &dead, &gone)) return NULL;
    if (parse_own(kept, keeps, dead, gone, &spot) && parse_opponent(opponent, spot.known, &spot.opponent[0])) {
        Py_BEGIN_ALLOW_THREADS;
        made = draw_exact(&spot, counts);
        Py_END_ALLOW_THREADS;
        list = made ? as_list(counts, 4, 0) : PyErr_NoMemory();
    }
    free_opponents(&spot);
    return list;
}

static PyObject *py_draw_outcomes(PyObject *self, PyObject *args) {
    (void)self;
    const char *kept, *dead;
    Py_ssize_t keeps, gone;
    DrawSpot spot = {0};
    uint64_t counts[CATEGORIES] = {0};
    if (!ready() || !PyArg_ParseTuple(args, "y#y#", &kept, &keeps, &dead, &gone)) return NULL;
    if (!parse_own(kept, keeps, dead, gone, &spot)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    draw_outcomes(spot.kept, spot.draws, spot.known, counts);
    Py_END_ALLOW_THREADS;
    return as_counts(counts, CATEGORIES);
}

/* Strengths */

static uint32_t strength_of(const uint8_t *cards, Py_ssize_t n) {
    if (n == 7) return strength7(cards_of(cards, 7));
    if (n == 5) return strength5(cards_of(cards, 5));
    uint32_t best = 0;
    for (int left_out = 0; left_out < 6; left_out++) {
        Cards five = no_cards();
        for (int i = 0; i < 6; i++)
            if (i != left_out) five = with_card(five, cards[i]);
        uint32_t strength = strength5(five);
        best = strength > best ? strength : best;
    }
    return best;
}

static PyObject *py_rank(PyObject *self, PyObject *object) {
    (void)self;
    char *cards;
    Py_ssize_t n;
    uint64_t set;
    if (!ready() || PyBytes_AsStringAndSize(object, &cards, &n) < 0) return NULL;
    if (n < 5 || n > 7) return wrong("five to seven cards have a strength");
    if (!set_of((const uint8_t *)cards, n, 0, &set)) return NULL;
    return PyLong_FromUnsignedLong(strength_of((const uint8_t *)cards, n));
}

static PyObject *py_ranks(PyObject *self, PyObject *args) {
    (void)self;
    const char *hands;
    Py_ssize_t size;
    int each;
    if (!ready() || !PyArg_ParseTuple(args, "y#i", &hands, &size, &each)) return NULL;
    if (each < 5 || each > 7 || size % each) return wrong("hands have five to seven cards each");
    Py_ssize_t n = size / each;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, 2 * n);
    if (!bytes) return NULL;
    char *out = PyBytes_AsString(bytes);
    for (Py_ssize_t i = 0; i < n; i++) {
        const uint8_t *cards = (const uint8_t *)hands + i * each;
        uint64_t set;
        if (!set_of(cards, each, 0, &set)) {
            Py_DECREF(bytes);
            return NULL;
        }
        uint16_t strength = (uint16_t)strength_of(cards, each);
        memcpy(out + 2 * i, &strength, sizeof strength);
    }
    return bytes;
}

static void count_strengths(Cards hand, int below, int more, int size, uint64_t *counts) {
    for (int card = more - 1; card < below; card++) {
        Cards next = with_card(hand, card);
        if (more > 1)
            count_strengths(next, card, more - 1, size, counts);
        else
            counts[size == 7 ? strength7(next) : strength5(next)]++;
    }
}

static PyObject *py_histogram(PyObject *self, PyObject *args) {
    (void)self;
    int size;
    if (!ready() || !PyArg_ParseTuple(args, "i", &size)) return NULL;
    if (size != 5 && size != 7) return wrong("hands have five or seven cards");
    uint64_t *counts = calloc(STRENGTHS + 1, sizeof *counts);
    if (!counts) return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    count_strengths(no_cards(), DECK, size, size, counts);
    Py_END_ALLOW_THREADS;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)counts, (STRENGTHS + 1) * (Py_ssize_t)sizeof *counts);
    free(counts);
    return bytes;
}

static PyObject *py_load_tables(PyObject *self, PyObject *object) {
    (void)self;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return NULL;
    if (!load_tables((const uint8_t *)bytes, size)) return wrong("these are not the tables of this kernel");
    loaded = 1;
    Py_RETURN_NONE;
}

static PyObject *py_has_avx512(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    return PyBool_FromLong(wide_is_there());
}

static PyMethodDef functions[] = {
    {"load_tables", py_load_tables, METH_O, NULL},
    {"has_avx512", py_has_avx512, METH_NOARGS, NULL},
    {"rank", py_rank, METH_O, NULL},
    {"ranks", py_ranks, METH_VARARGS, NULL},
    {"histogram", py_histogram, METH_VARARGS, NULL},
    {"holdem_sample", py_holdem_sample, METH_VARARGS, NULL},
    {"holdem_exact", py_holdem_exact, METH_VARARGS, NULL},
    {"holdem_duels", py_holdem_duels, METH_VARARGS, NULL},
    {"draw_sample", py_draw_sample, METH_VARARGS, NULL},
    {"draw_exact", py_draw_exact, METH_VARARGS, NULL},
    {"draw_outcomes", py_draw_outcomes, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_kernel",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__kernel(void) { return PyModule_Create(&module); }
