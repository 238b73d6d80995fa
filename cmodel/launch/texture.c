/* SPDX-License-Identifier: Apache-2.0 */
/* texture: executes the statements texture, surface and sampler. */
#include "launch/texture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/texels.h"

enum { MANY = 1 << 30 }; /* of sizes: texture_lay_out knows the limits */

void texture_run_begin(struct texture_run *r, const struct script *s, const struct module *m) {
  *r = (struct texture_run){.names = s->nname};
  r->name = xcalloc(s->nname, sizeof *r->name);
  r->handle = xcalloc(s->nname, sizeof *r->handle);
  r->ref = xcalloc(m->ntexref, sizeof *r->ref);
  for (uint32_t k = 0; k < m->ntexref; k++) {
    if (m->texref[k].kind != HANDLE_SAMPLER || !m->texref[k].given) continue;
    struct tex_sampler t = sampler_default();
    sampler_override(&t, &m->texref[k]);
    r->ref[k] = handle_of(HANDLE_SAMPLER, texture_set_sampler(&r->set, &t));
  }
}

void texture_run_end(struct texture_run *r) {
  for (uint32_t k = 0; k < r->narray; k++) free(r->array[k].rows);
  free(r->array);
  free(r->ref);
  free(r->handle);
  free(r->name);
  texture_set_free(&r->set);
}

static enum handle_kind texture_handle_kind(const struct texture_form *f) {
  return f->kind == NAME_TEXTURE ? HANDLE_TEXTURE : f->kind == NAME_SURFACE ? HANDLE_SURFACE : HANDLE_SAMPLER;
}

static bool at_form(struct env *v, int line, int col, const char *text) {
  return err_at(v->e, v->file, line, col, "%s", text);
}

bool texture_bind(struct texture_run *r, const struct module *m, const struct stmt *s, struct env *v) {
  const struct texture_form *f = s->texture;
  uint32_t k;
  const struct texref *x = texref_find(m, v->name[s->slot].s, &k);
  if (f->from_kind == NAME_SYMBOL && v->view[f->from].constant)
    return at_form(v, f->from_line, f->from_col,
                   "found a symbol in constant memory, expected a buffer or a symbol in global memory");
  if (!x) return true;
  r->name[s->slot].ref = k + 1;
  return (enum handle_kind)x->kind == texture_handle_kind(f) ||
         err_at(v->e, v->file, s->name_line, s->name_col,
                "found '%.80s', which is %s in the PTX, expected the statement '%s' for it", x->name,
                handle_name((enum handle_kind)x->kind), handle_name((enum handle_kind)x->kind) + strlen("a "));
}

/* ---- samplers ---- */

static bool texture_eval_number(const struct expr *x, struct env *v, float *out) {
  struct value got;
  if (!x->n) return true;
  if (!script_eval(x, v, &got)) return false;
  *out = (float)value_double(got);
  return true;
}

static bool texture_make_sampler(const struct texture_form *f, const struct texref *ref, struct env *v,
                                 struct tex_sampler *out) {
  struct tex_sampler s = sampler_default();
  if (ref) sampler_override(&s, ref);
  if (f->has[TO_FILTER]) s.filter = f->sampler.filter;
  if (f->has[TO_COORDS]) s.normalized = f->sampler.normalized;
  if (f->has[TO_WRAP]) memcpy(s.address, f->sampler.address, sizeof s.address);
  s.mip = f->sampler.mip;
  s.compare = f->sampler.compare;
  for (unsigned k = 0; k < 4; k++)
    if (f->nborder && !texture_eval_number(&f->border[f->nborder == 4 ? k : 0], v, &s.border[k])) return false;
  if (!texture_eval_number(&f->lod[0], v, &s.lod_min) || !texture_eval_number(&f->lod[1], v, &s.lod_max) ||
      !texture_eval_number(&f->bias, v, &s.lod_bias))
    return false;
  *out = s;
  return !f->has[TO_LOD] || s.lod_min <= s.lod_max ||
         at_form(v, f->lod[1].line, f->lod[1].col,
                 "found a highest level below the lowest one, expected it the same or above");
}

/* ---- images ---- */

static struct texture texture_of_format(const struct texture_format *f) {
  return (struct texture){.type = f->type,
                          .channels = f->channels,
                          .order = f->order,
                          .levels = 1,
                          .width = 1,
                          .height = 1,
                          .depth = 1,
                          .layers = 1,
                          .normalized_values = f->normalized};
}

static bool texture_eval_whole(const struct expr *x, struct env *v, int64_t most, const char *what, uint32_t *out) {
  int64_t n = 1;
  if (x->n && !script_eval_whole(x, v, 1, most, what, &n)) return false;
  *out = (uint32_t)n;
  return true;
}
static bool texture_eval_size(const struct expr *x, struct env *v, const char *what, uint32_t *out) {
  return texture_eval_whole(x, v, MANY, what, out);
}

