/* SPDX-License-Identifier: Apache-2.0 */
/* import: see import.h. */
#include "trace/accelsim/import.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/trf/trf_write.h"
#include "trace/accelsim/pages.h"
#include "trace/accelsim/rebuild.h"

enum {
  WINDOW = 1 << 24,
  SHARED_MAX = 227 * 1024,
  CONST_MAX = 64 * 1024,
  LOCAL_MAX = 512 * 1024,
  INSNS_MOST = TRF_INSNS - 1,
  NAME_MOST = 4000
};

/* A kernel: all files with its name and binary version are launches of it. */
struct kern {
  char *name;
  uint32_t binary, number, code_base; /* number: of its code in the trace */
  struct opmap *map;
  struct rebuild *code;
  struct rebuilt built;
  uint32_t shared_bytes;         /* of each launch; SHARED_DIFFERS */
  uint64_t local_low, local_end; /* of the local addresses that were seen; both 0: none */
  const char *path;              /* of its first file */
};
#define SHARED_DIFFERS UINT32_MAX

struct file {
  const char *path;
  struct traceg_head head; /* without the name */
  struct kern *kern;
  uint32_t shared_bytes;
};

struct import {
  const char *opcodes; /* a user's map, or NULL */
  struct file *file;
  struct kern **kern;
  uint32_t n, kerns, kern_room;
  struct pages *pages;
  struct trf_writer *w; /* of the second pass, else NULL */
  struct import_report *rep;
  struct err *e;
};

/* Where a pass is in a file. */
struct pass {
  struct import *m;
  struct file *k;
  struct rebuild *code; /* of its kernel */
  struct traceg *t;
  struct traceg_inst i;
  struct track track;
  bool in_warp;              /* a warp is open, which has an instruction */
  uint32_t cta, warp, warps; /* warps: of the CTA so far, bits */
  struct trf_rec *rec;
  uint64_t hash; /* of the CTA */
};

static bool import_wrong(const struct pass *p, int col, const char *found, const char *expected) {
  return err_at(p->m->e, traceg_path(p->t), traceg_line(p->t), col, "found %s, expected %s", found, expected);
}

/* ---- accesses ---- */

static bool in_window(uint64_t base, uint64_t addr) { return base && addr >= base && addr - base < WINDOW; }

/* Where our local memory begins. A thread's stack grows down from the end of its window, which may be 16 MB long: addresses
 * that do not fit count from the lowest one. */
static uint64_t kern_local_from(const struct kern *u) {
  return u->local_end <= LOCAL_MAX ? 0 : u->local_low & ~(uint64_t)127;
}

static uint32_t kern_local_bytes(const struct kern *u) {
  return (uint32_t)(u->local_end - kern_local_from(u) + 3) & ~3u;
}

/* The space of an access, and what its addresses begin at. */
static enum space import_space_of(const struct pass *p, enum op_class c, uint64_t *base) {
  const struct traceg_head *h = &p->k->head;
  const uint64_t first = p->i.addr[bit_low32(p->i.mask)];
  enum space sp = (enum space)op_class_space(c);
  if (sp == SP_GENERIC)
    sp = in_window(h->shared_base, first) ? SP_SHARED : in_window(h->local_base, first) ? SP_LOCAL : SP_GLOBAL;
  *base = 0;
  if (sp == SP_SHARED && in_window(h->shared_base, first)) *base = h->shared_base;
  if (sp == SP_LOCAL && in_window(h->local_base, first)) *base = h->local_base;
  return sp;
}

static unsigned import_width_of(const struct pass *p, enum op_class c) { return c == OC_MATRIX ? 16 : p->i.bytes; }

static bool import_access_fits(struct pass *p, enum op_class c) {
  const unsigned n = import_width_of(p, c);
  char found[96];
  if (!p->i.access) return import_wrong(p, p->i.opcode_col, "an access without addresses", "its width and addresses");
  const bool whole = n && n <= 16 && !(n & (n - 1)), narrow = c == OC_COPY && n < 4;
  if (!whole || narrow) {
    snprintf(found, sizeof found, "an access of %u bytes", n);
    return import_wrong(p, p->i.opcode_col, found, whole ? "4, 8 or 16 of an asynchronous copy" : "1, 2, 4, 8 or 16");
  }
  if (c != OC_MATRIX || p->i.mask == UINT32_MAX) return true;
  snprintf(found, sizeof found, "the mask %08x of a matrix load", p->i.mask);
  return import_wrong(p, p->i.opcode_col, found, "all 32 lanes");
}

