/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: execution of TEX, TLD4 and TXQ: what handles name, checks, results; and what races and timing see of an
 * access. A texture is made ready at its first use in a launch, by each stream for itself; its errors have the place of
 * that use.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/alu_fp.h"
#include "exec/texture_warp.h"

/* ---- messages ---- */

int texture_fault(struct exec *x, struct warp *w, const struct dinsn *d, int lane, const struct image *m,
                  const char *fmt, ...) {
  char what[384];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const char *op = opcode_name((enum opcode)d->insn->op), *name = m ? m->t.name : NULL;
  return exec_fault(x, w, FAULT_TEXTURE, (uint32_t)(d - x->dec), lane, "%s%s%.80s%s: %s", op, name ? " '" : "",
                    name ? name : "", name ? "'" : "", what);
}

static const char *kind_name(enum handle_kind k) {
  switch (k) {
    case HANDLE_TEXTURE: return "a texture";
    case HANDLE_SAMPLER:
    case HANDLE_CL_SAMPLER: return "a sampler";
    case HANDLE_SURFACE: return "a surface";
    case HANDLE_REF: return "a reference";
    default: return "nothing";
  }
}

/* ---- images ---- */

/* Why the image cannot be used, in `why`; false: it can. */
static bool texture_unusable(const struct exec *x, const struct image *m, const struct texture *given, char *why,
                             size_t size) {
  const struct memory *mem = x->launch->mem;
  const uint32_t texel = texture_texel_bytes(&m->t), at = m->t.addr, n = m->t.bytes;
  const struct region *r = region_find(&mem->global, at);
  if (!at) {
    snprintf(why, size, "found an image of %u bytes without memory", n);
  } else if (given->bytes < n) {
    snprintf(why, size, "found an image of %u bytes, expected the %u of its size and format", given->bytes, n);
  } else if (at % texel) {
    snprintf(why, size, "found an image at 0x%x, expected a multiple of the texel's %u bytes", at, texel);
  } else if (mem->lenient ? at < mem->first || (uint64_t)at + n > mem->bytes : !r || r->size - (at - r->base) < n) {
    if (r)
      snprintf(why, size, "found an image of %u bytes at 0x%x, beyond its buffer's %u bytes at 0x%x", n, at, r->size,
               r->base);
    else snprintf(why, size, "found an image of %u bytes at 0x%x, where there is no buffer", n, at);
  } else {
    return false;
  }
  return true;
}

static void texture_set_components(struct image *m) {
  static const uint8_t of[][CHANNELS] = {
      [ORDER_R] = {0, COMP_ZERO, COMP_ZERO, COMP_ONE},
      [ORDER_RG] = {0, 1, COMP_ZERO, COMP_ONE},
      [ORDER_RGB] = {0, 1, 2, COMP_ONE},
      [ORDER_RGBA] = {0, 1, 2, 3},
      [ORDER_BGRA] = {2, 1, 0, 3},
      [ORDER_A] = {COMP_ZERO, COMP_ZERO, COMP_ZERO, 0},
      [ORDER_LUMINANCE] = {0, 0, 0, COMP_ONE},
      [ORDER_INTENSITY] = {0, 0, 0, 0},
  };
  memcpy(m->comp, of[m->t.order], sizeof m->comp);
  for (unsigned k = CHANNELS; k-- > 0;) /* of several components the first */
    if (m->comp[k] < CHANNELS) m->of[m->comp[k]] = (uint8_t)k;
}

/* The image of this number, ready; NULL: a fault was reported. */
static const struct image *image_at_index(struct exec *x, struct warp *w, const struct dinsn *d, unsigned lane,
                                          uint32_t index) {
  const struct textures *all = x->launch->textures;
  struct images *images = x->images;
  struct image *m = &images->image[index];
  char why[256];
  struct err e = {0};
  if (m->known) return m;
  const struct texture *given = &all->texture[index];
  m->t = *given;
  if (!texture_lay_out_again(&m->t, &e)) {
    texture_fault(x, w, d, (int)lane, m, "%.300s", e.text);
    return NULL;
  }
  if (texture_unusable(x, m, given, why, sizeof why)) {
    texture_fault(x, w, d, (int)lane, m, "%s", why);
    return NULL;
  }
  m->type = m->t.type;
  m->channel = (uint8_t)dtype_bytes((enum dtype)m->type);
  m->floats = m->t.normalized_values || m->type == T_F16 || m->type == T_F32;
  texture_set_components(m);
  for (unsigned l = 0; l < m->t.levels; l++) texture_axes_of(&m->t, l, &m->level[l]);
  m->known = true;
  return m;
}