/* What the statement says of a new image. */
static bool texture_eval_sizes(const struct texture_form *f, struct env *v, struct texture *t) {
  static const enum tex_geom plain[] = {GEOM_1D, GEOM_1D, GEOM_2D, GEOM_3D};
  uint32_t layers, levels;
  *t = texture_of_format(&f->format);
  if (!texture_eval_size(&f->size[0], v, "the width", &t->width) ||
      !texture_eval_size(&f->size[1], v, "the height", &t->height) ||
      !texture_eval_size(&f->size[2], v, "the depth", &t->depth) ||
      !texture_eval_size(&f->layers, v, "the number of layers", &layers) ||
      !texture_eval_whole(&f->levels, v, TEX_LEVELS, "the number of levels", &levels) ||
      !texture_eval_size(&f->pitch, v, "the pitch", &t->pitch))
    return false;
  if (!f->has[TO_PITCH]) t->pitch = 0;
  t->layers = f->has[TO_CUBE] && layers < MANY / 6 ? layers * 6 : layers;
  t->levels = (uint8_t)levels; /* at most TEX_LEVELS; too many for the size: texture_lay_out */
  t->geom = f->has[TO_CUBE]     ? (f->has[TO_LAYERS] ? GEOM_ACUBE : GEOM_CUBE)
            : f->has[TO_LAYERS] ? (f->nsize < 2 ? GEOM_A1D : GEOM_A2D)
                                : plain[f->nsize];
  return true;
}

/* The property without which this image could be laid out; the sizes, if there is no such one. */
static enum texture_option at_fault(const struct texture_form *f, const struct texture *t) {
  static const enum texture_option may[] = {TO_PITCH, TO_LEVELS, TO_LAYERS};
  for (size_t k = 0; k < sizeof may / sizeof *may; k++) {
    struct texture x = *t;
    struct err e = {0};
    if (may[k] == TO_PITCH) x.pitch = 0;
    if (may[k] == TO_LEVELS) x.levels = 1;
    if (may[k] == TO_LAYERS) x.layers = f->has[TO_CUBE] ? 6 : 1;
    if (f->has[may[k]] && texture_lay_out(&x, &e)) return may[k];
  }
  return TO_SIZE;
}

/* An error of texture_lay_out has no place. */
static bool texture_form_lay_out(const struct texture_form *f, const struct stmt *s, struct texture *t, struct env *v) {
  const struct texture given = *t;
  struct err why = {0};
  if (texture_lay_out(t, &why)) return true;
  const enum texture_option o = at_fault(f, &given);
  return err_at(v->e, v->file, f->has[o] ? f->at[o].line : s->name_line, f->has[o] ? f->at[o].col : s->name_col, "%s",
                why.text);
}

static bool texture_source_suffices(const struct texture_form *f, const struct view *from, uint64_t bytes,
                                    struct env *v) {
  if (from->bytes >= bytes) return true;
  const unsigned size = dtype_bytes(from->type);
  return err_at(v->e, v->file, f->from_line, f->from_col,
                "found '%.80s' of %" PRIu64 " elements, expected at least %" PRIu64 " for an image of this size",
                v->name[f->from].s, from->n, (bytes + size - 1) / size);
}

static bool texture_over_buffer(const struct texture_form *f, const struct stmt *s, struct env *v, struct texture *t) {
  const struct view *from = &v->view[f->from];
  if (!texture_eval_sizes(f, v, t)) return false;
  t->linear_1d = t->geom == GEOM_1D;
  if (!f->nsize) t->width = from->bytes / texture_texel_bytes(t);
  if (!texture_form_lay_out(f, s, t, v) || !texture_source_suffices(f, from, t->bytes, v)) return false;
  t->addr = from->addr;
  return true;
}

/* ---- arrays ---- */

static bool new_array(struct texture_run *r, struct memory *mem, const struct stmt *s, struct env *v, struct texture *t,
                      bool *moved) {
  const char *name = v->name[s->slot].s;
  t->addr = memory_alloc(mem, name, t->bytes);
  if (!t->addr)
    return err_at(v->e, v->file, s->name_line, s->name_col,
                  "found array '%.80s' of %u bytes, expected at most %" PRIu64 " bytes: the rest of the memory image",
                  name, t->bytes, memory_room(mem, 0));
  const uint64_t bytes = texels_bytes(t);
  VEC_PUSH(r->array, r->narray, r->caparray) = (struct array_image){.at = *t, .rows = xcalloc(bytes, 1)};
  r->name[s->slot].image = r->narray;
  *moved = true;
  return true;
}