/* Addresses as an access of this space has them, relative to its window, and whole multiples of the width. */
static bool import_normalise(struct pass *p, enum op_class c, enum space *sp) {
  uint64_t base, off = 0;
  const unsigned n = import_width_of(p, c);
  *sp = import_space_of(p, c, &base);
  for (uint32_t m = p->i.mask; m; m &= m - 1) {
    uint64_t *a = &p->i.addr[bit_low32(m)];
    *a -= base;
    off |= *a & (n - 1);
    *a &= ~(uint64_t)(n - 1);
  }
  if (off && p->m->w) p->m->rep->rounded++;
  const bool atomic = c >= OC_ATOMIC_GLOBAL && c <= OC_REDUCTION_GLOBAL;
  return !(atomic && *sp == SP_LOCAL) ||
         import_wrong(p, p->i.addr_col, "an atomic on local memory", "global or shared memory");
}

/* First pass: bytes from `a` on are local memory of the kernel. False: they are too far from the others. */
static bool kern_measure_local(struct kern *u, uint64_t a, unsigned n) {
  if (!u->local_end || a < u->local_low) u->local_low = a;
  if (a + n > u->local_end) u->local_end = a + n;
  return a <= UINT64_MAX - n && u->local_end - kern_local_from(u) <= LOCAL_MAX;
}

/* Returns false and the error: memory of this space does not have the address. */
static bool out_of_space(const struct pass *p, enum space sp, uint64_t a) {
  char found[96];
  if (sp == SP_GLOBAL)
    return import_wrong(p, p->i.addr_col, "more memory than 767 MB in parts of 4 KB",
                        "traces that touch less together");
  snprintf(found, sizeof found, "%s address %" PRIx64,
           sp == SP_SHARED  ? "shared"
           : sp == SP_CONST ? "constant"
                            : "local",
           a);
  return import_wrong(p, p->i.addr_col, found,
                      sp == SP_SHARED  ? "at most 227 KB"
                      : sp == SP_CONST ? "at most 64 KB"
                                       : "those of a kernel within 512 KB");
}

/* First pass: how much memory of each space the kernel needs. */
static bool import_measure(struct pass *p, enum op_class c) {
  enum space sp;
  if (!import_access_fits(p, c) || !import_normalise(p, c, &sp)) return false;
  const unsigned n = import_width_of(p, c);
  const uint32_t limit = sp == SP_SHARED ? SHARED_MAX : CONST_MAX;
  for (uint32_t m = p->i.mask; m; m &= m - 1) {
    const uint64_t a = p->i.addr[bit_low32(m)];
    const bool fits = sp == SP_GLOBAL  ? pages_touch(p->m->pages, a)
                      : sp == SP_LOCAL ? kern_measure_local(p->k->kern, a, n)
                                       : a <= limit - n;
    if (!fits) return out_of_space(p, sp, a);
    if (sp == SP_SHARED && a + n > p->k->shared_bytes) p->k->shared_bytes = (uint32_t)a + n;
  }
  if (c == OC_COPY && p->k->shared_bytes < 32 * 16) p->k->shared_bytes = 32 * 16;
  return true;
}

/* An access, whose addresses count. A load from constant memory mostly has none, and is no access then. */
static bool import_is_access(const struct pass *p, enum op_class c) {
  return p->i.mask && op_class_memory(c) && (c != OC_LOAD_CONST || p->i.access);
}

/* Second pass: the row of an access in our memory. */
static void import_row_of(struct pass *p, enum space sp, uint32_t *row) {
  const uint64_t local = kern_local_from(p->k->kern);
  const unsigned low = (unsigned)bit_low32(p->i.mask);
  for (unsigned l = 0; l < 32; l++) {
    const unsigned from = p->i.mask >> l & 1 ? l : low;
    const uint64_t a = p->i.addr[from];
    if (sp == SP_GLOBAL) row[l] = pages_map(p->m->pages, a);
    else if (sp == SP_LOCAL) row[l] = (uint32_t)((a - local) / 4 * 128 + 4 * from + a % 4);
    else row[l] = (uint32_t)a;
  }
}

/* ---- instructions ---- */

static void count_unknown(struct import *m, const char *opcode) {
  const char *names = m->rep->unknown_names;
  const size_t n = strlen(names), more = strlen(opcode);
  m->rep->unknown++;
  if (n + more + 3 < IMPORT_NAMES) snprintf(m->rep->unknown_names + n, IMPORT_NAMES - n, "%s%s", n ? ", " : "", opcode);
}