/* ---- handles ---- */

static uint64_t handle_in(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned k,
                          unsigned lane) {
  const uint32_t *row = exec_row(x, w, d, k);
  const struct opnd *o = &d->insn->src[k];
  const bool wide = o->kind != O_REG || o->words == 2; /* rows of the pool are pairs */
  return row[lane] | (wide ? (uint64_t)row[LANES + lane] << 32 : 0);
}

uint32_t texture_group(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned k, uint32_t lanes) {
  if (d->sel[k]) return lanes;
  const uint64_t h = handle_in(x, w, d, k, (unsigned)bit_low32(lanes));
  uint32_t group = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    group |= (uint32_t)(handle_in(x, w, d, k, l) == h) << l;
  }
  return group;
}

/* The handle, or what is bound to the reference that it names; 0: a fault was reported. */
static uint64_t texture_bound_handle(struct exec *x, struct warp *w, const struct dinsn *d, unsigned k, unsigned lane,
                                     enum handle_kind want) {
  const struct textures *all = x->launch->textures;
  const struct module *mod = x->launch->module;
  uint64_t h = handle_in(x, w, d, k, lane);
  const uint32_t n = handle_index(h);
  if (handle_kind(h) != HANDLE_REF) {
    if (h) return h;
    texture_fault(x, w, d, (int)lane, NULL, "found the handle 0x0, expected that of %s", kind_name(want));
    return 0;
  }
  const char *name = n < mod->ntexref ? mod->texref[n].name : NULL;
  if (all && n < all->nref && all->ref[n] && handle_kind(all->ref[n]) != HANDLE_REF) return all->ref[n];
  if (name) texture_fault(x, w, d, (int)lane, NULL, "nothing is bound to '%.100s', expected %s", name, kind_name(want));
  else
    texture_fault(x, w, d, (int)lane, NULL,
                  "found the handle 0x%llx, expected that of %s: there is no reference number %u",
                  (unsigned long long)h, kind_name(want), n);
  return 0;
}

static int report_wrong_handle(struct exec *x, struct warp *w, const struct dinsn *d, unsigned lane, uint64_t h,
                               enum handle_kind want) {
  const enum handle_kind k = handle_kind(h);
  const bool same = k == want;
  return texture_fault(x, w, d, (int)lane, NULL, "found the handle 0x%llx of %s, expected that of %s%s",
                       (unsigned long long)h, same ? "nothing" : kind_name(k), kind_name(want),
                       same ? ": there is none of this number" : "");
}

const struct image *texture_image(struct exec *x, struct warp *w, const struct dinsn *d, unsigned k, unsigned lane,
                                  enum handle_kind want) {
  const struct textures *all = x->launch->textures;
  const uint64_t h = texture_bound_handle(x, w, d, k, lane, want);
  const uint32_t n = handle_index(h);
  if (!h) return NULL;
  if (handle_kind(h) != want || !all || n >= all->ntexture || !all->texture[n].levels) {
    report_wrong_handle(x, w, d, lane, h, want);
    return NULL;
  }
  return image_at_index(x, w, d, lane, n);
}

/* The literal of an OpenCL sampler. */
static bool cl_sampler(uint32_t bits, struct tex_sampler *s) {
  static const uint8_t address[] = {TEX_CLAMP, TEX_CLAMP, TEX_BORDER, TEX_WRAP, TEX_MIRROR};
  const uint32_t a = bits >> 1 & 7, f = bits >> 4;
  if (a >= sizeof address || f > 2) return false;
  *s = (struct tex_sampler){.filter = f == 2 ? TEX_LINEAR : TEX_POINT, .normalized = bits & 1, .lod_max = TEX_LEVELS};
  memset(s->address, address[a], sizeof s->address);
  return true;
}

/* NULL: a fault was reported. `own`: room for one that is not in a table. */
static const struct tex_sampler *sampler_of(struct exec *x, struct warp *w, const struct dinsn *d, unsigned k,
                                            unsigned lane, struct tex_sampler *own) {
  const struct textures *all = x->launch->textures;
  const uint64_t h = texture_bound_handle(x, w, d, k, lane, HANDLE_SAMPLER);
  const uint32_t n = handle_index(h);
  if (!h) return NULL;
  if (handle_kind(h) == HANDLE_SAMPLER && all && n < all->nsampler) return &all->sampler[n];
  if (handle_kind(h) == HANDLE_CL_SAMPLER) {
    if (cl_sampler(n, own)) return own;
    texture_fault(x, w, d, (int)lane, NULL, "found 0x%x as an OpenCL sampler, expected CLK_ADDRESS_* and CLK_FILTER_*",
                  n);
    return NULL;
  }
  report_wrong_handle(x, w, d, lane, h, HANDLE_SAMPLER);
  return NULL;
}

