/* SPDX-License-Identifier: Apache-2.0 */
/* traceg: the structure of a .traceg file: its head, its CTAs, and their warps; inst.c reads their instructions. */
#include "trace/accelsim/traceg.h"

#include <stdlib.h>

#include "base/bits.h"
#include "trace/accelsim/inst.h"

enum { THREADS_MAX = 1024, SHARED_MAX = 227 * 1024, VERSION_MAX = 6 };

struct traceg {
  struct lines *l;
  struct traceg_head h;
  enum where { OUTSIDE, BEGUN, IN_CTA, AT_WARP, IN_WARP } where;
  bool pending;                    /* the line that ended the head is a #BEGIN_TB */
  uint32_t warp, warps_seen, left; /* left: instructions that its warp still has */
  uint32_t *seen, nseen, room;     /* CTAs so far */
  bool ordered;                    /* in ascending order */
};

const struct traceg_head *traceg_head(const struct traceg *t) { return &t->h; }
const char *traceg_path(const struct traceg *t) { return lines_path(t->l); }
int traceg_line(const struct traceg *t) { return lines_line(t->l); }

static struct scan scan_of(const struct traceg *t, const char *text, struct err *e) {
  return (struct scan){lines_path(t->l), text, text, lines_line(t->l), e};
}

/* ---- head ---- */

static bool traceg_read_dims(struct scan *s, uint32_t most_z, const char *what, uint32_t *d) {
  return scan_text(s, "(") && scan_u32(s, 1, INT32_MAX, what, &d[0]) && scan_text(s, ",") &&
         scan_u32(s, 1, most_z, what, &d[1]) && scan_text(s, ",") && scan_u32(s, 1, most_z, what, &d[2]) &&
         scan_text(s, ")");
}

static bool windows_base(struct scan *s, uint64_t *base) { return scan_hex(s, UINT64_MAX, "an address", base); }

