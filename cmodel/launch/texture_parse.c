/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_parse: the statements texture, surface and sampler of launch files. What can be known without the values of expressions is
 * checked here; texture.c executes them.
 */
#include <stdio.h>
#include <string.h>

#include "exec/texture_set.h"
#include "launch/script.h"

/* ---- words ---- */

static bool texture_format_named(const char *s, size_t n, struct texture_format *out) {
  static const struct {
    const char *s;
    uint8_t channels, order;
  } order[] = {{"rgba", 4, ORDER_RGBA}, {"bgra", 4, ORDER_BGRA}, {"rg", 2, ORDER_RG}, {"r", 1, ORDER_R}};
  static const struct {
    const char *s;
    uint8_t type;
    bool normalized;
  } type[] = {{"8", T_U8, true},     {"16", T_U16, true},    {"8_snorm", T_S8, true}, {"16_snorm", T_S16, true},
              {"8ui", T_U8, false},  {"16ui", T_U16, false}, {"32ui", T_U32, false},  {"8i", T_S8, false},
              {"16i", T_S16, false}, {"32i", T_S32, false},  {"16f", T_F16, false},   {"32f", T_F32, false}};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    const size_t letters = strlen(order[k].s);
    if (n <= letters || memcmp(s, order[k].s, letters) != 0) continue;
    for (size_t j = 0; j < sizeof type / sizeof *type; j++) {
      if (strlen(type[j].s) != n - letters || memcmp(s + letters, type[j].s, n - letters) != 0) continue;
      if (order[k].order == ORDER_BGRA && type[j].type != T_U8) return false;
      *out = (struct texture_format){type[j].type, order[k].channels, order[k].order, type[j].normalized};
      return true;
    }
  }
  return false;
}

static int word_of(const struct parser *p, const char *const *word, int n) {
  for (int k = 0; k < n; k++)
    if (script_is(p, word[k])) return k;
  return -1;
}

/* One of n words, taken. */
static bool texture_parse_choice(struct parser *p, const char *const *word, int n, const char *expected, uint8_t *out) {
  const int k = word_of(p, word, n);
  if (k < 0) return script_found(p, expected);
  *out = (uint8_t)k;
  script_next(p);
  return !p->e->set;
}

static const char *const address_word[] = {"repeat", "clamp", "mirror", "border"}; /* enum tex_address */
static const char *const filter_word[] = {"point", "linear"};                      /* enum tex_filter */

/* ---- options ---- */

static bool texture_parse_format(struct parser *p, struct texture_form *f) {
  if (p->t.kind != K_NAME || !texture_format_named(p->t.s, p->t.n, &f->format))
    return script_found(
        p,
        "a format: r, rg or rgba with 8, 16, 8_snorm, 16_snorm, 8ui, 16ui, 32ui, 8i, 16i, 32i, 16f or 32f, or "
        "bgra8, bgra8ui");
  script_next(p);
  return !p->e->set;
}

static bool texture_parse_wrap(struct parser *p, struct texture_form *f) {
  static const char expected[] = "clamp, repeat, mirror or border";
  uint8_t *a = f->sampler.address;
  if (p->t.kind != '(') {
    if (!texture_parse_choice(p, address_word, 4, expected, &a[0])) return false;
    a[1] = a[2] = a[0];
    return true;
  }
  p->nest++;
  for (unsigned k = 0;; k++) {
    script_next(p);
    if (p->e->set || !texture_parse_choice(p, address_word, 4, expected, &a[k])) return false;
    for (unsigned j = k + 1; j < 3; j++) a[j] = a[k];
    if (p->t.kind != ',' || k == 2) break;
  }
  if (p->t.kind != ')') return script_found(p, "',' or ')' after one to three of clamp, repeat, mirror and border");
  p->nest--;
  script_next(p);
  return !p->e->set;
}

/* `E` for all components, or `(r, g, b, a)`. */
static bool texture_parse_border(struct parser *p, struct texture_form *f) {
  f->nborder = 1;
  if (p->t.kind != '(') return script_expr(p, &f->border[0]);
  p->nest++;
  script_next(p);
  if (p->e->set || !script_expr(p, &f->border[0])) return false;
  while (p->t.kind == ',') {
    if (f->nborder == 4) return script_found(p, "')' after four components");
    script_next(p);
    if (!script_expr(p, &f->border[f->nborder++])) return false;
  }
  if (p->t.kind != ')' || (f->nborder != 1 && f->nborder != 4))
    return script_found(p, "one component, or four: (r, g, b, a)");
  p->nest--;
  script_next(p);
  return !p->e->set;
}

