/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print: vprintf and assert. Each thread's call is formatted when it is executed, since its arguments lie in memory that
 * changes; the texts are printed at the end of the launch, by CTA, by thread in the CTA, and in the order of the
 * thread's calls, so that they depend neither on timing nor on the order of warps.
 *
 * PRINT_BYTES of a launch's texts are kept: as many calls as fit, from the first one in that order. Since execution
 * order differs, texts are collected until they are twice that size; then the last ones in the order are dropped, and
 * all later calls at or after their position.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/show.h"
#include "exec/warp.h"

enum { PRINT_BYTES = 1 << 20, MOST_WIDTH = 4095 };

struct item {
  uint64_t thread, order; /* CTA * 1024 + thread; calls so far */
  uint64_t at, n;         /* its text */
};

struct prints {
  struct item *item;
  uint32_t n, cap;
  char *text;
  size_t used, room;
  uint64_t cut; /* the thread of the first call that does not fit: it and all later threads print no more */
  uint64_t calls, bytes;
};

/* ---- what is kept ---- */

struct prints *prints_new(void) {
  struct prints *p = xcalloc(1, sizeof *p);
  p->cut = UINT64_MAX;
  return p;
}

void prints_free(struct prints *p) {
  if (!p) return;
  free(p->item);
  free(p->text);
  free(p);
}