static bool same_size(const struct texture *a, const struct texture *b) {
  return a->geom == b->geom && a->width == b->width && a->height == b->height && a->depth == b->depth &&
         a->layers == b->layers && a->levels == b->levels && a->channels == b->channels && a->type == b->type;
}

/* "4 x 2 texels of 8 bytes in 3 layers" */
static void size_text(const struct texture *t, char *text, size_t room) {
  size_t n = (size_t)snprintf(text, room, "%u x %u x %u texels of %u bytes", t->width, t->height, t->depth,
                              texture_texel_bytes(t));
  if (t->layers > 1) n += (size_t)snprintf(text + n, room - n, " in %u layers", t->layers);
  if (t->levels > 1) snprintf(text + n, room - n, " with %u levels", t->levels);
}

/* The array of this name: new, or the one that it had, of the same size: other names may stand for its image, too. */
static bool array_memory(struct texture_run *r, struct memory *mem, const struct stmt *s, struct env *v,
                         struct texture *t, bool *moved) {
  struct texture_name *x = &r->name[s->slot];
  if (!x->image) return new_array(r, mem, s, v, t, moved);
  struct array_image *a = &r->array[x->image - 1];
  if (!same_size(&a->at, t)) {
    char found[96], had[96];
    size_text(t, found, sizeof found);
    size_text(&a->at, had, sizeof had);
    return err_at(v->e, v->file, s->name_line, s->name_col,
                  "found an array of %s for '%.80s', expected %s as before: it keeps its memory", found,
                  v->name[s->slot].s, had);
  }
  t->addr = a->at.addr;
  a->at = *t;
  return true;
}

static void texture_show_array(struct texture_run *r, const struct stmt *s, struct env *v) {
  const struct array_image *a = &r->array[r->name[s->slot].image - 1];
  const uint64_t bytes = texels_bytes(&a->at);
  v->view[s->slot] = (struct view){.data = a->rows,
                                   .n = bytes / dtype_bytes(a->at.type),
                                   .bytes = (uint32_t)bytes,
                                   .type = a->at.type,
                                   .set = true,
                                   .rows = true};
}

static bool texture_make_array(struct texture_run *r, struct memory *mem, const struct stmt *s, struct env *v,
                               struct texture *t, const uint8_t *texels, bool *moved) {
  t->layout = TEX_BLOCK;
  if (!texture_form_lay_out(s->texture, s, t, v)) return false;
  if (!texels && !texture_source_suffices(s->texture, &v->view[s->texture->from], texels_bytes(t), v)) return false;
  if (!array_memory(r, mem, s, v, t, moved)) return false;
  struct array_image *a = &r->array[r->name[s->slot].image - 1];
  const struct view *from = &v->view[s->texture->from];
  if (!texels) texels = memory_at(mem, from->addr, from->bytes); /* where it lies now: the array may have moved it */
  memcpy(a->rows, texels, texels_bytes(t));
  a->changed = true;
  texture_show_array(r, s, v);
  return true;
}

static bool texture_from_png(struct texture_run *r, struct memory *mem, const struct stmt *s, struct env *v,
                             struct texture *t, bool *moved) {
  const struct texture_form *f = s->texture;
  struct texture_format format = f->format;
  uint32_t width, height;
  uint8_t *texels = texture_png(f->png, &format, &width, &height, v->file, f->from_line, f->from_col, v->e);
  if (!texels) return false;
  *t = texture_of_format(&format);
  t->geom = GEOM_2D;
  t->width = width;
  t->height = height;
  const bool ok = texture_make_array(r, mem, s, v, t, texels, moved);
  free(texels);
  return ok;
}

/* The image of another array; the format may be another one of the same channels. */
static bool texture_from_array(struct texture_run *r, const struct stmt *s, struct env *v, struct texture *t) {
  const struct texture_form *f = s->texture;
  const uint32_t image = r->name[f->from].image;
  struct array_image *a = &r->array[image - 1];
  *t = a->at;
  r->name[s->slot].image = image;
  if (!f->has[TO_FORMAT]) return true;
  if (f->format.channels != t->channels)
    return err_at(v->e, v->file, f->at[TO_FORMAT].line, f->at[TO_FORMAT].col,
                  "found a format of %u channel%s, expected the %u of '%.80s'", f->format.channels,
                  f->format.channels == 1 ? "" : "s", t->channels, v->name[f->from].s);
  t->order = f->format.order;
  t->normalized_values = f->format.normalized;
  return true;
}