/* A line "-KEY = VALUE" of the head; other keys are passed over. */
static bool head_line(struct traceg *t, struct scan *s) {
  struct traceg_head *h = &t->h;
  uint64_t stream = 0;
  int64_t n = 0;
  if (scan_is(s, "-kernel name =")) {
    scan_blanks(s);
    free(h->name);
    const size_t size = strlen(s->at) + 1;
    h->name = memcpy(xmalloc(size), s->at, size);
    return true;
  }
  if (scan_is(s, "-kernel id =")) return scan_u32(s, 0, INT32_MAX, "a number of a kernel", &h->id) && scan_end(s);
  if (scan_is(s, "-grid dim =")) return traceg_read_dims(s, 65535, "a number of CTAs", h->grid) && scan_end(s);
  if (scan_is(s, "-block dim ="))
    return traceg_read_dims(s, THREADS_MAX, "a number of threads", h->block) && scan_end(s);
  if (scan_is(s, "-shmem ="))
    return scan_u32(s, 0, SHARED_MAX, "bytes of shared memory", &h->shared_bytes) && scan_end(s);
  if (scan_is(s, "-nregs =")) return scan_u32(s, 0, 255, "registers of a thread", &h->regs) && scan_end(s);
  if (scan_is(s, "-binary version =")) return scan_u32(s, 1, 9999, "a binary version", &h->binary) && scan_end(s);
  if (scan_is(s, "-cuda stream id =")) {
    const bool good = scan_int(s, 0, INT64_MAX, "a number of a stream", &n) && scan_end(s);
    stream = (uint64_t)n;
    h->stream = stream;
    return good;
  }
  if (scan_is(s, "-shmem base_addr =")) return windows_base(s, &h->shared_base) && scan_end(s);
  if (scan_is(s, "-local mem base_addr =")) return windows_base(s, &h->local_base) && scan_end(s);
  if (scan_is(s, "-accelsim tracer version =")) {
    char *dot = strchr(s->at, '.'); /* the first tracers had 1.2 */
    if (dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")]) *dot = 0;
    return scan_u32(s, 0, VERSION_MAX, "a tracer's version", &h->version) && scan_end(s);
  }
  if (scan_is(s, "-enable lineinfo =")) return scan_u32(s, 0, 1, "0 or 1", &h->lineinfo) && scan_end(s);
  return true;
}

static bool head_whole(struct traceg *t, struct err *e) {
  struct traceg_head *h = &t->h;
  const char *missing = !h->grid[0] ? "-grid dim" : !h->block[0] ? "-block dim" : !h->binary ? "-binary version" : NULL;
  const int line = lines_line(t->l);
  if (missing)
    return err_at(e, lines_path(t->l), line ? line : 1, 1, "found a head without '%s', expected one", missing);
  const uint64_t threads = (uint64_t)h->block[0] * h->block[1] * h->block[2];
  const uint64_t rows = (uint64_t)h->grid[0] * h->grid[1];
  if (threads > THREADS_MAX)
    return err_at(e, lines_path(t->l), line, 1, "found a block of %llu threads, expected at most %d",
                  (unsigned long long)threads, THREADS_MAX);
  if (rows > UINT32_MAX / h->grid[2])
    return err_at(e, lines_path(t->l), line, 1, "found a grid of (%u,%u,%u) CTAs, expected at most %u together",
                  h->grid[0], h->grid[1], h->grid[2], UINT32_MAX);
  h->threads = (uint32_t)threads;
  h->warps = (h->threads + 31) / 32;
  h->ctas = (uint32_t)rows * h->grid[2];
  if (!h->name || !h->name[0]) {
    free(h->name);
    h->name = memcpy(xmalloc(7), "kernel", 7);
  }
  return true;
}

static bool traceg_read_head(struct traceg *t, struct err *e) {
  char *text;
  size_t n;
  int k;
  while ((k = lines_next(t->l, &text, &n, e)) > 0 && text[0] != '#') {
    struct scan s = scan_of(t, text, e);
    scan_blanks(&s);
    if (!*s.at) continue;
    if (text[0] != '-') return scan_wrong(&s, s.at, "a line '-KEY = VALUE' of the head, or '#traces format'");
    if (!head_line(t, &s)) return false;
  }
  if (k < 0) return false;
  if (!head_whole(t, e)) return false;
  t->pending = k && !strncmp(text, "#BEGIN_TB", 9);
  return true;
}

struct traceg *traceg_read(struct lines *l, struct err *e) {
  struct traceg *t = xcalloc(1, sizeof *t);
  t->l = l;
  t->ordered = true;
  if (traceg_read_head(t, e)) {
    t->where = t->pending ? BEGUN : OUTSIDE;
    return t;
  }
  traceg_close(t);
  return NULL;
}

struct traceg *traceg_open(const char *path, struct err *e) {
  struct lines *l = lines_open(path, e);
  return l ? traceg_read(l, e) : NULL;
}

void traceg_close(struct traceg *t) {
  if (!t) return;
  lines_close(t->l);
  free(t->h.name);
  free(t->seen);
  free(t);
}

/* ---- CTAs and warps ---- */

static bool cta_line(struct traceg *t, struct scan *s, uint32_t *at) {
  const uint32_t *g = t->h.grid;
  uint32_t x = 0, y = 0, z = 0;
  if (t->where != BEGUN) return scan_wrong(s, s->line, "'#BEGIN_TB' before a thread block");
  if (!scan_u32(s, 0, g[0] - 1, "a thread block of the grid", &x) || !scan_text(s, ",") ||
      !scan_u32(s, 0, g[1] - 1, "a thread block of the grid", &y) || !scan_text(s, ",") ||
      !scan_u32(s, 0, g[2] - 1, "a thread block of the grid", &z) || !scan_end(s))
    return false;
  *at = (z * g[1] + y) * g[0] + x;
  if (t->nseen && *at <= t->seen[t->nseen - 1]) t->ordered = false;
  VEC_PUSH(t->seen, t->nseen, t->room) = *at;
  t->where = IN_CTA;
  t->warps_seen = 0;
  return true;
}

static bool warp_line(struct traceg *t, struct scan *s, uint32_t *at) {
  if (t->where != IN_CTA) return scan_wrong(s, s->line, "'thread block' before a warp");
  if (!scan_u32(s, 0, t->h.warps - 1, "a warp of the thread block", &t->warp) || !scan_end(s)) return false;
  if (t->warps_seen >> t->warp & 1) return scan_wrong(s, s->line, "each warp of a thread block once");
  t->warps_seen |= 1u << t->warp;
  t->where = AT_WARP;
  *at = t->warp;
  return true;
}

static bool insts_line(struct traceg *t, struct scan *s) {
  if (t->where != AT_WARP) return scan_wrong(s, s->line, "'warp' before a number of instructions");
  if (!scan_u32(s, 0, INT32_MAX, "a number of instructions", &t->left) || !scan_end(s)) return false;
  t->where = t->left ? IN_WARP : IN_CTA;
  return true;
}

/* At the end of the file: each CTA of the grid was there once. */
static enum traceg_event file_end(struct traceg *t, struct err *e) {
  const int line = lines_line(t->l) + 1;
  if (t->where != OUTSIDE) {
    err_at(e, lines_path(t->l), line, 1, "found the end of the file, expected %s: the file is cut off",
           t->where == IN_WARP   ? "more instructions of the warp"
           : t->where == AT_WARP ? "'insts = N'"
           : t->where == BEGUN   ? "'thread block = X,Y,Z'"
                                 : "'#END_TB'");
    return TRACEG_ERROR;
  }
  if (!t->ordered) qsort(t->seen, t->nseen, sizeof *t->seen, u32_compare);
  for (uint32_t k = 1; k < t->nseen && !t->ordered; k++)
    if (t->seen[k] == t->seen[k - 1]) {
      const uint32_t c = t->seen[k], *g = t->h.grid;
      err_at(e, lines_path(t->l), line, 1, "found thread block %u,%u,%u twice, expected each once", c % g[0],
             c / g[0] % g[1], c / g[0] / g[1]);
      return TRACEG_ERROR;
    }
  if (t->nseen == t->h.ctas) return TRACEG_END;
  err_at(e, lines_path(t->l), line, 1, "found %u thread blocks, expected %u, as the grid has", t->nseen, t->h.ctas);
  return TRACEG_ERROR;
}

enum traceg_event traceg_next(struct traceg *t, uint32_t *at, struct traceg_inst *i, struct err *e) {
  char *text;
  size_t n;
  int k;
  while ((k = lines_next(t->l, &text, &n, e)) > 0) {
    struct scan s = scan_of(t, text, e);
    scan_blanks(&s);
    if (!*s.at) continue;
    if (t->where == IN_WARP) {
      if (text[0] == '#' || text[0] == 'w') {
        scan_wrong(&s, s.at, "another instruction: the warp has fewer than 'insts' says");
        return TRACEG_ERROR;
      }
      if (!traceg_inst(&t->h, t->warp, &s, i)) return TRACEG_ERROR;
      if (!--t->left) t->where = IN_CTA;
      return TRACEG_INST;
    }
    if (scan_is(&s, "#BEGIN_TB")) {
      if (t->where != OUTSIDE) return scan_wrong(&s, text, "'#END_TB' of the thread block before"), TRACEG_ERROR;
      t->where = BEGUN;
    } else if (scan_is(&s, "#END_TB")) {
      if (t->where != IN_CTA) return scan_wrong(&s, text, "a thread block to end"), TRACEG_ERROR;
      t->where = OUTSIDE;
      return TRACEG_CTA_END;
    } else if (scan_is(&s, "thread block =")) {
      return cta_line(t, &s, at) ? TRACEG_CTA : TRACEG_ERROR;
    } else if (scan_is(&s, "warp =")) {
      return warp_line(t, &s, at) ? TRACEG_WARP : TRACEG_ERROR;
    } else if (scan_is(&s, "insts =")) {
      if (!insts_line(t, &s)) return TRACEG_ERROR;
    } else if (!scan_is(&s, "cluster ")) {
      scan_wrong(&s, s.at,
                 t->where == OUTSIDE  ? "'#BEGIN_TB'"
                 : t->where == BEGUN  ? "'thread block = X,Y,Z'"
                 : t->where == IN_CTA ? "'warp = N' or '#END_TB'"
                                      : "'insts = N'");
      return TRACEG_ERROR;
    }
  }
  return k < 0 ? TRACEG_ERROR : file_end(t, e);
}
