/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surface: execution of SULD and SUST (docs/reference/textures.md, "Surfaces"). An access of up to 16 bytes at a multiple of its
 * size lies together in every layout. Memory is read and written lane by lane, in the order of the lanes.
 */
#include "exec/texture_warp.h"

/* Where a lane's access goes. */
struct spot {
  uint32_t x, y, z; /* x in bytes */
  bool out;         /* nowhere: ZERO */
};

static unsigned surface_values_at(const struct insn *i) {
  return 1 + geom_layered((enum tex_geom)i->sub) + geom_axes((enum tex_geom)i->sub);
}

/* A coordinate in 0..n-1; false: it was not. */
static bool surface_clamp(int64_t *c, int64_t n) {
  if (*c >= 0 && *c < n) return true;
  *c = *c < 0 ? 0 : n - 1;
  return false;
}

static bool surface_is_formatted(const struct insn *i) { return i->op == OP_SUST && i->tex & SU_FORMATTED; }

/* Coordinates of a lane, as they are: x, y, z or layer; those that are not there are 0. */
static void surface_coordinates(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned lane,
                                int64_t *c) {
  const unsigned sub = d->insn->sub, axes = geom_axes((enum tex_geom)sub);
  unsigned k = 1;
  c[0] = c[1] = c[2] = 0;
  if (geom_layered((enum tex_geom)sub)) c[2] = exec_row(x, w, d, k++)[lane];
  for (unsigned a = 0; a < axes; a++) c[a] = (int32_t)exec_row(x, w, d, k++)[lane];
}

/* False: a fault was reported. */
static bool surface_spot(struct exec *x, struct warp *w, const struct dinsn *d, unsigned lane, const struct image *m,
                         struct spot *to) {
  const struct insn *i = d->insn;
  const struct texture_axes *a = &m->level[0];
  const unsigned total = i->op == OP_SUST && i->tex & SU_HALF ? 2u * d->total : d->total;
  const int64_t row = (int64_t)a->width * a->texel, size = surface_is_formatted(i) ? a->texel : total;
  int64_t c[3], given[3];
  surface_coordinates(x, w, d, lane, c);
  memcpy(given, c, sizeof c);
  if (!surface_is_formatted(i) && c[0] & (size - 1))
    return exec_fault(x, w, FAULT_ALIGN, (uint32_t)(d - x->dec), (int)lane,
                      "%s of %u bytes at byte %lld of a row is misaligned: expected a multiple of %u",
                      opcode_name((enum opcode)i->op), total, (long long)c[0], total),
           false;
  const int64_t byte = surface_is_formatted(i) ? 0 : c[0] & (a->texel - 1);
  int64_t texel = surface_is_formatted(i) ? c[0] : (c[0] - byte) / a->texel;
  bool in = surface_clamp(&texel, a->width);
  in &= surface_clamp(&c[1], a->height);
  in &= surface_clamp(&c[2], i->sub == GEOM_3D ? a->depth : m->t.layers);
  c[0] = texel * a->texel + byte;
  if (c[0] + size > row) {
    in = false;
    c[0] = (row - size) & -size;
  }
  if (!in && (i->cmp == SU_TRAP || (i->cmp == SU_CLAMP && c[0] < 0)))
    return texture_fault(x, w, d, (int)lane, m,
                         "found %s %lld, %lld, %lld outside of the surface's %u x %u x %u texels of %u bytes",
                         surface_is_formatted(i) ? "the texel" : "the byte and row", (long long)given[0],
                         (long long)given[1], (long long)given[2], a->width, a->height,
                         i->sub == GEOM_3D ? a->depth : m->t.layers, a->texel),
           false;
  if (!surface_is_formatted(i)) c[0] += i->offset;
  *to = (struct spot){(uint32_t)c[0], (uint32_t)c[1], (uint32_t)c[2], !in && i->cmp == SU_ZERO};
  return true;
}

static bool surface_suits(struct exec *x, struct warp *w, const struct dinsn *d, unsigned lane, const struct image *m) {
  const struct insn *i = d->insn;
  const bool faces = i->sub == GEOM_A2D && (m->t.geom == GEOM_CUBE || m->t.geom == GEOM_ACUBE);
  if (!texture_is(m, i->sub) && !faces)
    return texture_fault(x, w, d, (int)lane, m, "found a surface of geometry %s, expected %s",
                         texture_geom_name(m->t.geom), texture_geom_name(i->sub)),
           false;
  if (i->op == OP_SUST && !m->t.writable)
    return texture_fault(x, w, d, (int)lane, m, "found a surface that is read only, expected one to write"), false;
  return true;
}