static bool texture_parse_compare(struct parser *p, struct texture_form *f) {
  static const char *const word[] = {"eq", "ne", "lt", "le", "gt", "ge"}; /* enum cmpop */
  return texture_parse_choice(p, word, 6, "eq, ne, lt, le, gt or ge", &f->sampler.compare);
}

static const char *const option_word[TO_COUNT] = {"format", "size",   "layers", "cube", "levels",
                                                  "array",  "pitch",  "filter", "mip",  "wrap",
                                                  "border", "coords", "lod",    "bias", "compare"};

static bool texture_parse_option(struct parser *p, struct texture_form *f, enum texture_option o) {
  static const char *const coords[] = {"texels", "normalized"};
  uint8_t normalized = 0;
  f->has[o] = true;
  f->at[o].line = p->t.line;
  f->at[o].col = p->t.col;
  script_next(p);
  if (p->e->set) return false;
  switch (o) {
    case TO_FORMAT: return texture_parse_format(p, f);
    case TO_SIZE: return script_dim(p, f->size, &f->nsize);
    case TO_LAYERS: return script_expr(p, &f->layers);
    case TO_LEVELS: return script_expr(p, &f->levels);
    case TO_PITCH: return script_expr(p, &f->pitch);
    case TO_FILTER: return texture_parse_choice(p, filter_word, 2, "point or linear", &f->sampler.filter);
    case TO_MIP: return texture_parse_choice(p, filter_word, 2, "point or linear", &f->sampler.mip);
    case TO_WRAP: return texture_parse_wrap(p, f);
    case TO_BORDER: return texture_parse_border(p, f);
    case TO_COORDS:
      if (!texture_parse_choice(p, coords, 2, "texels or normalized", &normalized)) return false;
      f->sampler.normalized = normalized;
      return true;
    case TO_LOD:
      if (!script_expr_item(p, &f->lod[0])) return false;
      if (script_ends(p)) return script_found(p, "the highest level after the lowest one");
      return script_expr_item(p, &f->lod[1]);
    case TO_BIAS: return script_expr(p, &f->bias);
    case TO_COMPARE: return texture_parse_compare(p, f);
    default: return true; /* cube, array */
  }
}

static bool texture_parse_options(struct parser *p, struct texture_form *f) {
  const int first = f->kind == NAME_SAMPLER ? TO_FILTER : 0, end = f->kind == NAME_SURFACE ? TO_FILTER : TO_COUNT;
  char expected[300] = "the end of the line, or one of:";
  size_t n = strlen(expected);
  for (int k = first; k < end; k++) n += (size_t)snprintf(expected + n, sizeof expected - n, " %s", option_word[k]);
  while (!script_ends(p)) {
    int k = first;
    while (k < end && !script_is(p, option_word[k])) k++;
    if (k == end) return script_found(p, expected);
    if (f->has[k]) return script_found(p, "each property once");
    if (!texture_parse_option(p, f, (enum texture_option)k)) return false;
  }
  return !p->e->set;
}

/* ---- what goes together ---- */

static bool at_option(struct parser *p, const struct texture_form *f, enum texture_option o, const char *text) {
  return err_at(p->e, p->file, f->at[o].line, f->at[o].col, "%s", text);
}

static bool sampler_has_axis(const struct texture_form *f, enum tex_address a) {
  return f->sampler.address[0] == a || f->sampler.address[1] == a || f->sampler.address[2] == a;
}

