/* bots.equity._kernel: the kernel as a Python module, in the limited API of Python 3.11. `_kernel.pyi` describes it. */
#include "arguments.h"
#include "wide.h"

#include <stdlib.h>
#include <string.h>

static int loaded;

static int ready(void) {
    if (!loaded) PyErr_SetString(PyExc_RuntimeError, "load_tables comes first");
    return loaded;
}

static PyObject *as_weights(const double *weights, int n) {
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *weight = PyFloat_FromDouble(weights[i]);
        if (!weight || PyList_SetItem(list, i, weight) < 0) Py_CLEAR(list);
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

static PyObject *py_holdem_sample(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *players, *list = NULL;
    Given board, dead;
    unsigned long long seed, samples;
    int wide, dealt = 0;
    HoldemSpot spot = {0};
    uint64_t counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    if (!ready() || !PyArg_ParseTuple(args, "Oy#y#KKp", &players, &board.bytes, &board.n, &dead.bytes, &dead.n, &seed,
                                      &samples, &wide))
        return NULL;
    spot.wide = wide && wide_is_there();
    if (read_players(players, board, dead, &spot) && alias_players(&spot)) {
        Py_BEGIN_ALLOW_THREADS;
        dealt = holdem_sample(&spot, seed, samples, counts);
        Py_END_ALLOW_THREADS;
        if (dealt)
            list = as_counts(counts, spot.players * spot.players);
        else
            PyErr_SetString(PyExc_RuntimeError, "fewer than one try in 4,096 was a possible deal");
    }
    free_players(&spot);
    return list;
}

/* Put two players so that the sums are cheapest: one hand against any two cards, the shorter range first. */
static int swapped(HoldemSpot *spot) {
    Player *first = &spot->player[0], *second = &spot->player[1];
    if (spot->players != 2 || second->random || !(first->random || second->n < first->n)) return 0;
    Player swap = *first;
    *first = *second;
    *second = swap;
    return 1;
}

static int is_hand_against_any_two(const HoldemSpot *spot) {
    return spot->players == 2 && !spot->player[0].random && spot->player[0].n == 1 && spot->player[1].random;
}

static PyObject *py_holdem_exact(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *players, *list = NULL;
    Given board, dead;
    HoldemSpot spot = {0};
    double counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    int made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "Oy#y#", &players, &board.bytes, &board.n, &dead.bytes, &dead.n))
        return NULL;
    if (read_players(players, board, dead, &spot)) {
        int other_way = swapped(&spot);
        if (!is_hand_against_any_two(&spot) && !spread_players(&spot)) goto done;
        Py_BEGIN_ALLOW_THREADS;
        made = holdem_exact(&spot, counts);
        Py_END_ALLOW_THREADS;
        if (other_way) {
            double first[2] = {counts[0], counts[1]};
            memcpy(counts, counts + 2, sizeof first);
            memcpy(counts + 2, first, sizeof first);
        }
        list = made ? as_weights(counts, spot.players * spot.players) : PyErr_NoMemory();
    }
done:
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
    Given board, dead;
    unsigned long long seed;
    unsigned int boards;
    HoldemSpot spot = {0};
    int made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "OOy#y#KI", &first, &second, &board.bytes, &board.n, &dead.bytes, &dead.n,
                                      &seed, &boards))
        return NULL;
    PyObject *players = PyTuple_Pack(2, first, second);
    if (players && read_players(players, board, dead, &spot) && spread_players(&spot)) {
        Duel *duels = calloc(spot.player[0].n, sizeof *duels);
        Py_BEGIN_ALLOW_THREADS;
        made = duels && holdem_duels(&spot, seed, boards, duels);
        Py_END_ALLOW_THREADS;
        bytes = made ? duels_of(first, &spot.player[0], duels) : PyErr_NoMemory();
        free(duels);
    }
    free_players(&spot);
    Py_XDECREF(players);
    return bytes;
}

/* Five-card draw */