static int prints_by_thread(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Keeps the first calls whose texts fit; drops the rest. */
static void prints_trim(struct prints *p) {
  char *text = xmalloc(PRINT_BYTES);
  size_t used = 0;
  uint32_t k = 0;
  qsort(p->item, p->n, sizeof *p->item, prints_by_thread);
  for (; k < p->n && p->item[k].thread <= p->cut && used + p->item[k].n <= PRINT_BYTES; k++) {
    memcpy(text + used, p->text + p->item[k].at, p->item[k].n);
    p->item[k].at = used;
    used += p->item[k].n;
  }
  if (k < p->n && p->item[k].thread < p->cut) p->cut = p->item[k].thread;
  p->n = k;
  free(p->text);
  p->text = text;
  p->used = used;
  p->room = PRINT_BYTES;
}

static void prints_keep(struct prints *p, uint64_t thread, const char *text, uint64_t n) {
  p->calls++;
  p->bytes += n;
  if (p->used > 2 * PRINT_BYTES) prints_trim(p);
  if (!n || thread >= p->cut) return;
  if (n > PRINT_BYTES) {
    p->cut = thread;
    return;
  }
  if (p->used + n > p->room) {
    while (p->used + n > p->room) p->room = p->room ? p->room * 2 : 4096;
    p->text = xrealloc(p->text, p->room);
  }
  VEC_PUSH(p->item, p->n, p->cap) = (struct item){thread, p->calls, p->used, n};
  memcpy(p->text + p->used, text, n);
  p->used += n;
}

/* With several SMs prints belong to all of them: they get what one has said in the order of SMs, at the quantum's end. */
static void print_say(struct exec *x, uint64_t thread, const char *text, uint64_t n) {
  struct said *s = &x->said;
  const uint64_t kept = n <= PRINT_BYTES ? n : 0; /* of a longer one only the length counts */
  if (!exec_apart(x)) return prints_keep(x->launch->prints, thread, text, n);
  if (s->used + kept > s->room) s->text = xrealloc(s->text, s->room = 2 * (s->used + kept));
  if (kept) memcpy(s->text + s->used, text, kept);
  VEC_PUSH(s->item, s->n, s->cap) = (struct said_item){thread, s->used, n};
  s->used += kept;
}

void exec_print_quantum(struct exec *x) {
  struct said *s = &x->said;
  for (uint32_t k = 0; k < s->n; k++)
    prints_keep(x->launch->prints, s->item[k].thread, s->text + s->item[k].at, s->item[k].n);
  s->n = 0;
  s->used = 0;
}

void prints_give(struct prints *p, void (*print)(void *, const char *, size_t), void *ctx) {
  if (p->n) prints_trim(p);
  if (p->used) print(ctx, p->text, p->used);
  if (p->used < p->bytes)
    note("of the %llu bytes that one launch printed the first %llu are shown, expected at most %d",
         (unsigned long long)p->bytes, (unsigned long long)p->used, PRINT_BYTES);
}

/* ---- a thread's memory ---- */

struct call { /* of one lane */
  struct exec *x;
  struct warp *w;
  struct dinsn *d;
  unsigned lane;
  uint64_t args, at; /* at: bytes of the arguments taken */
  uint32_t parsed;   /* arguments */
  char *text;
  uint64_t n, cap; /* of the text; past PRINT_BYTES it is only counted */
};

/* Are `bytes` at a there? False: a fault was reported. */
static bool print_is_readable(struct call *c, uint64_t a, unsigned bytes) {
  struct exec *x = c->x;
  enum space sp = access_window((uint32_t)(a >> 32));
  uint32_t off = (uint32_t)a, limit = 0;
  if (sp == SP_GLOBAL || sp == SP_CONST) {
    const struct region *r = region_find(sp == SP_CONST ? &x->bank->list : &x->launch->mem->global, off);
    if (r && r->size - (off - r->base) >= bytes) return true;
    if (sp == SP_GLOBAL && access_lenient(x, c->w, c->d, c->lane, a, bytes)) return true;
  } else if (sp != SP_GENERIC) {
    limit = sp == SP_SHARED ? x->s.shared_bytes : sp == SP_LOCAL ? x->code->local_bytes : x->code->param_bytes;
  }
  if (limit >= bytes && off <= limit - bytes) return true;
  return access_outside(x, c->w, c->d, sp, c->lane, sp == SP_GENERIC ? a : off, bytes);
}

static bool print_fetch(struct call *c, uint64_t a, unsigned bytes, void *to) {
  const enum space sp = access_window((uint32_t)(a >> 32));
  const uint32_t off = (uint32_t)a;
  if (!print_is_readable(c, a, bytes)) return false;
  if (sp == SP_GLOBAL) return exec_global(c->x, off, to, bytes), true;
  const uint8_t *base = access_base(c->x, c->w, sp);
  if (sp != SP_LOCAL) return memcpy(to, base + off, bytes), true;
  base += (size_t)c->lane * 4;
  for (uint32_t k = 0; k < bytes; k++)
    ((uint8_t *)to)[k] = base[(size_t)((off + k) >> 2) * ROW_BYTES + ((off + k) & 3)];
  return true;
}

/* ---- one call ---- */

static void print_put(struct call *c, const char *s, size_t n) {
  if (n && c->n + n <= PRINT_BYTES) {
    if (c->n + n > c->cap) c->text = xrealloc(c->text, c->cap = (c->n + n) * 2);
    memcpy(c->text + c->n, s, n);
  }
  c->n += n;
}

static bool print_argument(struct call *c, unsigned bytes, uint64_t *v) {
  c->at = (c->at + bytes - 1) / bytes * bytes;
  *v = 0;
  c->parsed++;
  bool ok = print_fetch(c, c->args + c->at, bytes, v);
  c->at += bytes;
  return ok;
}

/* %[flags][width][.precision][length]conversion; OpenCL's vectors: v2, v3, v4, v8 or v16 before the length */
struct spec {
  char flags[8], conversion;
  int width, precision; /* precision -1: not given */
  char length;          /* 0, 'l' (8 bytes), 'h' (short), 'c' (char), of vectors 'w' (hl, 4 bytes) */
  unsigned elements;    /* 0: no vector */
  char written[64];     /* as it stands in the format, for one that is none */
  unsigned n;
};

static bool print_next(struct call *c, uint64_t *a, struct spec *s, char *ch) {
  if (!print_fetch(c, *a, 1, ch)) return false;
  if (*ch && s->n + 1 < sizeof s->written) s->written[s->n++] = *ch;
  ++*a;
  return true;
}

static void print_add_flag(struct spec *s, char f) {
  if (!strchr(s->flags, f)) s->flags[strlen(s->flags)] = f; /* there are five */
}

/* A width or precision, of digits or of an argument; *ch is its first character and then the one behind it.
 */
static bool print_read_measure(struct call *c, uint64_t *a, struct spec *s, char *ch, int *v) {
  uint64_t arg, n = 0;
  if (*ch == '*') {
    if (!print_argument(c, 4, &arg) || !print_next(c, a, s, ch)) return false;
    int32_t given = (int32_t)arg;
    if (given < 0 && v == &s->width) print_add_flag(s, '-');
    if (given < 0 && v == &s->precision) return *v = -1, true;
    n = given < 0 ? (uint64_t) - (int64_t)given : (uint64_t)given;
  }
  while (*ch >= '0' && *ch <= '9') {
    if (n <= MOST_WIDTH) n = n * 10 + (uint64_t)(*ch - '0');
    if (!print_next(c, a, s, ch)) return false;
  }
  *v = (int)n;
  if (n <= MOST_WIDTH) return true;
  exec_fault(c->x, c->w, FAULT_OTHER, (uint32_t)(c->d - c->x->dec), (int)c->lane,
             "vprintf: found a width or precision above %d in the format, expected at most that", MOST_WIDTH);
  return false;
}

/* Behind a 'v': how many elements. Another number: no vector, and *ch stays a 'v', which is no conversion. */
static bool print_read_vector(struct call *c, uint64_t *a, struct spec *s, char *ch) {
  uint64_t at = *a;
  struct spec ahead = *s;
  char digit;
  unsigned n = 0;
  while (n < 100) {
    if (!print_next(c, &at, &ahead, &digit)) return false;
    if (digit < '0' || digit > '9') break;
    n = 10 * n + (unsigned)(digit - '0');
  }
  if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16) return true;
  *s = ahead;
  s->elements = n;
  *a = at;
  *ch = digit;
  return true;
}

