/* Arguments of the kernel's functions: checked, and turned into spots. Whatever returns 0 has set an error, which is a
   ValueError where the argument is impossible; what it had allocated by then is freed by the `free_` function too. */
#ifndef CROUPIER_ARGUMENTS_H
#define CROUPIER_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "draw.h"
#include "holdem.h"

/* Cards as they came in, a number each; valid as long as the arguments are. */
typedef struct {
    const char *bytes;
    Py_ssize_t n;
} Given;

/* Set a ValueError; always NULL. */
void *wrong(const char *what);

/* The cards, all different and none of them in `known`, and their set. */
int read_cards(Given given, uint64_t known, Cards *cards);

/* The players, without the combos that cannot be dealt, the board, and what is known. */
int read_players(PyObject *players, Given board, Given dead, HoldemSpot *spot);

/* What drawing by weight needs. */
int alias_players(HoldemSpot *spot);

/* Give whoever may hold any two cards all of those that are not known. */
int spread_players(HoldemSpot *spot);

void free_players(HoldemSpot *spot);

/* The own hand, and what is known; the number of opponents is there before. */
int read_own(Given kept, Given dead, DrawSpot *spot);

/* An opponent, without the kept cards that cannot be. */
int read_opponent(PyObject *object, uint64_t known, Opponent *opponent);

/* What drawing by weight needs. */
int alias_opponent(Opponent *opponent);

void free_opponents(DrawSpot *spot);

#endif