static bool texture_check_sampler(struct parser *p, const struct texture_form *f) {
  if (f->has[TO_WRAP] && !f->sampler.normalized && (sampler_has_axis(f, TEX_WRAP) || sampler_has_axis(f, TEX_MIRROR)))
    return at_option(
        p, f, TO_WRAP,
        "found wrap repeat or mirror for coordinates in texels, expected clamp or border, or 'coords normalized'");
  if (f->has[TO_BORDER] && !sampler_has_axis(f, TEX_BORDER))
    return at_option(p, f, TO_BORDER, "found the colour of a border without one, expected 'wrap border' with it");
  if (!f->format.type) return true;
  const bool integer = !dtype_float(f->format.type) && !f->format.normalized;
  if (integer && f->sampler.filter == TEX_LINEAR)
    return at_option(p, f, TO_FILTER,
                     "found filter linear for integers, expected point, or a format that is read as floats");
  if (integer && f->sampler.mip == TEX_LINEAR)
    return at_option(p, f, TO_MIP, "found mip linear for integers, expected point, or a format that is read as floats");
  return true;
}

/* Properties of an image that is new. */
static bool texture_check_image(struct parser *p, const struct texture_form *f) {
  static const enum texture_option own[] = {TO_LAYERS, TO_CUBE, TO_LEVELS};
  if (f->has[TO_ARRAY] && f->has[TO_PITCH])
    return at_option(p, f, TO_PITCH, "found a pitch for an array, expected none: an array has a layout of its own");
  if (f->nsize == 3 && (f->has[TO_LAYERS] || f->has[TO_CUBE]))
    return at_option(p, f, TO_SIZE, "found three sizes for layers, expected one or two");
  if (f->has[TO_CUBE] && f->nsize != 2) return at_option(p, f, TO_CUBE, "found a cube, expected size (E, E) with it");
  if (f->has[TO_ARRAY]) return true;
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (f->has[own[k]])
      return err_at(p->e, p->file, f->at[own[k]].line, f->at[own[k]].col,
                    "found %s for an image that lies over a buffer, expected 'array' with it", option_word[own[k]]);
  if (f->nsize == 3)
    return at_option(p, f, TO_SIZE,
                     "found three sizes for an image that lies over a buffer, expected 'array' with them");
  if (f->nsize == 2) return true;
  if (f->has[TO_PITCH])
    return at_option(p, f, TO_PITCH, "found a pitch for an image of one dimension, expected size (E, E) with it");
  for (int k = TO_FILTER; k < TO_COUNT; k++)
    if (f->has[k])
      return err_at(p->e, p->file, f->at[k].line, f->at[k].col,
                    "found %s for linear memory (an image over a buffer without 'size (E, E)'), expected none of a "
                    "sampler's properties, or 'array'",
                    option_word[k]);
  return true;
}

/* Properties of an image that is there already, in a file or of another statement. */
static bool texture_check_shared(struct parser *p, const struct texture_form *f) {
  const char *what = f->png ? "an image from a file" : "the image of another array";
  for (int k = TO_SIZE; k < TO_FILTER; k++)
    if (f->has[k] && !(f->png && k == TO_ARRAY))
      return err_at(p->e, p->file, f->at[k].line, f->at[k].col, "found %s for %s, expected none: it has its own",
                    option_word[k], what);
  return true;
}

/* ---- sources ---- */

static bool texture_parse_source_name(struct parser *p, struct texture_form *f, struct name **out) {
  struct name *x = *out = script_lookup(p);
  if (!x || (!script_memory(x) && x->kind != NAME_TEXTURE && x->kind != NAME_SURFACE))
    return script_found(p,
                        "the name of a buffer, of a symbol in global memory or of an array, or a PNG file in quotes");
  if (!script_memory(x)) return script_found(p, "the name of the buffer that this one lies over, or of an array");
  f->from = x->slot;
  f->from_kind = x->kind;
  script_next(p);
  return !p->e->set;
}

static bool texture_parse_source(struct parser *p, struct texture_form *f, struct name **from) {
  *from = NULL;
  if (!script_is(p, "from")) return script_found(p, "'from' and a buffer, an array, or a PNG file in quotes");
  f->from_line = p->t.line;
  if (script_peek(p) == '"') {
    struct token t;
    if (!script_word(p, "the path of a PNG file", &t)) return false;
    f->png = script_path(p, &t);
    f->from_line = t.line;
    f->from_col = t.col;
    return true;
  }
  script_next(p);
  f->from_line = p->t.line;
  f->from_col = p->t.col;
  return !p->e->set && texture_parse_source_name(p, f, from);
}

