/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access: addresses of a memory instruction, their check against allocations, loads and stores.
 *
 * The check is one pass over a row: with the last allocation's low end lo and span (last legal first byte - lo), an
 * address a is inside when neither a - lo nor span - (a - lo) has its top bit set. Only when one has, lanes are
 * checked one by one. A span of all ones admits nothing: one of t and -1 - t has its top bit set.
 *
 * Local memory of a warp is [word][lane]: a word that all lanes access is one row of 128 bytes, here and in timing.
 */
#include <stdio.h>

#include "exec/warp.h"

static const v4u lane_times4[ROW_V] = {
    {0, 4, 8, 12},    {16, 20, 24, 28}, {32, 36, 40, 44},    {48, 52, 56, 60},
    {64, 68, 72, 76}, {80, 84, 88, 92}, {96, 100, 104, 108}, {112, 116, 120, 124},
};

static inline uint32_t v4_or(v4u v) { return v[0] | v[1] | v[2] | v[3]; }

/* The or of the values and a hash of a filled row pair. The hash depends on the order of lanes: sums of running sums.
 */
static inline void access_summarise(struct access *c) {
  const v4u *a = (const v4u *)c->a, *h = (const v4u *)c->h;
  v4u any = v4_all(0), hd = any, cont = any, s = any, t = any;
  v4u h0 = v4_all(c->h[c->first]), a0 = v4_all(c->a[c->first] - 4 * c->first);
  for (unsigned k = 0; k < ROW_V; k++) {
    any |= a[k];
    hd |= h[k] ^ h0;
    cont |= a[k] ^ (a0 + lane_times4[k]);
    s += a[k];
    t += s;
  }
  c->any = v4_or(any);
  c->hdiff = v4_or(hd);
  c->cont = v4_or(cont);
  s = s * 31 + t;
  uint64_t x = (uint64_t)s[0] << 32 | s[1], y = (uint64_t)s[2] << 32 | s[3];
  c->hash = hash_mix(x, y) + c->h[c->first];
}

/* Lanes outside `lanes` repeat the lowest lane's address. */
static inline void access_repeat_lowest(struct access *c, uint32_t lanes) {
  v4u *a = (v4u *)c->a, *h = (v4u *)c->h;
  v4u a0 = v4_all(c->a[c->first]), h0 = v4_all(c->h[c->first]);
  for (unsigned k = 0; k < ROW_V; k++) {
    v4u on = lane_on(lanes, k);
    a[k] = (a[k] & on) | (a0 & ~on);
    h[k] = (h[k] & on) | (h0 & ~on);
  }
}

void access_from_rows(const uint32_t *base, unsigned words, uint64_t off, uint32_t lanes, struct access *c) {
  const v4u *lo = (const v4u *)base;
  v4u *a = (v4u *)c->a, *h = (v4u *)c->h;
  v4u ol = v4_all((uint32_t)off), oh = v4_all((uint32_t)(off >> 32));
  c->first = (uint32_t)bit_low32(lanes);
  if (words == 2) {
    const v4u *hi = (const v4u *)(base + LANES);
    for (unsigned k = 0; k < ROW_V; k++) {
      v4u s = lo[k] + ol;
      h[k] = hi[k] + oh - (v4u)(s < ol); /* a comparison that holds is -1: the carry */
      a[k] = s;
    }
  } else {
    for (unsigned k = 0; k < ROW_V; k++) {
      a[k] = lo[k] + ol;
      h[k] = v4_all(0);
    }
  }
  if (lanes != FULL) access_repeat_lowest(c, lanes);
  access_summarise(c);
}

void access_addresses(const struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t lanes,
                      struct access *c) {
  access_from_rows(exec_row(x, w, d, 0), d->awords, (uint64_t)d->insn->offset, lanes, c);
}

