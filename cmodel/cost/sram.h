/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sram: what an SRAM array costs: bits and transistors, exact from a structure that is stated here; area, access and cycle time,
 * energy and leakage, by a model that is fitted to eleven results of CACTI 7 (cacti.def). docs/use/cost.md has the formulas and their deviations.
 *
 * An array is `rows` words of `width` bits; every access reads or writes one word. Its ports:
 *
 *   1RW    one port that reads or writes       6 transistors a cell
 *   1R1W   one read port and one write port    8 transistors a cell (a second pair of access transistors)
 */
#ifndef RT_COST_SRAM_H
#define RT_COST_SRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum sram_ports { SRAM_1RW, SRAM_1R1W };
enum sram_cells { SRAM_HP, SRAM_LSTP }; /* ITRS: high performance, low standby power */

/* What sram_figures takes: the smallest box that holds all points of cacti.def (4 KB to 128 KB). */
enum { SRAM_ROWS_MIN = 64, SRAM_ROWS_MAX = 1024, SRAM_WIDTH_MIN = 512, SRAM_WIDTH_MAX = 1024 };

struct sram {
  uint32_t rows;
  uint32_t width; /* bits of a word */
  enum sram_ports ports;
  enum sram_cells cells;
  uint32_t tag_bits; /* bits of each word that are compared with a tag after a read; 0: no comparator */
  uint32_t node;     /* nm: 45, 40, 32, 28 or 22; CACTI has no points at 40 and 28; not looked at by sram_count */
};

/*
 * Bits and transistors. With a = ceil(log2 rows) address bits, P ports (1 or 2):
 *
 *   cells       6 or 8 per bit
 *   decoders    P x (2a + 24 floor(a/2) + rows x (2 ceil(a/2) + 2)):
 *               complements of the address; a 2-to-4 predecoder for each pair of address bits (4 NAND2 of 4 and 4 inverters of 2);
 *               for each row a NAND of ceil(a/2) predecoded lines and an inverter that drives the word line
 *   columns     16 per column: precharge of a read bit line pair 3, latch sense amplifier 7, write driver 6
 *   comparator  16 n - 6 for n tag bits: n XNOR of 10, n - 1 AND2 of 6
 *
 * There is no column multiplexer, as every column belongs to the word. Registers of address and data, control and
 * redundancy are not counted.
 */
struct sram_count {
  uint64_t bits;
  uint64_t cells, decoders, columns, comparator; /* transistors */
  uint64_t transistors;                          /* their sum */
};

/* Any array of 2 to 2^24 rows and 1 to 2^24 bits. False: e says what was found and what is expected. */
bool sram_count(const struct sram *a, struct sram_count *out, struct err *e);

/*
 * The array with decoders, sense amplifiers, drivers and the wires of address and data to its edge, at 360 K; a
 * comparator's area, delay and energy are not in it: it is synthesized with the logic.
 */
struct sram_figures {
  double access_ns;         /* address to data */
  double cycle_ns;          /* between two accesses of a port; may be below access_ns, as accesses overlap */
  double read_pj, write_pj; /* one access of all columns */
  double leakage_mw;
  double mm2;
  /* Outside the box of CACTI's points of this node, kind of cells and ports, so taken from those of others. */
  bool extrapolated;
};

/* False: e says what was found and what is expected, namely a node without points, LSTP cells at another node than 45 nm, or
 * an array outside the box: smaller ones are costed from cells, larger ones as several arrays. */
bool sram_figures(const struct sram *a, struct sram_figures *out, struct err *e);

/* CACTI's points and their figures. */
struct sram_point {
  struct sram array;
  struct sram_figures cacti;
};
extern const struct sram_point sram_points[];
extern const unsigned sram_npoints;

/* The model's deviation from each point and the largest one of each figure, in percent: a table in Markdown (docs/use/cost.md). */
void sram_deviations(FILE *f);

#endif