/* ---- what races and timing see ---- */

/* A lane that touches nothing repeats the row's lowest that does, a row that has none the first that has some. */
static uint64_t texture_repeat_lanes(struct touched *t) {
  uint64_t hash = 0;
  unsigned some = 0;
  while (some < t->rows && !t->on[some]) some++;
  for (unsigned k = 0; k < t->rows; k++) {
    const unsigned from = t->on[k] ? k : some;
    const uint32_t on = t->on[k], a = t->a[from][bit_low32(t->on[from])];
    uint32_t s = 0, sum = 0;
    for (unsigned l = 0; l < LANES; l++) {
      if (!(on >> l & 1)) t->a[k][l] = a;
      s += t->a[k][l] * (2 * l + 1);
      sum += t->a[k][l] << l | (l ? t->a[k][l] >> (32 - l) : 0);
    }
    hash = hash_mix(hash, (uint64_t)sum << 32 | s);
  }
  return hash;
}

void texture_touch(struct exec *x, struct warp *w, const struct dinsn *d, struct touched *t, bool write,
                   struct warp_inst *out) {
  uint32_t any = 0;
  for (unsigned k = 0; k < t->rows; k++) any |= t->on[k];
  out->flags |= SP_TEX << 4;
  if (!any) return;
  for (unsigned k = 0; x->races && k < t->rows; k++)
    if (t->on[k]) races_bytes(x, w, (uint32_t)(d - x->dec), SP_GLOBAL, write, t->a[k], t->on[k], t->bytes);
  w->hash = hash_mix(w->hash, texture_repeat_lanes(t));
  uint32_t first = 0;
  if (!x->lim.no_addresses)
    for (unsigned k = 0; k < t->rows; k++) {
      const uint32_t row = x->s.addr_row[w->slot]++ % ADDR_RING;
      memcpy(x->addr_ring + ((uint64_t)w->slot * ADDR_RING + row) * LANES, t->a[k], ROW_BYTES);
      if (!k) first = row;
    }
  out->mem = tex_mem(first + 1, t->rows, (unsigned)bit_low32(t->bytes), t->filtered);
}

/* ---- tex, tld4 ---- */

enum { ONE_F32 = 0x3f800000, ONE_F16 = 0x3c00 };

bool texture_is(const struct image *m, unsigned geom) {
  return m->t.geom == geom || (geom == GEOM_1D && m->t.geom == GEOM_2D && m->t.height == 1);
}

/* Does the group's access suit its image? Else a fault was reported. */
static bool texture_suits(struct exec *x, struct warp *w, const struct dinsn *d, unsigned lane, const struct image *m,
                          const struct tex_sampler *s) {
  const struct insn *i = d->insn;
  const bool ints = i->type == T_U32 || i->type == T_S32, linear = i->op == OP_TEX && i->stype == T_F32;
  const bool between = linear && i->cmp == TEX_LEVEL && m->t.levels > 1 && s->mip == TEX_LINEAR;
  const char *values = m->t.normalized_values ? "normalised " : "";
  if (!texture_is(m, i->sub))
    return texture_fault(x, w, d, (int)lane, m, "found an image of geometry %s, expected %s",
                         texture_geom_name(m->t.geom), texture_geom_name(i->sub)),
           false;
  if (i->tex & TEX_COMPARE ? !m->floats || m->t.channels != 1 : m->floats == ints)
    return texture_fault(x, w, d, (int)lane, m, "found texels of %u x %s%s, expected %s for %s", m->t.channels, values,
                         dtype_name((enum dtype)m->type),
                         i->tex & TEX_COMPARE ? "one float or normalised value"
                         : ints               ? "integers"
                                              : "floats or normalised values",
                         i->tex & TEX_COMPARE ? "a comparison"
                         : ints               ? "a result of integers"
                                              : "a result of floats"),
           false;
  if (m->t.linear_1d && i->stype == T_F32)
    return texture_fault(x, w, d, (int)lane, m, "found linear memory read by f32 coordinates, expected s32"), false;
  if (!m->floats && ((linear && s->filter == TEX_LINEAR) || between))
    return texture_fault(x, w, d, (int)lane, m,
                         "found linear filtering of %s channels, expected floats or normalised values",
                         dtype_name((enum dtype)m->type)),
           false;
  if (i->tex & TEX_COMPARE && s->compare > C_GE)
    return texture_fault(x, w, d, (int)lane, m, "found comparison %u of a sampler, expected eq to ge", s->compare),
           false;
  return true;
}