enum space access_window(uint32_t h) {
  static const enum space of[] = {SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST, SP_PARAM};
  return h < 5 ? of[h] : SP_GENERIC;
}
_Static_assert(SHARED_WINDOW == 1 * WINDOW_SIZE && LOCAL_WINDOW == 2 * WINDOW_SIZE && CONST_WINDOW == 3 * WINDOW_SIZE &&
                   PARAM_WINDOW == 4 * WINDOW_SIZE && WINDOW_SIZE == 1ull << 32,
               "the high word of a generic address names its window");

uint32_t access_group(const struct access *c, uint32_t lanes) {
  uint32_t g = 0, h = c->h[bit_low32(lanes)];
  for (unsigned i = 0; i < LANES; i++) g |= (uint32_t)(c->h[i] == h) << i;
  return g & lanes;
}

void access_narrow(const struct access *c, uint32_t lanes, struct access *to) {
  *to = *c;
  to->first = (uint32_t)bit_low32(lanes);
  access_repeat_lowest(to, lanes);
  access_summarise(to);
}

uint8_t *access_base(const struct exec *x, const struct warp *w, enum space sp) {
  switch (sp) {
    case SP_SHARED: return x->cta[w->cta_slot].shared;
    case SP_CONST: return x->bank->data;
    case SP_PARAM: return x->param;
    case SP_LOCAL: return x->local + (uint64_t)w->slot * x->local_words * ROW_BYTES;
    default: return x->launch->mem->image;
  }
}

/* ---- bounds ---- */

static inline bool access_is_inside(const struct access *c, uint32_t lo, uint32_t span) {
  const v4u *a = (const v4u *)c->a;
  v4u l = v4_all(lo), s = v4_all(span), bad = v4_all(0);
  for (unsigned k = 0; k < ROW_V; k++) {
    v4u t = a[k] - l;
    bad |= t | (s - t);
  }
  return !(v4_or(bad) >> 31);
}

/* The position of address a (of `bytes`) relative to a region, in words. */
static void access_describe_region(char *buf, size_t n, const struct region *r, uint64_t a, unsigned bytes,
                                   const char *what) {
  uint64_t end = (uint64_t)r->base + r->size;
  char where[64];
  if (a < r->base) snprintf(where, sizeof where, "%llu bytes before the start", (unsigned long long)(r->base - a));
  else if (a < end)
    snprintf(where, sizeof where, "reaching %llu bytes past the end", (unsigned long long)(a + bytes - end));
  else snprintf(where, sizeof where, "%llu bytes past the end", (unsigned long long)(a - end));
  if (r->name) snprintf(buf, n, "%s of %s '%.100s' (%u bytes at 0x%x)", where, what, r->name, r->size, r->base);
  else snprintf(buf, n, "%s of a %s of %u bytes at 0x%x", where, what, r->size, r->base);
}

static void access_describe_limit(char *buf, size_t n, uint64_t a, unsigned bytes, uint32_t limit, const char *what) {
  if (a >> 63)
    snprintf(buf, n, "%llu bytes before the start of %s (%u bytes)", (unsigned long long)(0 - a), what, limit);
  else if (a < limit)
    snprintf(buf, n, "reaching %llu bytes past the end of %s (%u bytes)", (unsigned long long)(a + bytes - limit), what,
             limit);
  else snprintf(buf, n, "%llu bytes past the end of %s (%u bytes)", (unsigned long long)(a - limit), what, limit);
}

static uint32_t space_limit(const struct exec *x, enum space sp) {
  return sp == SP_SHARED ? x->s.shared_bytes : sp == SP_LOCAL ? x->code->local_bytes : x->code->param_bytes;
}

static const char *const space_name[] = {"generic", "global", "shared", "local", "const", "param"};
static const char *access_verb(const struct dinsn *d, enum space sp) {
  if (d->kind == DK_CP) return sp == SP_SHARED ? "copy to" : "copy from";
  if (d->kind == DK_PRINT) return d->insn->sub == PRINT_ASSERT ? "assert: load of" : "vprintf: load of";
  if (d->kind == DK_MBAR) return "mbarrier of";
  return d->kind == DK_ST ? "store of" : d->kind == DK_ATOM ? "atomic of" : "load of";
}

