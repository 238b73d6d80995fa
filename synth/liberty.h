/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liberty: what the energy of logic needs of a Liberty file: cells with their pins, functions, capacitances, tables of internal
 * energy, leakage. All values are converted: V, pF, ns, pJ, nW. Internal energy has no unit of its own in Liberty; it
 * is voltage_unit^2 * capacitive_load_unit. Input that is damaged ends the program with a message and status 2.
 */
#ifndef RT_SYNTH_LIBERTY_H
#define RT_SYNTH_LIBERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "FILE:LINE: found X, expected Y", exit status 2 */
void wrong(const char *path, unsigned line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

enum { TABLE_LOAD, TABLE_SLEW, TABLE_DIMS = 2, FUNCTION_INPUTS = 6 };

/* Energy over load, slew or both; a dimension with n == 0 is not there. Between points linear, outside the nearest. */
struct table {
  unsigned n[TABLE_DIMS]; /* points of load, of slew */
  double *at[TABLE_DIMS];
  double *value; /* [load][slew]; NULL: no table */
};
double table_at(const struct table *t, double load, double slew);

/* A function as a truth table over pins of the cell, or over the state of its flip-flop (STATE_PIN). */
enum { STATE_PIN = 255 };
struct function {
  bool is; /* there is one */
  unsigned char n, pin[FUNCTION_INPUTS];
  uint64_t table; /* bit k: the value when the inputs are k, the first one lowest */
};

struct power {
  const char *related; /* pin; NULL: none, as on input pins */
  struct table rise, fall;
};

struct pin {
  const char *name;
  bool input, has_direction;
  struct function function;
  double capacitance;
  unsigned line, powers;
  struct power *power;
};

struct cell {
  const char *name;
  unsigned line, pins, ff_line; /* ff_line 0: no flip-flop */
  struct pin *pin;
  double leakage;
  const char *iq, *iqn;
  struct function next, clear, preset;
  unsigned clock;      /* pin whose rising edge is the clock */
  const char *refused; /* what it has that is not supported: "latch" */
};

struct liberty {
  const char *path;
  double volts;
  unsigned cells;
  struct cell *cell;
};

struct liberty *liberty_read(const char *path);
const struct cell *liberty_cell(const struct liberty *l, const char *name); /* NULL: none */

/* Energy in pJ of a transition of an output pin, the average over its related pins (or of the one named). */
double liberty_energy(const struct pin *p, bool rise, double load, double slew, const char *related);

#endif