/* Component k of results. */
static void texture_component(const struct sampling *p, const uint32_t (*value)[LANES], unsigned k, uint32_t *to) {
  const unsigned c = p->i->op == OP_TLD4 ? k : p->ref ? 0 : p->m->comp[k];
  if (c < CHANNELS) memcpy(to, value[c], ROW_BYTES);
  else row_fill(to, c == COMP_ZERO ? 0 : p->m->floats ? ONE_F32 : 1);
}

static void texture_give_results(struct warp *w, const struct dinsn *d, const struct sampling *p,
                                 const uint32_t (*value)[LANES]) {
  const unsigned type = d->insn->type;
  _Alignas(64) uint32_t row[LANES], high[LANES];
  for (unsigned k = 0; k < d->ndst; k++) {
    if (d->dst[k] == NO_ROW) continue;
    texture_component(p, value, type == T_F16X2 ? 2 * k : k, row);
    if (type == T_F16 || type == T_F16X2)
      for (unsigned l = 0; l < LANES; l++) row[l] = f16_of_f32(row[l], R_RN);
    if (type == T_F16X2) {
      texture_component(p, value, 2 * k + 1, high);
      for (unsigned l = 0; l < LANES; l++) row[l] |= f16_of_f32(high[l], R_RN) << 16;
    }
    row_merge(w->rows + d->dst[k], row, p->lanes);
  }
}

/* Channels that the results need. */
static uint8_t texture_wanted_channels(const struct dinsn *d, const struct image *m) {
  const unsigned each = d->insn->type == T_F16X2 ? 2 : 1;
  uint8_t want = 0;
  if (d->insn->tex & TEX_COMPARE) return 1;
  for (unsigned k = 0; k < d->ndst * each && k < CHANNELS; k++)
    if (d->dst[k / each] != NO_ROW && m->comp[k] < CHANNELS) want |= (uint8_t)(1u << m->comp[k]);
  return want;
}

static struct sampling texture_operands(const struct exec *x, const struct warp *w, const struct dinsn *d) {
  const struct insn *i = d->insn;
  struct sampling p = {.i = i};
  unsigned k = 1 + (i->tex & TEX_SAMPLER);
  if (geom_layered((enum tex_geom)i->sub)) p.layer = exec_row(x, w, d, k++);
  for (unsigned a = 0; a < geom_axes((enum tex_geom)i->sub); a++) p.coord[a] = exec_row(x, w, d, k++);
  if (i->op == OP_TEX && i->cmp == TEX_LEVEL) p.lod = exec_row(x, w, d, k++);
  if (i->tex & TEX_OFFSET) p.offset = exec_row(x, w, d, k++);
  if (i->tex & TEX_COMPARE) p.ref = exec_row(x, w, d, k);
  return p;
}

/* The groups have no lane in common, so a result does not overwrite an operand of another group. */
int exec_texture(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  struct touched t;
  struct sampling p = texture_operands(x, w, d);
  struct tex_sampler own;
  _Alignas(64) uint32_t value[CHANNELS][LANES];
  uint32_t group;
  touched_start(&t);
  for (uint32_t rest = lanes; rest; rest &= ~group) {
    const unsigned lane = (unsigned)bit_low32(rest);
    group = texture_group(x, w, d, 0, rest);
    p.m = texture_image(x, w, d, 0, lane, HANDLE_TEXTURE);
    if (!p.m) return STREAM_ERROR;
    p.s = &p.m->t.sampler;
    if (d->insn->tex & TEX_SAMPLER) {
      group = texture_group(x, w, d, 1, group);
      p.s = sampler_of(x, w, d, 1, lane, &own);
      if (!p.s) return STREAM_ERROR;
    }
    if (!texture_suits(x, w, d, lane, p.m, p.s)) return STREAM_ERROR;
    p.lanes = group;
    p.want = texture_wanted_channels(d, p.m);
    const unsigned bytes = texture_texel_bytes(&p.m->t);
    if (t.bytes < bytes) t.bytes = bytes;
    texture_sample(x, &p, &t, value);
    texture_give_results(w, d, &p, (const uint32_t(*)[LANES])value);
  }
  texture_touch(x, w, d, &t, false, out);
  return STREAM_GIVEN;
}