/* What an access has exceeded. */
static void access_describe_outside(char *buf, size_t size, const struct exec *x, enum space sp, uint64_t a,
                                    unsigned n) {
  const struct memory *m = x->launch->mem;
  const struct region *r;
  switch (sp) {
    case SP_SHARED: access_describe_limit(buf, size, a, n, space_limit(x, sp), "the CTA's shared memory"); break;
    case SP_LOCAL: access_describe_limit(buf, size, a, n, space_limit(x, sp), "the thread's local memory"); break;
    case SP_PARAM: access_describe_limit(buf, size, a, n, space_limit(x, sp), "the parameters"); break;
    case SP_CONST:
      r = region_near(&x->bank->list, a);
      if (r) access_describe_region(buf, size, r, a, n, "variable");
      else snprintf(buf, size, "there is no constant variable");
      break;
    default:
      r = region_near(&m->global, a);
      if (a + 4096 < 2 * 4096) snprintf(buf, size, "a null pointer");
      else if (r) access_describe_region(buf, size, r, a, n, r->symbol ? "variable" : "buffer");
      else snprintf(buf, size, "there is no buffer");
  }
}

bool access_outside(struct exec *x, struct warp *w, const struct dinsn *d, enum space sp, uint32_t lane, uint64_t a,
                    unsigned n) {
  char where[256];
  access_describe_outside(where, sizeof where, x, sp, a, n);
  exec_fault(x, w, FAULT_BOUNDS, (uint32_t)(d - x->dec), (int)lane,
             "%s %u bytes at %s address 0x%llx is out of bounds: %s", access_verb(d, sp), n, space_name[sp],
             (unsigned long long)a, where);
  return false;
}

bool access_lenient(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lane, uint64_t a, unsigned n) {
  const struct memory *m = x->launch->mem;
  char where[256];
  if (!m->lenient || a < m->first || a + n > m->bytes) return false;
  if (x->beyond.set) return true;
  access_describe_outside(where, sizeof where, x, SP_GLOBAL, a, n);
  exec_place(x, w, (uint32_t)(d - x->dec), (int)lane, &x->beyond,
             "%s %u bytes at global address 0x%llx is out of bounds: %s", access_verb(d, SP_GLOBAL), n,
             (unsigned long long)a, where);
  return true;
}

/* A pad may be read. */
static bool access_is_read(const struct dinsn *d) { return d->kind == DK_LD || d->kind == DK_CP; }
static uint32_t access_pad(const struct region *r, const struct dinsn *d) { return access_is_read(d) ? r->pad : 0; }
static const struct region *access_find_region(const struct region_list *l, const struct dinsn *d, uint32_t a) {
  return access_is_read(d) ? region_reads(l, a) : region_find(l, a);
}

/* Lane by lane; also fills the cached allocation on success. */
static bool access_check_lanes(struct exec *x, struct warp *w, struct dinsn *d, enum space sp, uint32_t lanes,
                               struct access *c) {
  const struct memory *m = x->launch->mem;
  const struct region_list *l = sp == SP_CONST ? &x->bank->list : &m->global;
  bool regions = sp == SP_CONST || sp == SP_GLOBAL;
  struct window *win = &d->win[sp == SP_CONST];
  if (regions) { /* another single allocation? */
    const struct region *r = access_find_region(l, d, c->a[c->first]);
    uint32_t pad = r ? access_pad(r, d) : 0;
    if (r && r->size + 2 * pad >= d->total && !((c->any & (d->total - 1u)) | c->hdiff | c->h[c->first])) {
      struct window now = {r->base - pad, r->size + 2 * pad - d->total};
      if (access_is_inside(c, now.lo, now.span)) return *win = now, true;
    }
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)bit_low32(rest), a = c->a[i];
    uint64_t whole = (uint64_t)c->h[i] << 32 | a;
    if (a & (d->total - 1u)) {
      exec_fault(x, w, FAULT_ALIGN, (uint32_t)(d - x->dec), (int)i,
                 "%s %u bytes at %s address 0x%llx is misaligned: expected a multiple of %u", access_verb(d, sp),
                 d->total, space_name[sp], (unsigned long long)whole, d->total);
      return false;
    }
    if (regions) {
      const struct region *r = c->h[i] ? NULL : access_find_region(l, d, a);
      if (r && (uint64_t)r->base + r->size + access_pad(r, d) - a >= d->total) continue;
      if (sp != SP_GLOBAL || !access_lenient(x, w, d, i, whole, d->total))
        return access_outside(x, w, d, sp, i, whole, d->total);
      *win = (struct window){m->first, (uint32_t)m->bytes - m->first - d->total}; /* the warning is made */
    } else if (whole >= space_limit(x, sp) || space_limit(x, sp) - whole < d->total) {
      return access_outside(x, w, d, sp, i, whole, d->total);
    }
  }
  return true;
}