static bool import_learn(struct pass *p) {
  enum op_class c;
  bool unknown;
  const uint32_t before = rebuild_count(p->code);
  const int64_t id = rebuild_find(p->code, &p->i, true, &c, &unknown);
  if (id == REBUILD_NONE)
    return import_wrong(p, p->i.opcode_col, "more than 1048575 different instructions in one kernel", "fewer");
  if (unknown && rebuild_count(p->code) != before) count_unknown(p->m, p->i.opcode);
  if (import_is_access(p, c) && !import_measure(p, c)) return false;
  track_step(p->code, &p->track, (uint32_t)id, p->i.mask);
  return true;
}

static void import_mix_hash(struct pass *p, uint32_t op, uint32_t lanes) {
  p->hash = (p->hash ^ ((uint64_t)p->warp << 32 | op)) * 0x100000001b3ull;
  p->hash = (p->hash ^ lanes) * 0x100000001b3ull;
}

static bool import_record(struct pass *p) {
  enum op_class c;
  enum space sp = SP_GENERIC;
  bool unknown;
  uint32_t row[32], to[32];
  const int64_t id = rebuild_find(p->code, &p->i, false, &c, &unknown);
  if (id == REBUILD_NONE)
    return import_wrong(p, p->i.opcode_col, "an instruction that was not there before", "a file that stays");
  const uint32_t come = track_step(p->code, &p->track, (uint32_t)id, p->i.mask);
  struct warp_inst w = {.op = rebuild_op(p->code, (uint32_t)id), .active = come, .lanes = p->i.mask};
  const bool access = import_is_access(p, c);
  if (access && (!import_access_fits(p, c) || !import_normalise(p, c, &sp))) return false;
  if (access) import_row_of(p, sp, row);
  if (access && c == OC_COPY) /* the trace has no shared addresses of copies */
    for (unsigned l = 0; l < 32; l++) to[l] = l * p->i.bytes;
  w.flags = (uint8_t)(sp << 4);
  import_mix_hash(p, w.op, w.lanes);
  trf_add(p->rec, p->warp, &w, access ? row : NULL, access && c == OC_COPY ? to : NULL, NULL);
  p->m->rep->warp_insns++;
  p->m->rep->unknown_insns += unknown;
  p->m->rep->texels += c == OC_TEXTURE || c == OC_SURFACE;
  p->m->rep->bulk += c == OC_BULK || c == OC_WGMMA;
  return true;
}

/* ---- CTAs and warps ---- */

static void import_end_warp(struct pass *p) {
  if (!p->in_warp) return;
  p->in_warp = false;
  if (track_end(p->code, &p->track) || !p->rec) return;
  const uint32_t alive = track_alive(&p->track);
  const struct warp_inst w = {.op = p->k->kern->built.exit, .active = alive ? alive : 1, .lanes = alive ? alive : 1};
  import_mix_hash(p, w.op, w.lanes);
  trf_add(p->rec, p->warp, &w, NULL, NULL, NULL);
  p->m->rep->no_exit++;
}

static bool import_end_cta(struct pass *p) {
  const uint32_t all = UINT32_MAX >> (32 - p->k->head.warps);
  char found[64], expected[64];
  import_end_warp(p);
  if (p->warps != all) {
    snprintf(found, sizeof found, "no instruction of warp %d", bit_low32(all & ~p->warps));
    snprintf(expected, sizeof expected, "some of each of its %u warps", p->k->head.warps);
    return import_wrong(p, 1, found, expected);
  }
  if (p->rec) trf_cta_end(p->m->w, p->rec, p->hash);
  p->m->rep->ctas += p->rec != NULL;
  p->rec = NULL;
  return true;
}

static void import_begin_cta(struct pass *p) {
  p->warps = 0;
  p->hash = fnv1a(FNV_START, &p->cta, sizeof p->cta);
  if (p->m->w) p->rec = trf_cta_begin(p->m->w, p->cta);
}

static bool import_read_file(struct pass *p) {
  for (;;) {
    uint32_t at = 0;
    switch (traceg_next(p->t, &at, &p->i, p->m->e)) {
      case TRACEG_ERROR: return false;
      case TRACEG_END: return true;
      case TRACEG_CTA:
        p->cta = at;
        import_begin_cta(p);
        break;
      case TRACEG_WARP:
        import_end_warp(p);
        p->warp = at;
        track_begin(&p->track, p->k->head.threads - 32 * at < 32 ? p->k->head.threads - 32 * at : 32);
        break;
      case TRACEG_INST:
        p->warps |= 1u << p->warp;
        p->in_warp = true;
        if (!(p->m->w ? import_record(p) : import_learn(p))) return false;
        break;
      case TRACEG_CTA_END:
        if (!import_end_cta(p)) return false;
        break;
    }
    if (p->m->w && trf_failed(p->m->w)) return false;
  }
}