/* Addresses of all lanes. False: a fault was reported. */
static bool surface_find(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes, struct touched *t,
                         const struct image **images) {
  const struct image *m = NULL;
  uint32_t group;
  for (uint32_t rest = lanes; rest; rest &= ~group) {
    group = texture_group(x, w, d, 0, rest);
    const unsigned lane = (unsigned)bit_low32(rest);
    m = texture_image(x, w, d, 0, lane, HANDLE_SURFACE);
    if (!m || !surface_suits(x, w, d, lane, m)) return false;
    const struct texture_axes *a = &m->level[0];
    const unsigned bytes = surface_is_formatted(d->insn) ? a->texel : d->total;
    if (t->bytes < bytes) t->bytes = bytes;
    for (uint32_t some = group; some; some &= some - 1) {
      const unsigned l = (unsigned)bit_low32(some);
      struct spot s;
      if (!surface_spot(x, w, d, l, m, &s)) return false;
      images[l] = m;
      if (s.out) continue;
      t->a[0][l] = m->t.addr + texture_x(a, s.x) + texture_y(a, s.y) + texture_z(a, s.z);
      t->on[0] |= 1u << l;
    }
  }
  return true;
}

static void surface_load_lanes(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes,
                               const struct touched *t) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    uint8_t data[16] = {0};
    if (t->on[0] >> l & 1) exec_global(x, t->a[0][l], data, d->total);
    for (unsigned k = 0; k < d->vec; k++) {
      uint64_t v = 0;
      if (d->dst[k] == NO_ROW) continue;
      memcpy(&v, data + k * d->size, d->size);
      uint32_t *row = w->rows + d->dst[k];
      row[l] = (uint32_t)v;
      if (d->dwords[k] == 2) row[LANES + l] = (uint32_t)(v >> 32);
    }
  }
}

static void surface_put(struct exec *x, uint32_t at, const void *data, unsigned bytes) {
  if (exec_apart(x)) overlay_write(&x->over, at, data, bytes);
  else memcpy(image_at(x->launch->mem, at), data, bytes);
}

static void surface_store_bytes(struct exec *x, const struct warp *w, const struct dinsn *d, unsigned l, uint32_t at) {
  const unsigned first = surface_values_at(d->insn);
  uint8_t data[16];
  for (unsigned k = 0; k < d->vec; k++) {
    const uint32_t *row = exec_row(x, w, d, first + k);
    const uint64_t v = row[l] | (d->size == 8 ? (uint64_t)row[LANES + l] << 32 : 0);
    memcpy(data + k * d->size, &v, d->size);
  }
  surface_put(x, at, data, d->total);
}

/* The channels that get a value, from the first such component on. */
static void surface_store_values(struct exec *x, const struct warp *w, const struct dinsn *d, unsigned l, uint32_t at,
                                 const struct image *m) {
  const unsigned first = surface_values_at(d->insn), from = d->insn->tex >> 4;
  for (unsigned ch = 0; ch < m->t.channels; ch++) {
    const unsigned component = m->of[ch];
    if (component < from || component >= from + d->vec) continue;
    const uint32_t v = texel_pack(m, exec_row(x, w, d, first + component - from)[l]);
    surface_put(x, at + ch * m->channel, &v, m->channel);
  }
}

int exec_surface(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  struct touched t;
  const struct image *image[LANES];
  const bool write = d->insn->op == OP_SUST;
  if (w->red) return STREAM_WAIT;
  touched_start(&t);
  t.rows = 1;
  if (!surface_find(x, w, d, lanes, &t, image)) return STREAM_ERROR;
  const uint32_t on = t.on[0];
  texture_touch(x, w, d, &t, write, out);
  if (!write) {
    surface_load_lanes(x, w, d, lanes, &t);
    return STREAM_GIVEN;
  }
  for (uint32_t rest = on; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    if (surface_is_formatted(d->insn)) surface_store_values(x, w, d, l, t.a[0][l], image[l]);
    else surface_store_bytes(x, w, d, l, t.a[0][l]);
  }
  x->changes += on != 0;
  return STREAM_GIVEN;
}