/* ---- txq ---- */

static uint32_t texture_channel_type(const struct texture *t) { /* CL_* */
  switch (t->type) {
    case T_S8: return t->normalized_values ? 0x10d0 : 0x10d7;
    case T_S16: return t->normalized_values ? 0x10d1 : 0x10d8;
    case T_S32: return 0x10d9;
    case T_U8: return t->normalized_values ? 0x10d2 : 0x10da;
    case T_U16: return t->normalized_values ? 0x10d3 : 0x10db;
    case T_U32: return 0x10dc;
    case T_F16: return 0x10dd;
    default: return 0x10de;
  }
}

static uint32_t query_sampler(const struct tex_sampler *s, unsigned what) {
  return what == TXQ_FILTER_MODE ? s->filter : s->address[what - TXQ_ADDR_0];
}

static uint32_t query_image(const struct texture *t, unsigned what, uint32_t level) {
  static const uint16_t order[] = {
      [ORDER_R] = 0x10b0,    [ORDER_RG] = 0x10b2, [ORDER_RGB] = 0x10b4,       [ORDER_RGBA] = 0x10b5,
      [ORDER_BGRA] = 0x10b6, [ORDER_A] = 0x10b1,  [ORDER_LUMINANCE] = 0x10b9, [ORDER_INTENSITY] = 0x10b8};
  const bool cube = t->geom == GEOM_CUBE || t->geom == GEOM_ACUBE;
  switch (what) {
    case TXQ_WIDTH: return level < t->levels ? texture_level_size(t->width, level) : 0;
    case TXQ_HEIGHT: return level < t->levels ? texture_level_size(t->height, level) : 0;
    case TXQ_DEPTH: return level < t->levels ? texture_level_size(t->depth, level) : 0;
    case TXQ_CHANNEL_TYPE: return texture_channel_type(t);
    case TXQ_CHANNEL_ORDER: return order[t->order];
    case TXQ_NORMALIZED: return t->sampler.normalized;
    case TXQ_ARRAY_SIZE: return cube ? t->layers / 6 : t->layers;
    case TXQ_LEVELS: return t->levels;
    case TXQ_SAMPLES: return 1;
    case TXQ_MEMORY_LAYOUT: return t->layout == TEX_PITCH;
    default: return query_sampler(&t->sampler, what);
  }
}

static bool of_samplers(unsigned what) {
  return what == TXQ_NORMALIZED || (what >= TXQ_FILTER_MODE && what <= TXQ_ADDR_2);
}

int exec_texture_query(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes) {
  const struct insn *i = d->insn;
  _Alignas(64) uint32_t row[LANES];
  uint32_t group;
  for (uint32_t rest = lanes; rest; rest &= ~group) {
    const unsigned lane = (unsigned)bit_low32(rest);
    group = texture_group(x, w, d, 0, rest);
    const uint64_t h = texture_bound_handle(x, w, d, 0, lane, HANDLE_TEXTURE);
    const enum handle_kind kind = handle_kind(h);
    if (!h) return STREAM_ERROR;
    if (of_samplers(i->sub) && (kind == HANDLE_SAMPLER || kind == HANDLE_CL_SAMPLER)) {
      struct tex_sampler own;
      const struct tex_sampler *s = sampler_of(x, w, d, 0, lane, &own);
      if (!s) return STREAM_ERROR;
      row_fill(row, i->sub == TXQ_NORMALIZED ? !s->normalized : query_sampler(s, i->sub));
    } else {
      const struct image *m = texture_image(x, w, d, 0, lane, kind == HANDLE_SURFACE ? kind : HANDLE_TEXTURE);
      if (!m) return STREAM_ERROR;
      for (unsigned l = 0; l < LANES; l++)
        row[l] = query_image(&m->t, i->sub, i->cmp == TEX_LEVEL ? exec_row(x, w, d, 1)[l] : 0);
    }
    if (d->dst[0] != NO_ROW) row_merge(w->rows + d->dst[0], row, group);
  }
  return STREAM_GIVEN;
}

/* ---- of a stream ---- */

void texture_free(struct exec *x) {
  if (x->images) free(x->images->image);
  free(x->images);
}