static bool same_head(const struct traceg_head *a, const struct traceg_head *b) {
  return a->ctas == b->ctas && a->threads == b->threads && a->binary == b->binary && a->grid[0] == b->grid[0] &&
         a->grid[1] == b->grid[1];
}

static struct kern *import_add_kern(struct import *m, const struct file *f, const char *name) {
  struct kern *u = xcalloc(1, sizeof *u);
  size_t n = strlen(name);
  if (n > NAME_MOST) n = NAME_MOST;
  VEC_PUSH(m->kern, m->kerns, m->kern_room) = u;
  u->name = xmalloc(n + 1);
  memcpy(u->name, name, n);
  u->name[n] = 0;
  u->binary = f->head.binary;
  u->path = f->path;
  u->map = opmap_open(u->binary, m->opcodes, m->e);
  if (u->map) u->code = rebuild_new(u->map, INSNS_MOST);
  else if (!m->e->file[0]) snprintf(m->e->file, sizeof m->e->file, "%s", f->path);
  return u;
}

static struct kern *kern_of(struct import *m, const struct file *f, const char *name) {
  for (uint32_t k = 0; k < m->kerns; k++)
    if (m->kern[k]->binary == f->head.binary && !strncmp(m->kern[k]->name, name, NAME_MOST)) return m->kern[k];
  return import_add_kern(m, f, name);
}

static bool first_pass(struct import *m, struct file *f) {
  struct pass p = {.m = m, .k = f, .t = traceg_open(f->path, m->e)};
  if (!p.t) return false;
  f->head = *traceg_head(p.t);
  f->kern = kern_of(m, f, f->head.name);
  f->head.name = NULL;
  f->shared_bytes = f->head.shared_bytes;
  p.code = f->kern->code;
  if (p.code) rebuild_regs(p.code, f->head.regs);
  const bool good = p.code && import_read_file(&p);
  if (f->kern->path == f->path) f->kern->shared_bytes = f->shared_bytes;
  else if (f->kern->shared_bytes != f->shared_bytes) f->kern->shared_bytes = SHARED_DIFFERS;
  traceg_close(p.t);
  return good;
}

static bool second_pass(struct import *m, struct file *k) {
  struct pass p = {.m = m, .k = k, .code = k->kern->code, .t = traceg_open(k->path, m->e)};
  bool good = p.t != NULL;
  if (good && !same_head(traceg_head(p.t), &k->head))
    good = err_at(m->e, k->path, 1, 1, "found another head than before, expected a file that stays");
  good = good && import_read_file(&p);
  if (p.rec) trf_cta_drop(m->w, p.rec);
  traceg_close(p.t);
  return good;
}

/* ---- the trace ---- */

static void import_add_code(struct import *m, struct kern *u) {
  const struct code c = {.name = u->name,
                         .file = u->path,
                         .line = 1,
                         .col = 1,
                         .insn = u->built.insn,
                         .n = u->built.n,
                         .nreg = u->built.nreg,
                         .npred = u->built.npred,
                         .shared_bytes = u->shared_bytes == SHARED_DIFFERS ? 0 : u->shared_bytes,
                         .local_bytes = kern_local_bytes(u)};
  const struct trf_code t = {.code = &c, .text = (const char *const *)u->built.text, .cls = u->built.cls, .ptx = ""};
  u->number = trf_add_code(m->w, &t);
}

static void import_add_launch(struct import *m, const struct file *f) {
  const struct traceg_head *h = &f->head;
  const struct kern *u = f->kern;
  const struct trf_launch l = {.code = u->number,
                               .grid = {h->grid[0], h->grid[1], h->grid[2]},
                               .block = {h->block[0], h->block[1], h->block[2]},
                               .shared_bytes = f->shared_bytes,
                               .shared_dyn = u->shared_bytes == SHARED_DIFFERS ? f->shared_bytes : 0,
                               .regs = u->built.nreg,
                               .local_words = kern_local_bytes(u) / 4,
                               .code_base = u->code_base,
                               .stride = 1};
  trf_launch_begin(m->w, &l);
}

