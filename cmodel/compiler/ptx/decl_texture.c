/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the opaque types .texref, .samplerref and .surfref at the file's level, with what they are initialised to. */
#include <string.h>

#include "compiler/ptx/parse.h"

static const char *const types[] = {
    [HANDLE_TEXTURE] = "texref", [HANDLE_SAMPLER] = "samplerref", [HANDLE_SURFACE] = "surfref"};

uint8_t p_handle_type(const struct parser *p) {
  for (unsigned k = HANDLE_TEXTURE; k <= HANDLE_SURFACE; k++)
    if (p_at_dot(p, types[k])) return (uint8_t)k;
  return HANDLE_NONE;
}

/* .samplerref in unified mode: no error of syntax, but its kernels cannot be run. */
bool p_check_sampler_mode(struct parser *p, uint8_t handle) {
  if (handle != HANDLE_SAMPLER || p->ir->independent) return true;
  return p_unsupported(p, &p->t, "found type '.samplerref', expected 'texmode_independent' in .target for it");
}

/* ---- initialisers: { addr_mode_0 = wrap, filter_mode = linear } ---- */

enum what { NORMALIZED, UNNORMALIZED, FILTER, ADDRESS_0, ADDRESS_1, ADDRESS_2, QUERIED };
struct field {
  const char *name;
  uint8_t what;
  uint8_t of; /* bit per kind */
};
enum { OF_TEX = 1 << HANDLE_TEXTURE, OF_SAMPLER = 1 << HANDLE_SAMPLER, OF_SURF = 1 << HANDLE_SURFACE };
static const struct field fields[] = {
    {"normalized_coords", NORMALIZED, OF_TEX},
    {"force_unnormalized_coords", UNNORMALIZED, OF_SAMPLER},
    {"filter_mode", FILTER, OF_TEX | OF_SAMPLER},
    {"addr_mode_0", ADDRESS_0, OF_TEX | OF_SAMPLER},
    {"addr_mode_1", ADDRESS_1, OF_TEX | OF_SAMPLER},
    {"addr_mode_2", ADDRESS_2, OF_TEX | OF_SAMPLER},
    {"width", QUERIED, OF_TEX | OF_SURF}, /* these say what the image is; the one that is bound says it, too */
    {"height", QUERIED, OF_TEX | OF_SURF},
    {"depth", QUERIED, OF_TEX | OF_SURF},
    {"channel_data_type", QUERIED, OF_TEX | OF_SURF},
    {"channel_order", QUERIED, OF_TEX | OF_SURF},
};

struct value {
  const char *name;
  uint8_t value;
};

/* One of these names; t is behind it. */
static bool named_value(struct parser *p, const struct value *v, unsigned n, const char *expected, uint8_t *out) {
  for (unsigned k = 0; k < n; k++)
    if (p->t.kind == TK_ID && token_is(&p->t, v[k].name)) {
      *out = v[k].value;
      return p_next(p);
    }
  return p_found(p, expected);
}

static bool address_mode(struct parser *p, uint8_t *out) {
  static const struct value modes[] = {
      {"wrap", TEX_WRAP}, {"mirror", TEX_MIRROR}, {"clamp_to_edge", TEX_CLAMP}, {"clamp_to_border", TEX_BORDER}};
  if (p->t.kind == TK_ID && token_is(&p->t, "clamp_ogl"))
    return p_unsupported(p, &p->t,
                         "found 'clamp_ogl', which is not supported; expected wrap, mirror, clamp_to_edge or "
                         "clamp_to_border");
  return named_value(p, modes, 4, "wrap, mirror, clamp_to_edge or clamp_to_border", out);
}

