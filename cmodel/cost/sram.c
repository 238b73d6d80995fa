/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sram: see sram.h. Lengths follow CACTI's cell, 10 F x 14.6 F (146 F^2, aspect ratio 1.46), 5 F more in both directions for a second port (two
 * local wires of a pitch of 2.5 F), F being the node.
 *
 * The coefficients are those of the least sum of squared relative deviations, (model - point) / point, over the ten HP points of cacti.def
 * (Levenberg-Marquardt): for each figure by itself, read and write energy together. Factors between nodes were fitted as powers
 * of node / 45 nm and are tabulated, so that no mathematics library is needed. 2 coefficients for area, 5 for access time, 4 for
 * cycle time, 5 for both energies, 4 for leakage, and 4 ratios for LSTP.
 */
#include "cost/sram.h"

#include <stddef.h>

static const struct node {
  uint32_t nm;
  double gate;    /* delay of decoder and bit lines: (nm / 45)^1.740 */
  double wire;    /* delay of wires over the array's span: (nm / 45)^0.467 */
  double cycle;   /* (nm / 45)^0.843 */
  double energy;  /* (nm / 45)^1.718 */
  double leakage; /* (nm / 45)^1.808 */
} nodes[] = {
    {45, 1, 1, 1, 1, 1},
    {40, 0.8147, 0.9465, 0.9055, 0.8168, 0.8082}, /* no points: by the same powers */
    {32, 0.5525, 0.8528, 0.7502, 0.5567, 0.5399},
    {28, 0.4380, 0.8013, 0.6703, 0.4426, 0.4241}, /* no points */
    {22, 0.2879, 0.7159, 0.5470, 0.2925, 0.2742},
};

static const struct { const char *ports, *cells; } names[] = {{"1RW", "HP"}, {"1R1W", "LSTP"}};

#define POINT(nm, r, w, p, c, access, cycle, read, write, leakage, area)  \
  {{.rows = (r), .width = (w), .ports = (p), .cells = (c), .node = (nm)}, \
   {.access_ns = (access),                                                \
    .cycle_ns = (cycle),                                                  \
    .read_pj = (read),                                                    \
    .write_pj = (write),                                                  \
    .leakage_mw = (leakage),                                              \
    .mm2 = (area)}},
const struct sram_point sram_points[] = {
#include "cost/cacti.def"
};
#undef POINT
const unsigned sram_npoints = sizeof sram_points / sizeof *sram_points;

/* ---- counted ---- */

static unsigned address_bits(uint32_t rows) {
  unsigned a = 0;
  while ((uint32_t)1 << a < rows) a++;
  return a;
}

static bool tag_fits(const struct sram *a, struct err *e) {
  if (a->tag_bits <= a->width) return true;
  return err_at(e, NULL, 0, 0, "found %u tag bits in an SRAM, expected at most its %u bits per row", a->tag_bits,
                a->width);
}

bool sram_count(const struct sram *a, struct sram_count *out, struct err *e) {
  const uint32_t most = 1u << 24;
  if (a->rows < 2 || a->rows > most)
    return err_at(e, NULL, 0, 0, "found an SRAM of %u rows, expected 2 to %u", a->rows, most);
  if (a->width < 1 || a->width > most)
    return err_at(e, NULL, 0, 0, "found an SRAM of %u bits per row, expected 1 to %u", a->width, most);
  if (!tag_fits(a, e)) return false;
  const uint64_t rows = a->rows, bits = address_bits(a->rows), ports = a->ports == SRAM_1R1W ? 2 : 1;
  out->bits = rows * a->width;
  out->cells = out->bits * (a->ports == SRAM_1R1W ? 8 : 6);
  out->decoders = ports * (2 * bits + 24 * (bits / 2) + rows * (2 * ((bits + 1) / 2) + 2));
  out->columns = 16 * (uint64_t)a->width;
  out->comparator = a->tag_bits ? 16 * (uint64_t)a->tag_bits - 6 : 0;
  out->transistors = out->cells + out->decoders + out->columns + out->comparator;
  return true;
}

/* ---- modelled ---- */

static bool sram_is_covered(const struct sram *a, struct err *e) {
  if (a->cells == SRAM_LSTP && a->node != 45)
    return err_at(e, NULL, 0, 0,
                  "found an SRAM of LSTP cells at %u nm, expected 45 nm: there is no other point of CACTI's", a->node);
  if (a->rows < SRAM_ROWS_MIN || a->width < SRAM_WIDTH_MIN)
    return err_at(
        e, NULL, 0, 0,
        "found an SRAM of %u rows of %u bits, expected at least %d rows of at least %d bits: small arrays are "
        "costed from cells",
        a->rows, a->width, SRAM_ROWS_MIN, SRAM_WIDTH_MIN);
  if (a->rows > SRAM_ROWS_MAX || a->width > SRAM_WIDTH_MAX)
    return err_at(
        e, NULL, 0, 0,
        "found an SRAM of %u rows of %u bits, expected at most %d rows of at most %d bits: larger memories are "
        "several arrays",
        a->rows, a->width, SRAM_ROWS_MAX, SRAM_WIDTH_MAX);
  return true;
}

static const struct node *sram_find_node(uint32_t nm, struct err *e) {
  for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++)
    if (nodes[i].nm == nm) return &nodes[i];
  err_at(e, NULL, 0, 0, "found an SRAM at %u nm, expected 45, 40, 32, 28 or 22 nm", nm);
  return NULL;
}