static bool fits_sampler(const struct texture_form *f, const struct stmt *s, const struct texture *t, struct env *v) {
  const bool integer = !dtype_float(t->type) && !t->normalized_values;
  if (integer && (t->sampler.filter == TEX_LINEAR || t->sampler.mip == TEX_LINEAR))
    return err_at(v->e, v->file, s->name_line, s->name_col,
                  "found a linear filter for integers%s, expected %s, or a format that is read as floats",
                  f->has[TO_FILTER] || f->has[TO_MIP] ? "" : " (the PTX gives it to the reference)",
                  f->has[TO_MIP] ? "point" : "'filter point'");
  if (f->has[TO_MIP] && t->levels == 1)
    return at_form(v, f->at[TO_MIP].line, f->at[TO_MIP].col,
                   "found mip for an image of one level, expected 'levels' with it");
  return !t->linear_1d || t->sampler.filter == TEX_POINT ||
         at_form(v, s->name_line, s->name_col, "found a linear filter for linear memory, expected 'array'");
}

static bool texture_make_image(struct texture_run *r, const struct module *m, struct memory *mem, const struct stmt *s,
                               struct env *v, bool *moved) {
  const struct texture_form *f = s->texture;
  struct texture_name *x = &r->name[s->slot];
  struct texture t;
  const bool shared = !f->png && !f->has[TO_ARRAY] && r->name[f->from].image;
  const bool ok = f->png             ? texture_from_png(r, mem, s, v, &t, moved)
                  : shared           ? texture_from_array(r, s, v, &t)
                  : f->has[TO_ARRAY] ? texture_eval_sizes(f, v, &t) && texture_make_array(r, mem, s, v, &t, NULL, moved)
                                     : texture_over_buffer(f, s, v, &t);
  if (!ok) return false;
  t.name = v->name[s->slot].s;
  t.writable = f->kind == NAME_SURFACE;
  if (t.writable && x->image) r->array[x->image - 1].surface = true;
  if (!texture_make_sampler(f, x->ref ? &m->texref[x->ref - 1] : NULL, v, &t.sampler) || !fits_sampler(f, s, &t, v))
    return false;
  if (!x->handle) x->handle = handle_of(texture_handle_kind(f), texture_set_add(&r->set, &t));
  else r->set.texture[handle_index(x->handle)] = t;
  return true;
}

bool texture_run(struct texture_run *r, const struct module *m, struct memory *mem, const struct stmt *s, struct env *v,
                 bool *moved) {
  const struct texture_form *f = s->texture;
  struct texture_name *x = &r->name[s->slot];
  *moved = false;
  if (f->kind == NAME_SAMPLER) {
    struct tex_sampler t;
    if (!texture_make_sampler(f, x->ref ? &m->texref[x->ref - 1] : NULL, v, &t)) return false;
    if (!x->handle) x->handle = handle_of(HANDLE_SAMPLER, texture_set_sampler(&r->set, &t));
    else r->set.sampler[handle_index(x->handle)] = t;
  } else if (!texture_make_image(r, m, mem, s, v, moved)) {
    return false;
  }
  r->handle[s->slot] = x->handle;
  if (x->ref) r->ref[x->ref - 1] = x->handle;
  return true;
}

void texture_changed(struct texture_run *r, uint32_t slot) {
  if (r->name[slot].image) r->array[r->name[slot].image - 1].changed = true;
}

void texture_swap(struct texture_run *r, uint32_t a, uint32_t b) {
  struct texture_name *x = &r->name[a], *y = &r->name[b], t = *x;
  *x = (struct texture_name){y->handle, y->image, t.ref};
  *y = (struct texture_name){t.handle, t.image, y->ref};
  r->handle[a] = x->handle;
  r->handle[b] = y->handle;
  if (x->ref) r->ref[x->ref - 1] = x->handle;
  if (y->ref) r->ref[y->ref - 1] = y->handle;
}

/* ---- launches ---- */

const struct textures *texture_launch(struct texture_run *r, const struct module *m, struct memory *mem,
                                      const struct code *c, int line, int col, struct env *v) {
  const struct texref *none = m->ntexref ? texref_unbound(m, c, r->ref) : NULL;
  if (none) {
    err_at(v->e, v->file, line, col,
           "found nothing bound to '%.80s', which the kernel reads as %s, expected a statement for it before",
           none->name, handle_name((enum handle_kind)none->kind));
    return NULL;
  }
  for (uint32_t k = 0; k < r->narray; k++) {
    if (r->array[k].changed && !texels_write_all(&r->array[k].at, mem, r->array[k].rows, v->e)) return NULL;
    r->array[k].changed = false;
  }
  r->view = texture_set_view(&r->set, r->ref, m->ntexref);
  return &r->view;
}

bool texture_launched(struct texture_run *r, struct memory *mem, struct err *e) {
  for (uint32_t k = 0; k < r->narray; k++)
    if (r->array[k].surface && !texels_read_all(&r->array[k].at, mem, r->array[k].rows, e)) return false;
  return true;
}
