/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill: initial values of buffers and symbols, and the files that launch files read and write. Random values
 * depend on the seed, the name, how often the name was filled before, and the element's index only.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "launch/script.h"

/* ---- files ---- */

uint8_t *script_bytes(const char *path, uint64_t bytes, bool exact, const char *file, int line, int col,
                      struct err *e) {
  char why[IO_WHY];
  FILE *f = input_open(path, why);
  if (!f) {
    err_at(e, file, line, col, "cannot open '%s': %s", path, why);
    return NULL;
  }
  uint8_t *out = xmalloc(bytes);
  uint64_t n = 0;
  size_t got = 1;
  while (n < bytes && got) n += got = fread(out + n, 1, bytes - n, f);
  bool more = n == bytes && exact && fgetc(f) != EOF;
  int bad = ferror(f) ? errno : 0;
  fclose(f);
  if (bad) err_at(e, file, line, col, "cannot read '%s': %s", path, strerror(bad));
  else if (n < bytes)
    err_at(e, file, line, col, "found %" PRIu64 " bytes in '%s', expected %s%" PRIu64, n, path,
           exact ? "" : "at least ", bytes);
  else if (more) err_at(e, file, line, col, "found more than %" PRIu64 " bytes in '%s', expected no more", bytes, path);
  else return out;
  free(out);
  return NULL;
}

bool script_write(const char *below, const char *path, const void *data, uint64_t bytes, const char *file, int line,
                  int col, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open_below(below ? below : ".", path, why);
  if (o) fwrite(data, 1, bytes, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, file, line, col, "cannot write '%s': %s", path, why);
}

/* ---- values ---- */

static void fill_store(struct view *w, uint64_t k, struct value v) {
  script_store(w->type, w->data + k * dtype_bytes(w->type), v);
}

static bool fill_iota(const struct init *in, struct view *w, struct env *v) {
  struct value start, step;
  if (!script_eval(&in->a, v, &start) || !script_eval(&in->b, v, &step)) return false;
  bool flt = start.flt || step.flt;
  double first = value_double(start), by = value_double(step);
  for (uint64_t k = 0; k < w->n; k++)
    fill_store(
        w, k,
        flt ? value_float(first + (double)k * by) : value_int((int64_t)((uint64_t)start.i + k * (uint64_t)step.i)));
  return true;
}

static uint64_t fill_random_state(uint64_t seed, const char *name, uint64_t count) {
  uint64_t state = fnv1a(FNV_START, name, strlen(name)) ^ seed * 0x9e3779b97f4a7c15ull;
  state = rng_next(&state) + count;
  return rng_next(&state);
}

static bool fill_rand_int(const struct init *in, struct view *w, uint64_t state, struct env *v) {
  struct value got[2];
  int64_t bound[2];
  for (int k = 0; k < 2; k++) {
    const struct expr *x = k ? &in->b : &in->a;
    if (!script_eval(x, v, &got[k])) return false;
    if (!script_whole(got[k], &bound[k]) || !script_fits(w->type, bound[k])) {
      char q[40];
      return err_at(v->e, v->file, x->line, x->col, "found %s as a bound, expected a whole number that fits in %s",
                    script_print(T_NONE, got[k], q), dtype_name(w->type));
    }
  }
  uint64_t lo = (uint64_t)bound[0], hi = (uint64_t)bound[1];
  if (w->type == T_U64 ? lo > hi : bound[0] > bound[1])
    return err_at(v->e, v->file, in->b.line, in->b.col,
                  "found a high bound below the low one, expected it the same or above");
  uint64_t span = hi - lo + 1; /* 0: all 2^64 */
  for (uint64_t k = 0; k < w->n; k++) {
    uint64_t r = rng_next(&state);
    if (span) r = (uint64_t)((unsigned __int128)r * span >> 64);
    fill_store(w, k, value_int((int64_t)(lo + r)));
  }
  return true;
}

static bool fill_rand_float(const struct init *in, struct view *w, uint64_t state, struct env *v) {
  struct value a, b;
  if (!script_eval(&in->a, v, &a) || !script_eval(&in->b, v, &b)) return false;
  double lo = value_double(a), hi = value_double(b), span = hi - lo;
  if (!(span >= 0) || span > 0x1.fffffffffffffp1023)
    return err_at(v->e, v->file, in->b.line, in->b.col,
                  "found a high bound that is not above the low one, or no number; "
                  "expected two finite bounds");
  /* as many random bits as the type has, so that [0, 1) is exact; where rounding still reaches hi: lo */
  int bits = w->type == T_F16 ? 11 : w->type == T_F32 ? 24 : 53;
  double unit = 1.0 / (double)(1ull << bits);
  for (uint64_t k = 0; k < w->n; k++) {
    double u = (double)(rng_next(&state) >> (64 - bits)) * unit;
    double x = lo + u * span;
    if (w->type == T_F32) { /* the usual type, without the switches */
      float y = (float)x;
      if ((double)y >= hi) y = (float)lo;
      memcpy(w->data + k * sizeof y, &y, sizeof y);
      continue;
    }
    if (script_convert(w->type, value_float(x)).f >= hi) x = lo;
    fill_store(w, k, value_float(x));
  }
  return true;
}

static bool fill_expr(const struct init *in, struct view *w, struct env *v) {
  const struct view *from = script_elements(&in->a, v, in->index);
  if (from && from->type == w->type && from->n >= w->n) {
    memmove(w->data, from->data, w->n * dtype_bytes(w->type));
    if (v->steered) *v->steered = true;
    return true;
  }
  for (uint64_t k = 0; k < w->n; k++) {
    struct value x;
    v->var[in->index] = value_int((int64_t)k);
    if (!script_eval(&in->a, v, &x)) return false;
    fill_store(w, k, x);
  }
  return true;
}

static bool fill_data(const struct init *in, struct view *w, struct env *v) {
  if (in->ndata > w->n)
    return err_at(v->e, v->file, in->data[w->n].line, in->data[w->n].col, "found %u values, expected at most %" PRIu64,
                  in->ndata, w->n);
  memset(w->data, 0, w->bytes);
  for (uint32_t k = 0; k < in->ndata; k++) {
    struct value x;
    if (!script_eval(&in->data[k], v, &x)) return false;
    fill_store(w, k, x);
  }
  return true;
}

bool script_fill(const struct init *in, struct view *w, uint64_t seed, const char *name, uint64_t count,
                 struct env *v) {
  struct value x;
  uint64_t state = fill_random_state(seed, name, count);
  switch (in->kind) {
    case INIT_ZERO: memset(w->data, 0, w->bytes); return true;
    case INIT_FILL:
      if (!script_eval(&in->a, v, &x)) return false;
      for (uint64_t k = 0; k < w->n; k++) fill_store(w, k, x);
      return true;
    case INIT_IOTA: return fill_iota(in, w, v);
    case INIT_RAND: return dtype_float(w->type) ? fill_rand_float(in, w, state, v) : fill_rand_int(in, w, state, v);
    case INIT_EXPR: return fill_expr(in, w, v);
    case INIT_FILE: {
      uint8_t *bytes = script_bytes(in->path, w->bytes, false, v->file, in->line, in->col, v->e);
      if (!bytes) return false;
      memcpy(w->data, bytes, w->bytes);
      free(bytes);
      return true;
    }
    default: return fill_data(in, w, v);
  }
}