bool access_check(struct exec *x, struct warp *w, struct dinsn *d, enum space sp, uint32_t lanes, struct access *c) {
  if (d->kind == DK_ST && (sp == SP_CONST || sp == SP_PARAM)) {
    uint64_t a = (uint64_t)c->h[c->first] << 32 | c->a[c->first];
    exec_fault(x, w, FAULT_BOUNDS, (uint32_t)(d - x->dec), (int)c->first,
               "store of %u bytes at %s address 0x%llx: expected memory that can be written", d->total, space_name[sp],
               (unsigned long long)a);
    return false;
  }
  struct window win;
  uint32_t wrong = (c->any & (d->total - 1u)) | c->hdiff | c->h[c->first];
  if (sp == SP_GLOBAL || sp == SP_CONST) {
    win = d->win[sp == SP_CONST];
  } else {
    uint32_t limit = space_limit(x, sp);
    if (limit < d->total) return access_check_lanes(x, w, d, sp, lanes, c);
    win = (struct window){0, limit - d->total};
  }
  if (!wrong && access_is_inside(c, win.lo, win.span)) return true;
  return access_check_lanes(x, w, d, sp, lanes, c);
}

bool access_shared_only(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes, struct access *c) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    if (access_window(c->h[l]) == SP_SHARED) continue;
    exec_fault(x, w, FAULT_SPACE, (uint32_t)(d - x->dec), (int)l, "%s at address 0x%llx: expected shared memory",
               opcode_name((enum opcode)d->insn->op), (unsigned long long)c->h[l] << 32 | c->a[l]);
    return false;
  }
  memset(c->h, 0, sizeof c->h);
  c->hdiff = 0;
  return true;
}

void access_report(struct exec *x, struct warp *w, enum space sp, const struct access *c, struct warp_inst *out) {
  out->flags |= (uint8_t)(sp << 4);
  out->mem = 1;
  if (x->lim.no_addresses) return;
  uint32_t row = x->s.addr_row[w->slot]++ % ADDR_RING,
           *r = x->addr_ring + ((uint64_t)w->slot * ADDR_RING + row) * LANES;
  out->mem = row + 1;
  if (sp == SP_LOCAL) {
    uint32_t base = x->local_base + w->slot * x->local_words * ROW_BYTES;
    for (unsigned i = 0; i < LANES; i++) r[i] = base + (c->a[i] >> 2) * ROW_BYTES + i * 4 + (c->a[i] & 3);
  } else {
    memcpy(r, c->a, ROW_BYTES);
  }
}

/* ---- data ---- */

/* One element of each lane from host + o[lane] into rows dst (words: 1 or 2); `step` bytes from low to high word. */
static void access_gather(const uint8_t *host, const uint32_t *restrict o, unsigned step, const struct dinsn *d,
                          uint32_t *restrict dst, unsigned words) {
  switch (d->size) {
    case 4:
      for (unsigned i = 0; i < LANES; i++) memcpy(&dst[i], host_at(host, o[i]), 4);
      break;
    case 8:
      for (unsigned i = 0; i < LANES; i++) {
        memcpy(&dst[i], host_at(host, o[i]), 4);
        memcpy(&dst[LANES + i], host_at(host, (uint64_t)step + o[i]), 4);
      }
      return;
    case 2:
      for (unsigned i = 0; i < LANES; i++) {
        uint16_t v;
        memcpy(&v, host_at(host, o[i]), 2);
        dst[i] = d->sext && v >> 15 ? v | 0xffff0000u : v;
      }
      break;
    default:
      for (unsigned i = 0; i < LANES; i++) {
        uint8_t v = *host_at(host, o[i]);
        dst[i] = d->sext && v >> 7 ? v | 0xffffff00u : v;
      }
  }
  if (words == 2)
    for (unsigned i = 0; i < LANES; i++) dst[LANES + i] = d->sext && dst[i] >> 31 ? FULL : 0;
}