/* The code of every kernel. They lie one behind the other; when there is no room, from the beginning again. */
static bool finish_kerns(struct import *m) {
  uint32_t at = CODE_BASE;
  for (uint32_t k = 0; k < m->kerns; k++) {
    struct kern *u = m->kern[k];
    if (!rebuild_finish(u->code, u->path, TRF_INSNS, &u->built, m->e)) return false;
    const uint32_t bytes = (8 * u->built.n + 127) & ~127u;
    if (bytes > GLOBAL_END - at) at = CODE_BASE;
    u->code_base = at;
    at += bytes;
    if (at >= GLOBAL_END) at = CODE_BASE;
  }
  return true;
}

static char *meta_of(const struct import *m, const char *path) {
  json_t *binary = json_array();
  for (uint32_t k = 0; k < m->kerns; k++) json_array_append_new(binary, json_integer(m->kern[k]->binary));
  json_t *j = json_pack("{s:s, s:s, s:o}", "program", "regtwin " RT_VERSION, "format", "accel-sim", "binary", binary);
  if (j) json_object_set_new(j, "path", json_string(path)); /* not one that is no UTF-8 */
  char *text = j ? json_dumps(j, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
  json_decref(j);
  return text;
}

static bool write_trace(struct import *m, const char *path, const char *out, int *fd) {
  char *meta = meta_of(m, path);
  bool good = (m->w = trf_create(out, TRF_IMPORTED, meta ? meta : "{}", m->e)) != NULL;
  if (!good) m->w = NULL;
  for (uint32_t k = 0; k < m->kerns && good; k++) import_add_code(m, m->kern[k]);
  for (uint32_t k = 0; k < m->n && good; k++) {
    import_add_launch(m, &m->file[k]);
    good = second_pass(m, &m->file[k]);
    if (good) trf_launch_end(m->w);
  }
  if (m->w) good = trf_finish(m->w, good, fd, m->e) && good;
  free(meta);
  return good;
}

static void free_kerns(struct import *m) {
  for (uint32_t k = 0; k < m->kerns; k++) {
    free(m->kern[k]->name);
    opmap_free(m->kern[k]->map);
    rebuild_free(m->kern[k]->code);
    free(m->kern[k]);
  }
  free(m->kern);
  free(m->file);
}

bool traceg_import(const char *path, const char *opcodes, const char *out, int *fd, struct import_report *report,
                   struct err *e) {
  struct traceg_list list = {.n = 1};
  const bool is_list = traceg_is_list(path);
  *report = (struct import_report){0};
  if (is_list && !traceg_list(path, &list, e)) return false;
  struct import m = {.opcodes = opcodes, .n = list.n, .pages = pages_new(), .rep = report, .e = e};
  m.file = xcalloc(m.n, sizeof *m.file);
  bool good = true;
  for (uint32_t k = 0; k < m.n && good; k++) {
    m.file[k].path = is_list ? list.path[k] : path;
    good = first_pass(&m, &m.file[k]);
  }
  if (good && finish_kerns(&m)) {
    pages_place(m.pages);
    good = write_trace(&m, path, out, fd);
  } else {
    good = false;
  }
  report->kernels = m.n;
  report->copies = list.copies;
  report->others = list.others;
  report->other_line = list.other_line;
  memcpy(report->other, list.other, sizeof list.other);
  report->part = pages_part(m.pages);
  report->parts = pages_parts(m.pages);
  free_kerns(&m);
  pages_free(m.pages);
  if (is_list) traceg_list_free(&list);
  return good;
}

void import_tell(const char *path, const struct import_report *r) {
  if (r->copies) note("%s: %u copies to the GPU are passed over", path, r->copies);
  if (r->others)
    warn("%s:%d: found '%s', expected a kernel's file or a copy: %u such lines are ignored, as Accel-Sim does", path,
         r->other_line, r->other, r->others);
  if (r->part) note("%s: its global memory moves together, in %u parts of %u KB", path, r->parts, r->part >> 10);
  if (r->unknown)
    warn("%s: found %u unknown opcodes in %" PRIu64 " of %" PRIu64
         " instructions (%s), which take the default class; a "
         "file of --opcodes can name theirs",
         path, r->unknown, r->unknown_insns, r->warp_insns, r->unknown_names);
  if (r->texels)
    note("%s: %" PRIu64 " instructions on textures and surfaces have no addresses: texels are timed as hits", path,
         r->texels);
  if (r->bulk)
    note("%s: %" PRIu64
         " bulk copies and matrix instructions of four warps are timed as one instruction each, without "
         "their accesses",
         path, r->bulk);
  if (r->no_exit) note("%s: the traces of %" PRIu64 " warps end without an exit, which was added", path, r->no_exit);
  if (r->rounded)
    note("%s: the addresses of %" PRIu64 " accesses are no multiples of their width, and were rounded down", path,
         r->rounded);
}