/* What follows a '%'; *a is behind it then. */
static bool print_read_spec(struct call *c, uint64_t *a, struct spec *s) {
  char ch;
  *s = (struct spec){.precision = -1, .written = "%", .n = 1};
  if (!print_next(c, a, s, &ch)) return false;
  for (; ch && strchr("-+ #0", ch);) {
    print_add_flag(s, ch);
    if (!print_next(c, a, s, &ch)) return false;
  }
  if (!print_read_measure(c, a, s, &ch, &s->width)) return false;
  if (ch == '.' && !(print_next(c, a, s, &ch) && print_read_measure(c, a, s, &ch, &s->precision))) return false;
  if (ch == 'v' && !print_read_vector(c, a, s, &ch)) return false;
  for (; ch && strchr("hlzjtq", ch);) {
    s->length = ch != 'h' ? (s->elements && s->length == 'h' ? 'w' : 'l') : s->length == 'h' ? 'c' : 'h';
    if (!print_next(c, a, s, &ch)) return false;
  }
  s->conversion = ch;
  if (!ch) --*a; /* the format ends within it */
  return true;
}

static uint64_t print_extend(const struct spec *s, uint64_t v) {
  bool sign = s->conversion == 'd' || s->conversion == 'i';
  switch (s->length) {
    case 'l': return v;
    case 'h': return sign ? (uint64_t)(int16_t)v : (uint16_t)v;
    case 'c': return sign ? (uint64_t)(int8_t)v : (uint8_t)v;
    default: return sign ? (uint64_t)(int32_t)v : (uint32_t)v;
  }
}

static bool print_put_string(struct call *c, const struct spec *s, uint64_t a) {
  static const char nothing[] = "(null)";
  uint64_t from = c->n;
  bool left = strchr(s->flags, '-');
  for (uint64_t n = 0; s->precision < 0 || n < (uint64_t)s->precision; n++) {
    char ch = 0;
    if (!a ? (ch = nothing[n], false) : !print_fetch(c, a + n, 1, &ch)) return false;
    if (!ch) break;
    print_put(c, &ch, 1);
    if (c->n > PRINT_BYTES) return true; /* it will not be kept */
  }
  uint64_t n = c->n - from, pad = (uint64_t)s->width > n ? (uint64_t)s->width - n : 0;
  for (uint64_t k = 0; k < pad; k++) print_put(c, " ", 1);
  if (left || !pad || c->n > PRINT_BYTES) return true;
  memmove(c->text + from + pad, c->text + from, n);
  memset(c->text + from, ' ', pad);
  return true;
}

enum kind { NONE, WHOLE, REAL, OTHER };
static enum kind print_kind(const struct spec *s) {
  if (!s->conversion) return NONE;
  if (strchr("diouxX", s->conversion)) return WHOLE;
  if (strchr("fFeEgGaA", s->conversion)) return REAL;
  return strchr("csp", s->conversion) && !s->elements ? OTHER : NONE;
}

/* A number, a character or a pointer; a real one is the bits of a double. */
static void print_put_value(struct call *c, const struct spec *s, uint64_t v) {
  char form[24], text[MOST_WIDTH + 512];
  const bool whole = print_kind(s) == WHOLE;
  double f;
  int n = 0;
  snprintf(form, sizeof form, "%%%s*%s%s%c", s->flags, s->precision < 0 ? "" : ".*", whole ? "ll" : "", s->conversion);
  memcpy(&f, &v, sizeof f);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* `form` is made above, of known parts */
#define PRINT(value)                                                     \
  (s->precision < 0 ? snprintf(text, sizeof text, form, s->width, value) \
                    : snprintf(text, sizeof text, form, s->width, s->precision, value))
  if (print_kind(s) == REAL) n = PRINT(f);
  else if (whole) n = PRINT((unsigned long long)print_extend(s, v));
  else if (s->conversion == 'c') n = PRINT((int)(uint8_t)v);
  else n = PRINT((void *)(uintptr_t)v);
#undef PRINT
#pragma GCC diagnostic pop
  print_put(c, text, (size_t)n);
}