static void access_scatter(uint8_t *host, const uint32_t *o, unsigned step, const struct dinsn *d, const uint32_t *src,
                           uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)bit_low32(rest);
    uint8_t *p = host_at(host, o[i]);
    switch (d->size) {
      case 4: memcpy(p, &src[i], 4); break;
      case 8:
        memcpy(p, &src[i], 4);
        memcpy(p + step, &src[LANES + i], 4);
        break;
      case 2: {
        uint16_t v = (uint16_t)src[i];
        memcpy(p, &v, 2);
        break;
      }
      default: *p = (uint8_t)src[i];
    }
  }
}

/* Offsets in the warp's local block of element e. */
static void local_offsets(const struct access *c, unsigned byte, uint32_t *o) {
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t a = c->a[i] + byte;
    o[i] = (a >> 2) * ROW_BYTES + i * 4 + (a & 3);
  }
}

/* The same from global memory, of which this SM has written some in this quantum. */
static void access_gather_own(const struct exec *x, const struct access *c, unsigned e, const struct dinsn *d,
                              uint32_t *dst, unsigned words) {
  _Alignas(64) uint8_t raw[LANES][8];
  uint32_t o[LANES];
  for (unsigned i = 0; i < LANES; i++) {
    overlay_read(&x->over, x->launch->mem->image, c->a[i] + e * d->size, raw[i], d->size);
    o[i] = i * 8;
  }
  access_gather(raw[0], o, 4, d, dst, words);
}

static void access_load_space(struct exec *x, struct warp *w, struct dinsn *d, enum space sp, uint32_t lanes,
                              const struct access *c) {
  const uint8_t *base = access_base(x, w, sp);
  _Alignas(64) uint32_t tmp[2 * LANES], o[LANES];
  const bool own = x->over.n && sp == SP_GLOBAL && overlay_touches(&x->over, c->a);
  for (unsigned e = 0; e < d->vec; e++) {
    if (d->dst[e] == NO_ROW) continue;
    uint32_t *dst = w->rows + d->dst[e], *to = lanes == FULL ? dst : tmp;
    if (sp == SP_LOCAL) {
      local_offsets(c, e * d->size, o);
      access_gather(base, o, ROW_BYTES, d, to, d->dwords[e]);
    } else if (own) {
      access_gather_own(x, c, e, d, to, d->dwords[e]);
    } else if (!c->cont && d->total == 4 && d->vec == 1) {
      memcpy(to, host_at(base, c->a[0]), ROW_BYTES);
      if (d->dwords[e] == 2)
        for (unsigned i = 0; i < LANES; i++) to[LANES + i] = d->sext && to[i] >> 31 ? FULL : 0;
    } else {
      access_gather(host_at(base, (uint64_t)e * d->size), c->a, 4, d, to, d->dwords[e]);
    }
    if (to == dst) continue;
    row_merge(dst, tmp, lanes);
    if (d->dwords[e] == 2) row_merge(dst + LANES, tmp + LANES, lanes);
  }
}

/* To global memory, which other SMs read at the same time. */
static void access_store_apart(struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t lanes,
                               const struct access *c) {
  for (unsigned e = 0; e < d->vec; e++) {
    const uint32_t *src = exec_row(x, w, d, e + 1);
    if (!c->cont && lanes == FULL && d->total == 4 && d->vec == 1) {
      overlay_write(&x->over, c->a[0], src, ROW_BYTES);
      continue;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
      const uint32_t i = (uint32_t)bit_low32(rest), two[2] = {src[i], d->size == 8 ? src[LANES + i] : 0};
      overlay_write(&x->over, c->a[i] + e * d->size, two, d->size);
    }
  }
}