/* Whether a lies outside the box of CACTI's points of its own node, cells and ports. */
static bool sram_is_outside(const struct sram *a) {
  uint32_t rows[2] = {UINT32_MAX, 0}, width[2] = {UINT32_MAX, 0};
  for (unsigned i = 0; i < sram_npoints; i++) {
    const struct sram *p = &sram_points[i].array;
    if (p->node != a->node || p->cells != a->cells || p->ports != a->ports) continue;
    if (p->rows < rows[0]) rows[0] = p->rows;
    if (p->rows > rows[1]) rows[1] = p->rows;
    if (p->width < width[0]) width[0] = p->width;
    if (p->width > width[1]) width[1] = p->width;
  }
  return a->rows < rows[0] || a->rows > rows[1] || a->width < width[0] || a->width > width[1];
}

/* LSTP over HP: the ratios of CACTI's two points at 45 nm, 16 KB x 1024 b, 1R1W. Area is alike (0.450 and 0.452 mm2). */
static void to_lstp(struct sram_figures *f) {
  f->access_ns *= 1.352 / 0.507;
  f->cycle_ns *= 2.048 / 1.118;
  f->read_pj *= (197.0 + 239.0) / (139.0 + 169.0);
  f->write_pj *= (197.0 + 239.0) / (139.0 + 169.0);
  f->leakage_mw *= 0.006 / 26.3;
}

bool sram_figures(const struct sram *a, struct sram_figures *out, struct err *e) {
  const struct node *n = sram_find_node(a->node, e);
  if (!n || !sram_is_covered(a, e) || !tag_fits(a, e)) return false;

  const bool two = a->ports == SRAM_1R1W;
  const double f_mm = a->node * 1e-6, cell_w = two ? 10 + 5 : 10, cell_h = two ? 14.6 + 5 : 14.6,
               buses = two ? 2 : 1; /* of a cell, in F; data buses */
  /* in units of 128 rows x 1024 columns of 1R1W cells */
  const double rows = a->rows / 128.0, columns = a->width / 1024.0, bits = rows * columns;
  const double w = cell_w / 15, h = cell_h / 19.6;

  /* width x height; the bus has a wire per bit and port, at a pitch of 5.9 F, over all columns */
  const double cells_f2 = (double)a->rows * a->width * cell_w * cell_h;
  const double bus_f2 = a->width * cell_w * (a->width * buses);
  out->mm2 = (1.187 * cells_f2 + 5.902 * bus_f2) * f_mm * f_mm;
  out->access_ns = (0.0855 + 0.0661 * rows) * n->gate + 0.3665 * columns * w * n->wire;
  out->cycle_ns = (0.1778 + 0.0429 * rows + 0.918 * columns * columns * w) * n->cycle;
  out->read_pj = (120.5 * columns * columns * w + 10.71 * columns + 7.00 * bits) * n->energy;
  out->write_pj = out->read_pj + 33.1 * bits * h * n->energy;
  out->leakage_mw = (23.77 * bits * (two ? 1 : 0.781) + 2.246 * columns) * n->leakage;
  if (a->cells == SRAM_LSTP) to_lstp(out);
  out->extrapolated = sram_is_outside(a);
  return true;
}

/* ---- how well ---- */

static const struct {
  const char *label;
  size_t at;
} figure[] = {
    {"access", offsetof(struct sram_figures, access_ns)},   {"cycle", offsetof(struct sram_figures, cycle_ns)},
    {"read", offsetof(struct sram_figures, read_pj)},       {"write", offsetof(struct sram_figures, write_pj)},
    {"leakage", offsetof(struct sram_figures, leakage_mw)}, {"area", offsetof(struct sram_figures, mm2)},
};
enum { FIGURES = sizeof figure / sizeof *figure };

static double sram_figure_value(const struct sram_figures *f, unsigned k) {
  return *(const double *)((const char *)f + figure[k].at);
}

void sram_deviations(FILE *f) {
  double most[FIGURES] = {0};
  fprintf(f, "| node, array |");
  for (unsigned k = 0; k < FIGURES; k++) fprintf(f, " %s |", figure[k].label);
  fprintf(f, "\n|---|%s\n", "---:|---:|---:|---:|---:|---:|");
  for (unsigned i = 0; i < sram_npoints; i++) {
    const struct sram_point *p = &sram_points[i];
    struct sram_figures model;
    struct err e = {0};
    if (!sram_figures(&p->array, &model, &e)) die("cacti.def: %s", e.text);
    fprintf(f, "| %u nm, %u KB x %u b, %s, %s |", p->array.node, p->array.rows * p->array.width / 8192, p->array.width,
            names[p->array.ports].ports, names[p->array.cells].cells);
    for (unsigned k = 0; k < FIGURES; k++) {
      const double d = 100 * (sram_figure_value(&model, k) / sram_figure_value(&p->cacti, k) - 1),
                   size = d < 0 ? -d : d;
      if (size > most[k]) most[k] = size;
      fprintf(f, " %+.1f |", d);
    }
    fprintf(f, "\n");
  }
  fprintf(f, "| largest |");
  for (unsigned k = 0; k < FIGURES; k++) fprintf(f, " %.1f |", most[k]);
  fprintf(f, "\n");
}