/* The elements as they lie in memory, aligned to the vector's size, with commas between them. */
static bool print_put_vector(struct call *c, const struct spec *s) {
  const bool real = print_kind(s) == REAL;
  const unsigned bytes = s->length == 'l' ? 8 : real ? 4 : s->length == 'c' ? 1 : s->length == 'h' ? 2 : 4;
  const unsigned whole = bytes * (s->elements == 3 ? 4 : s->elements);
  uint64_t v;
  c->at = (c->at + whole - 1) & ~(uint64_t)(whole - 1); /* a power of two */
  for (unsigned i = 0; i < s->elements; i++) {
    v = 0;
    if (!print_fetch(c, c->args + c->at + i * bytes, bytes, &v)) return false;
    if (real && bytes == 4) {
      float f;
      memcpy(&f, &v, sizeof f);
      memcpy(&v, &(double){f}, sizeof v);
    }
    if (i) print_put(c, ",", 1);
    print_put_value(c, s, v);
  }
  c->at += whole;
  c->parsed++;
  return true;
}

static bool print_convert(struct call *c, const struct spec *s) {
  uint64_t v = 0;
  if (s->conversion == '%') return print_put(c, "%", 1), true;
  if (print_kind(s) == NONE) return print_put(c, s->written, s->n), true;
  if (s->elements) return print_put_vector(c, s);
  const bool eight = print_kind(s) == REAL || s->length == 'l' || s->conversion == 's' || s->conversion == 'p';
  if (!print_argument(c, eight ? 8 : 4, &v)) return false;
  if (s->conversion == 's') return print_put_string(c, s, v);
  print_put_value(c, s, v);
  return true;
}

/* *result: the number of arguments, or -1 without a format, as CUDA's. */
static bool print_format(struct call *c, uint64_t a, uint32_t *result) {
  struct spec s;
  char ch = 0;
  *result = UINT32_MAX;
  if (!a) return true;
  for (;;) {
    if (!print_fetch(c, a++, 1, &ch)) return false;
    if (!ch) break;
    if (ch != '%') print_put(c, &ch, 1);
    else if (!print_read_spec(c, &a, &s) || !print_convert(c, &s)) return false;
  }
  *result = c->parsed;
  return true;
}

int exec_print(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes) {
  const uint32_t *fmt = exec_row(x, w, d, 0), *args = exec_row(x, w, d, 1);
  struct call c = {.x = x, .w = w, .d = d};
  bool ok = true;
  if (w->red) return STREAM_WAIT; /* it may print the result of its own pending atomic */
  for (uint32_t rest = lanes; ok && rest; rest &= rest - 1) {
    unsigned i = c.lane = (unsigned)bit_low32(rest);
    c.args = (uint64_t)args[LANES + i] << 32 | args[i];
    c.at = c.n = c.parsed = 0;
    ok = print_format(&c, (uint64_t)fmt[LANES + i] << 32 | fmt[i], &x->scratch[0][i]);
    if (ok && x->launch->prints)
      print_say(x, (uint64_t)x->cta[w->cta_slot].id * 1024 + w->index * LANES + i, c.text, c.n);
  }
  free(c.text);
  if (!ok) return STREAM_ERROR;
  if (d->dst[0] != NO_ROW) row_merge(w->rows + d->dst[0], x->scratch[0], lanes);
  return STREAM_GIVEN;
}

/* ---- assert ---- */

enum { ASSERT_TEXT = 200 }; /* bytes of a text that are shown */

/* A text of the thread's memory, cut; false: a fault was reported. */
static bool print_read_string(struct call *c, unsigned source, char text[ASSERT_TEXT]) {
  const uint32_t *row = exec_row(c->x, c->w, c->d, source);
  const uint64_t a = (uint64_t)row[LANES + c->lane] << 32 | row[c->lane];
  memset(text, 0, ASSERT_TEXT);
  for (unsigned n = 0; a && n + 1 < ASSERT_TEXT; n++)
    if (!print_fetch(c, a + n, 1, &text[n])) return false;
    else if (!text[n]) break;
  return true;
}

int exec_assert(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes) {
  char message[ASSERT_TEXT], file[ASSERT_TEXT], function[ASSERT_TEXT];
  struct call c = {.x = x, .w = w, .d = d, .lane = (unsigned)bit_low32(lanes)};
  const uint32_t *g = x->launch->grid, *b = x->launch->block;
  const uint32_t cta = x->cta[w->cta_slot].id, t = w->index * LANES + c.lane;
  if (w->red) return STREAM_WAIT;
  w->state = WS_ERROR;
  if (!print_read_string(&c, 0, message) || !print_read_string(&c, 1, file) || !print_read_string(&c, 3, function))
    return STREAM_ERROR;
  err_at(&x->s.err, x->code->file, (int)d->insn->line, (int)d->insn->col,
         "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, exec_row(x, w, d, 2)[c.lane],
         function, cta % g[0], cta / g[0] % g[1], cta / g[0] / g[1], t % b[0], t / b[0] % b[1], t / b[0] / b[1],
         message);
  x->s.err.fault = FAULT_ASSERT;
  return STREAM_ERROR;
}
