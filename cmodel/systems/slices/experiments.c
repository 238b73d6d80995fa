/* SPDX-License-Identifier: Apache-2.0 */
/* experiments: the narrow floats of the slices paper's Table 3, as the converter and the truncator implement
 * them, compared with a code's value and with rounding to nearest even, in long double arithmetic. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "lab/campaign/experiment.h"
#include "cost/blocks.h"
#include "cost/node.h"
#include "cost/papers.h"

enum { LEAST = 2, MOST = 7, SAMPLE = 1 << 20, SEED = 5 };

struct format {
  unsigned n, exp, man;
  int bias;
  uint32_t inf; /* the code of infinity, which is also the number of finite magnitudes */
};
struct found { /* of one format */
  uint64_t codes, nan, back, nan_back, nan_quiet, wrong;
  uint64_t roundings, ties, misrounded;
  long double error; /* the largest relative one among results that are normal */
};

static struct format format_of_number(unsigned n) {
  const struct vcl_format f = vcl_format(n);
  return (struct format){n, f.exp, f.man, (1 << (f.exp - 1)) - 1, ((1u << f.exp) - 1) << f.man};
}

/* Of a code without its sign. Infinity is what follows the largest number, so that it has half a step below.
 */
static long double code_magnitude(const struct format *f, uint32_t code) {
  const int e = (int)(code >> f->man);
  const long double m = code & ((1u << f->man) - 1), step = ldexpl(1, (e ? e : 1) - f->bias - (int)f->man);
  return (e ? m + ldexpl(1, (int)f->man) : m) * step;
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint32_t float_bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Checks a code, widened and truncated again. */
static void try_code(const struct format *f, uint32_t code, struct found *r) {
  const uint32_t sign = 1u << (4 * f->n - 1), mag = code & (sign - 1), quiet = 1u << (f->man - 1);
  const uint32_t wide = vcl_convert(code, f->n), back = vtl_truncate(wide, f->n, true);
  const float x = float_of(wide);
  r->codes++;
  bool right = (wide >> 31 != 0) == ((code & sign) != 0);
  if (mag > f->inf) {
    right &= isnan(x) && back == (code | quiet);
    r->nan++;
    r->nan_back += back == code;
    r->nan_quiet += back == (code | quiet);
  } else {
    right &= mag == f->inf ? isinf(x) : fabsl((long double)x) == code_magnitude(f, mag);
    r->back += back == code;
  }
  r->wrong += !right;
}

/* A finite number: its code is the nearest one, of two the one that ends in 0. */
static void try_rounding(const struct format *f, float x, struct found *r) {
  const uint32_t sign = 1u << (4 * f->n - 1), code = vtl_truncate(float_bits_of(x), f->n, true),
                 mag = code & (sign - 1);
  const long double a = fabsl((long double)x), mine = fabsl(code_magnitude(f, mag) - a);
  const long double less = mag ? a - code_magnitude(f, mag - 1) : INFINITY;
  const long double more = mag < f->inf ? code_magnitude(f, mag + 1) - a : INFINITY;
  const bool tie = mine == less || mine == more;
  bool right = mag <= f->inf && (code != mag) == (signbit(x) != 0);
  right &= mag == f->inf ? less >= mine || a > code_magnitude(f, mag) : mine <= less && mine <= more;
  r->roundings++;
  r->ties += tie;
  r->misrounded += !(right && !(tie && (mag & 1)));
  if (a >= code_magnitude(f, 1u << f->man) && mag < f->inf) r->error = fmaxl(r->error, mine / a);
}

/* Codes: all of them, or a sample; the middle between each and the next one. Numbers with exponents from
 * below the least code to above the largest. */
static void try_format(const struct format *f, struct found *r) {
  uint64_t seed = SEED;
  const uint64_t all = 1ull << 4 * f->n, tries = all < SAMPLE ? all : SAMPLE;
  for (uint64_t i = 0; i < tries; i++) {
    const uint32_t code = (uint32_t)(all <= SAMPLE ? i : rng_next(&seed) % all);
    const uint32_t mag = code & (uint32_t)(all / 2 - 1);
    try_code(f, code, r);
    if (mag < f->inf) {
      const float middle = (float)((code_magnitude(f, mag) + code_magnitude(f, mag + 1)) / 2);
      try_rounding(f, mag == code ? middle : -middle, r);
    }
  }
  const int low = 127 - f->bias - (int)f->man - 2, high = 127 + f->bias + 2;
  for (uint32_t i = 0; i < SAMPLE; i++) {
    const uint64_t x = rng_next(&seed);
    const uint32_t exponent = (uint32_t)(low + (int)((x >> 32) % (uint64_t)(high - low + 1)));
    try_rounding(f, float_of((uint32_t)x << 31 | exponent << 23 | ((uint32_t)x >> 1 & 0x7fffff)), r);
  }
}

static struct sheet *sheet_with_columns(struct findings *f, unsigned columns, unsigned decimals, const char *title,
                                        const char *const *column) {
  struct sheet *s = findings_sheet(f, columns, decimals, title);
  for (unsigned i = 0; i < columns; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  return s;
}

static void formats_compare(struct findings *out) {
  static const char *const precision[] = {"found", "mantissa bits + 1"};
  static const char *const codes[] = {"exponent bits", "mantissa bits", "codes",          "of them NaN",
                                      "come back",     "NaN come back", "NaN made quiet", "wrong"};
  static const char *const rounded[] = {"numbers", "of them ties", "wrong"};
  static const char *const range[] = {"largest finite", "smallest normal", "smallest"};
  static const char *const paper[9][2] = {[2] = {"3", "4"}, {"4", "7"},  {"5", "10"}, {"5", "14"},
                                          {"6", "17"},      {"7", "20"}, {"8", "23"}};
  struct sheet *p = sheet_with_columns(
      out, 2, 4, "-log2 of the largest relative error of a number rounded to a normal one", precision);
  struct sheet *c = sheet_with_columns(
      out, 8, 0, "codes, widened to 32 bits and truncated again; wrong: the value or the way back", codes);
  struct sheet *r = sheet_with_columns(
      out, 3, 0, "numbers of 32 bits, truncated; wrong: not to the nearest code, ties to even", rounded);
  struct sheet *g = sheet_with_columns(out, 3, 4, "range of the positive numbers, log2", range);
  for (unsigned n = LEAST; n <= MOST; n++) {
    const struct format f = format_of_number(n);
    struct found x = {0};
    char name[16];
    snprintf(name, sizeof name, "%u bits", 4 * n);
    try_format(&f, &x);
    const double of_codes[] = {
        f.exp,          f.man, (double)x.codes, (double)x.nan, (double)x.back, (double)x.nan_back, (double)x.nan_quiet,
        (double)x.wrong};
    memcpy(sheet_row(c, name, ""), of_codes, sizeof of_codes);
    memcpy(sheet_row(p, name, ""), (double[]){(double)-log2l(x.error), f.man + 1}, 2 * sizeof(double));
    memcpy(sheet_row(r, name, ""), (double[]){(double)x.roundings, (double)x.ties, (double)x.misrounded},
           3 * sizeof(double));
    memcpy(sheet_row(g, name, ""),
           (double[]){(double)log2l(code_magnitude(&f, f.inf - 1)), (double)log2l(code_magnitude(&f, 1u << f.man)),
                      (double)log2l(code_magnitude(&f, 1))},
           3 * sizeof(double));
  }
  for (unsigned n = LEAST; n <= 8; n++)
    for (unsigned i = 0; i < 2; i++) {
      char what[64];
      snprintf(what, sizeof what, "%u bits, %s", 4 * n, codes[i]);
      findings_claim(out, what, paper[n][i], i ? vcl_format(n).man : vcl_format(n).exp, 0);
    }
}

void experiment_formats(const struct setup *setup, struct matrix *m, struct findings *f) {
  (void)setup, (void)m;
  formats_compare(f);
}

/* ---- sections 6.4 and 7 ---- */

/* Of an item of the paper's table; NaN: none. */
static double item_built(const char *item) {
  unsigned n;
  const struct cost_item *i = cost_items(&n);
  for (unsigned k = 0; k < n; k++)
    if (!strcmp(i[k].system, "slices") && !strcmp(i[k].item, item)) return i[k].built;
  return NAN;
}

void experiment_transistors(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const struct block_size first[] = {{NULL, 0}};
  struct node_factors k;
  struct err e = {0};
  const struct block_cost *vc = block_cost("slice/vc", first, &e);
  (void)setup, (void)m;
  findings_items(f, "slices");
  const double sm = item_built("total"), block = sm - item_built("value extractors") / 2;
  findings_claim(f, "million transistors, 15 SMs", "27", 15 * sm / 1e6, 1);
  findings_claim(f, "% of the GTX 480's 3.1 billion", "below 1", 100 * 15 * sm / 3.1e9, 2);
  findings_claim(f, "million transistors, 84 SMs of a Volta, four blocks each with half the extractors", "470",
                 84 * 4 * block / 1e6, 0);
  findings_claim(f, "% of the Volta's 21 billion", "just over 2", 100 * 84 * 4 * block / 21e9, 2);
  if (!vc || !node_factors(LIBRARY_NODE, 45, &k, &e)) {
    findings_complain(f, "", "slices", &e);
    return;
  }
  findings_claim(f, "ns, the converter's stage at 45 nm, by the published factor", "below 0.71", vc->ns * k.delay.low,
                 2);
  findings_claim(f, "the same, by ideal scaling", "below 0.71", vc->ns * k.delay.high, 2);
}