static bool texture_source_error(struct parser *p, const struct texture_form *f, const char *text, enum dtype type,
                                 enum dtype want) {
  return err_at(p->e, p->file, f->from_line, f->from_col, text, dtype_name(type), dtype_name(want),
                dtype_bytes(want) * f->format.channels);
}

static bool texture_check_png(struct parser *p, struct texture_form *f) {
  if (!f->has[TO_FORMAT]) f->format = (struct texture_format){T_U8, 0, ORDER_RGBA, true}; /* as the file says */
  if (!texture_check_shared(p, f)) return false;
  if ((f->format.type == T_U8 || f->format.type == T_F32) && f->format.channels != 2) return true;
  return at_option(p, f, TO_FORMAT,
                   "found a format that no PNG file gives, expected r8, r8ui, r32f, rgba8, rgba8ui, rgba32f, bgra8 or "
                   "bgra8ui");
}

/* The texels that the source has must be those that the format says. from NULL: a file. */
static bool texture_check_source(struct parser *p, struct texture_form *f, const struct name *from) {
  if (!from) return texture_check_png(p, f);
  const enum dtype has = from->type;
  if (from->array) {
    if (!texture_check_shared(p, f)) return false;
    return !f->has[TO_FORMAT] || f->format.type == has ||
           texture_source_error(p, f, "found an array of %s, expected one of %s for this format", has, f->format.type);
  }
  if (!f->has[TO_FORMAT]) return script_found(p, "'format' and the format of the texels");
  if (!f->nsize && (f->has[TO_ARRAY] || f->kind == NAME_SURFACE))
    return script_found(p, "'size' and the size in texels");
  const bool packed = !dtype_float(has) && dtype_bytes(has) == dtype_bytes(f->format.type) * f->format.channels;
  if (has != f->format.type && !packed)
    return texture_source_error(
        p, f, "found one of %s, expected one of %s, or of integers of %u bytes, for this format", has, f->format.type);
  return texture_check_image(p, f);
}

/* ---- statements ---- */

/* The name of the statement: a new one, or one that it binds anew. */
static bool texture_define(struct parser *p, struct stmt *s, const struct token *t, bool array, enum dtype type) {
  const struct texture_form *f = s->texture;
  const uint32_t before = p->nname;
  struct name *x = script_known(p, t);
  if (!x || p->sizes & ~x->sizes) x = script_define_sized(p, t, (enum name_kind)f->kind, type);
  if (!x) return false;
  if (p->nname > before) x->array = array;
  if (x->type != type || x->array != array)
    return err_at(p->e, p->file, t->line, t->col,
                  "found '%.*s', which line %d makes %s of %s, expected the same here, or another name",
                  t->n > 60 ? 60 : (int)t->n, t->s, x->line, x->array ? "an array" : "no array",
                  x->type ? dtype_name(x->type) : "no type");
  s->slot = x->slot;
  return true;
}

bool script_texture_statement(struct parser *p, struct stmt *s, enum name_kind kind) {
  static const char *const what[] = {"the name of a texture", "the name of a surface", "the name of a sampler"};
  struct texture_form *f = s->texture = script_make(p, sizeof *f);
  struct name *from = NULL;
  struct token t = p->t;
  if (t.kind != K_NAME) return script_found(p, what[kind - NAME_TEXTURE]);
  struct name *x = script_known(p, &t);
  if (x && x->kind != kind)
    return err_at(p->e, p->file, t.line, t.col, "found '%.*s', which line %d defines, expected %s",
                  t.n > 60 ? 60 : (int)t.n, t.s, x->line, what[kind - NAME_TEXTURE]);
  s->name_line = t.line;
  s->name_col = t.col;
  f->kind = (uint8_t)kind;
  f->sampler = sampler_default();
  script_next(p);
  if (p->e->set || (kind != NAME_SAMPLER && !texture_parse_source(p, f, &from)) || !texture_parse_options(p, f))
    return false;
  if (kind == NAME_SAMPLER) return texture_check_sampler(p, f) && texture_define(p, s, &t, false, T_NONE);
  if (!texture_check_source(p, f, from)) return false;
  const bool array = f->png || f->has[TO_ARRAY];
  const enum dtype type = f->format.type || !from ? f->format.type : from->type; /* of another array: its own */
  return texture_check_sampler(p, f) && texture_define(p, s, &t, array, type);
}