static bool read_field(struct parser *p, struct texref *r) {
  static const struct value filters[] = {{"nearest", TEX_POINT}, {"linear", TEX_LINEAR}};
  const struct field *f = NULL;
  for (unsigned k = 0; k < sizeof fields / sizeof *fields; k++)
    if (p->t.kind == TK_ID && token_is(&p->t, fields[k].name) && fields[k].of >> r->kind & 1) f = &fields[k];
  if (!f)
    return p_found(p, r->kind == HANDLE_SURFACE ? "a property of a surface, such as width"
                      : r->kind == HANDLE_SAMPLER
                          ? "a property of a sampler: force_unnormalized_coords, filter_mode or addr_mode_0, _1, _2"
                          : "a property of a texture: normalized_coords, filter_mode or addr_mode_0, _1, _2");
  if (!p_next(p) || !p_expect(p, '=', "after the name of a property")) return false;
  uint64_t v = 0;
  const bool own = r->kind == HANDLE_SAMPLER || !p->ir->independent; /* else .samplerref have these properties */
  switch (f->what) {
    case NORMALIZED:
    case UNNORMALIZED:
      if (!p_integer(p, 1, &v, "value")) return false;
      if (own) r->normalized = f->what == NORMALIZED ? v != 0 : v == 0, r->given |= 1;
      return true;
    case FILTER:
      if (own) r->given |= 2;
      return named_value(p, filters, 2, "nearest or linear", &r->filter);
    case QUERIED: return p_integer(p, UINT32_MAX, &v, "a number");
    default: {
      const unsigned axis = f->what - ADDRESS_0;
      if (own) r->given |= (uint8_t)(4u << axis);
      return address_mode(p, &r->address[axis]);
    }
  }
}

static bool read_fields(struct parser *p, struct texref *r) {
  bool comma = !p_at(p, '}');
  while (comma)
    if (!read_field(p, r) || !p_accept(p, ',', &comma)) return false;
  return p_expect(p, '}', "after the properties");
}

/* ---- declarations ---- */

static bool one_ref(struct parser *p, uint8_t handle, bool is_extern) {
  struct ir_var *v = arena_alloc(p->tmp, sizeof *v);
  *v = (struct ir_var){.kind = V_REF,
                       .type = T_U64,
                       .handle = handle,
                       .size = 8,
                       .align = 8,
                       .is_extern = is_extern,
                       .line = p->t.line,
                       .col = p->t.col};
  if (!p_name(p, &v->name, "the name of a variable")) return false;
  v->ref = arena_alloc(p->tmp, sizeof *v->ref);
  *v->ref = (struct texref){
      .name = v->name, .kind = handle, .normalized = 0, .line = (uint32_t)v->line, .col = (uint32_t)v->col};
  if (p_at(p, '['))
    return p_unsupported(p, &p->t, "found an array of .%s, which is not supported; expected one variable each",
                         types[handle]);
  if (p_at(p, '=')) {
    if (is_extern) return p_found(p, "';': an .extern variable has no initialiser");
    if (!p_next(p) || !p_expect(p, '{', "to begin the properties") || !read_fields(p, v->ref)) return false;
  }
  return p_register_var(p, v);
}

bool parse_refs(struct parser *p, enum var_kind kind, bool is_extern) {
  uint8_t handle = HANDLE_TEXTURE;
  if (p_at_dot(p, "tex")) { /* .tex .u32 name: what .global .texref name was before PTX 1.5 */
    if (!p_next(p)) return false;
    if (!p_at_dot(p, "u32") && !p_at_dot(p, "u64")) return p_found(p, "'.u32' or '.u64' after '.tex'");
  } else {
    handle = p_handle_type(p);
    if (kind != V_GLOBAL) return p_found(p, "a type such as '.u32': .texref, .samplerref and .surfref are .global");
    if (!p_check_sampler_mode(p, handle)) return false;
  }
  bool comma = true;
  if (!p_next(p)) return false;
  while (comma)
    if (!one_ref(p, handle, is_extern) || !p_accept(p, ',', &comma)) return false;
  return p_expect(p, ';', "after a declaration");
}