static PyObject *py_draw_sample(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *opponents, *list = NULL;
    Given kept, dead;
    unsigned long long seed, samples;
    DrawSpot spot = {0};
    uint64_t counts[MOST_PLAYERS * MOST_PLAYERS] = {0};
    int dealt = 0;
    if (!ready() || !PyArg_ParseTuple(args, "y#Oy#KK", &kept.bytes, &kept.n, &opponents, &dead.bytes, &dead.n, &seed,
                                      &samples))
        return NULL;
    Py_ssize_t n = PySequence_Size(opponents);
    if (n < 0) return NULL;
    if (n < 1 || n > MOST_OPPONENTS) return wrong("there are 1 to 5 opponents");
    spot.opponents = (int)n;
    int read = read_own(kept, dead, &spot);
    for (int o = 0; read && o < spot.opponents; o++) {
        PyObject *object = PySequence_GetItem(opponents, o);
        read = object && read_opponent(object, spot.known, &spot.opponent[o]) && alias_opponent(&spot.opponent[o]);
        Py_XDECREF(object);
    }
    if (read) {
        Py_BEGIN_ALLOW_THREADS;
        dealt = draw_sample(&spot, seed, samples, counts);
        Py_END_ALLOW_THREADS;
        if (dealt)
            list = as_counts(counts, (1 + spot.opponents) * (1 + spot.opponents));
        else
            PyErr_SetString(PyExc_RuntimeError, "fewer than one try in 4,096 was a possible deal");
    }
    free_opponents(&spot);
    return list;
}

static PyObject *py_draw_exact(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *opponent, *list = NULL;
    Given kept, dead;
    DrawSpot spot = {.opponents = 1};
    double counts[4] = {0};
    int made = 0;
    if (!ready() || !PyArg_ParseTuple(args, "y#Oy#", &kept.bytes, &kept.n, &opponent, &dead.bytes, &dead.n)) return NULL;
    if (read_own(kept, dead, &spot) && read_opponent(opponent, spot.known, &spot.opponent[0])) {
        Py_BEGIN_ALLOW_THREADS;
        made = draw_exact(&spot, counts);
        Py_END_ALLOW_THREADS;
        list = made ? as_weights(counts, 4) : PyErr_NoMemory();
    }
    free_opponents(&spot);
    return list;
}

static PyObject *py_draw_outcomes(PyObject *self, PyObject *args) {
    (void)self;
    Given kept, dead;
    DrawSpot spot = {0};
    uint64_t counts[CATEGORIES] = {0};
    if (!ready() || !PyArg_ParseTuple(args, "y#y#", &kept.bytes, &kept.n, &dead.bytes, &dead.n)) return NULL;
    if (!read_own(kept, dead, &spot)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    draw_outcomes(spot.kept, spot.draws, spot.known, counts);
    Py_END_ALLOW_THREADS;
    return as_counts(counts, CATEGORIES);
}

/* Strengths */

/* Of five to seven different cards; of six the best five. */
static uint32_t strength_of(const char *cards, Cards all, Py_ssize_t n) {
    if (n == 7) return strength7(all);
    if (n == 5) return strength5(all);
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
    Cards all;
    if (!ready() || PyBytes_AsStringAndSize(object, &cards, &n) < 0) return NULL;
    if (n < 5 || n > 7) return wrong("five to seven cards have a strength");
    if (!read_cards((Given){cards, n}, 0, &all)) return NULL;
    return PyLong_FromUnsignedLong(strength_of(cards, all, n));
}

static PyObject *py_ranks(PyObject *self, PyObject *args) {
    (void)self;
    Given hands;
    int each;
    if (!ready() || !PyArg_ParseTuple(args, "y#i", &hands.bytes, &hands.n, &each)) return NULL;
    if (each < 5 || each > 7 || hands.n % each) return wrong("hands have five to seven cards each");
    Py_ssize_t n = hands.n / each;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, 2 * n);
    if (!bytes) return NULL;
    char *out = PyBytes_AsString(bytes);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *cards = hands.bytes + i * each;
        Cards all;
        if (!read_cards((Given){cards, each}, 0, &all)) {
            Py_DECREF(bytes);
            return NULL;
        }
        uint16_t strength = (uint16_t)strength_of(cards, all, each);
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
    /* Once: other threads may be reading them by then, without the interpreter's lock. */
    if (!loaded && !load_tables((const uint8_t *)bytes, size)) return wrong("these are not the tables of this kernel");
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