static void access_store_space(struct exec *x, struct warp *w, struct dinsn *d, enum space sp, uint32_t lanes,
                               const struct access *c) {
  uint8_t *base = access_base(x, w, sp);
  _Alignas(64) uint32_t o[LANES];
  x->changes++;
  if (exec_apart(x) && sp == SP_GLOBAL) {
    access_store_apart(x, w, d, lanes, c);
    return;
  }
  for (unsigned e = 0; e < d->vec; e++) {
    const uint32_t *src = exec_row(x, w, d, e + 1);
    if (sp == SP_LOCAL) {
      local_offsets(c, e * d->size, o);
      access_scatter(base, o, ROW_BYTES, d, src, lanes);
    } else if (!c->cont && lanes == FULL && d->total == 4 && d->vec == 1) {
      memcpy(host_at(base, c->a[0]), src, ROW_BYTES);
    } else {
      access_scatter(host_at(base, (uint64_t)e * d->size), c->a, 4, d, src, lanes);
    }
  }
}

/* Generic addresses in several windows: each group of lanes separately. The timing model sees the lanes in global
 * memory if there are any (the others repeat the lowest of them), else those in the lowest lane's window. */
static int access_run_mixed(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, const struct access *c,
                            struct warp_inst *out) {
  struct access part, report;
  enum space seen = SP_GENERIC;
  for (uint32_t rest = lanes, group; rest; rest &= ~group) {
    group = access_group(c, rest);
    access_narrow(c, group, &part);
    enum space sp = access_window(part.h[part.first]);
    if (sp == SP_GENERIC)
      return access_outside(x, w, d, sp, part.first, (uint64_t)part.h[part.first] << 32 | part.a[part.first], d->total),
             STREAM_ERROR;
    memset(part.h, 0, sizeof part.h);
    part.hdiff = 0;
    if (!access_check(x, w, d, sp, group, &part)) return STREAM_ERROR;
    if (x->races) races_insn(x, w, d, sp, group, &part);
    if (d->kind == DK_LD) access_load_space(x, w, d, sp, group, &part);
    else access_store_space(x, w, d, sp, group, &part);
    if (seen == SP_GENERIC || (sp == SP_GLOBAL && seen != SP_GLOBAL)) report = part, seen = sp;
  }
  access_report(x, w, seen, &report, out);
  return STREAM_GIVEN;
}

static inline int access_run(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out,
                             bool load) {
  struct access c;
  enum space sp = (enum space)d->space;
  if (w->red && sp <= SP_GLOBAL) return STREAM_WAIT;
  access_addresses(x, w, d, lanes, &c);
  uint64_t hash = c.hash;
  if (sp == SP_GENERIC) {
    if (c.hdiff) {
      int r = access_run_mixed(x, w, d, lanes, &c, out);
      w->hash = hash_mix(w->hash, hash);
      return r;
    }
    sp = access_window(c.h[c.first]);
    if (sp == SP_GENERIC) {
      access_outside(x, w, d, sp, c.first, (uint64_t)c.h[c.first] << 32 | c.a[c.first], d->total);
      return STREAM_ERROR;
    }
    memset(c.h, 0, sizeof c.h);
  }
  if (!access_check(x, w, d, sp, lanes, &c)) return STREAM_ERROR;
  if (x->races) races_insn(x, w, d, sp, lanes, &c);
  if (load) access_load_space(x, w, d, sp, lanes, &c);
  else access_store_space(x, w, d, sp, lanes, &c);
  access_report(x, w, sp, &c, out);
  w->hash = hash_mix(w->hash, hash);
  return STREAM_GIVEN;
}

int exec_load(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  return access_run(x, w, d, lanes, out, true);
}

int exec_store(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  return access_run(x, w, d, lanes, out, false);
}
