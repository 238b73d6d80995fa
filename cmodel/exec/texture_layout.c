/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_layout: where the texels of an image lie (docs/reference/textures.md, "The image"). The byte of a texel is a sum of one
 * term per axis: pitch-linear, and block-linear, too, as there the bits of x, y and z in a block do not overlap.
 */
#include "base/bits.h"
#include "exec/texture_axes.h"

enum { BYTES_MAX = 1 << 30, GOB_HEIGHT = 8, ROW_ALIGN = 64 };

static const uint8_t type_bytes[T_COUNT] = {
    [T_U8] = 1, [T_S8] = 1, [T_U16] = 2, [T_S16] = 2, [T_F16] = 2, [T_U32] = 4, [T_S32] = 4, [T_F32] = 4};
static const uint8_t order_channels[] = {1, 2, 3, 4, 4, 1, 1, 1};
static const char *const order_name[] = {"r", "rg", "rgb", "rgba", "bgra", "a", "luminance", "intensity"};
static const char *const geom_text[GEOM_COUNT] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const char *const geom_of[GEOM_COUNT] = {
    "a 1-D image", "a 2-D image",      "a 3-D image", "an array of 1-D images", "an array of 2-D images",
    "a cube",      "an array of cubes"};

const char *texture_geom_name(unsigned geom) { return geom < GEOM_COUNT ? geom_text[geom] : "?"; }

static bool texture_is_cube(const struct texture *t) { return t->geom == GEOM_CUBE || t->geom == GEOM_ACUBE; }
static bool texture_is_flat(const struct texture *t) { return t->geom == GEOM_1D || t->geom == GEOM_A1D; }

static unsigned channel_bytes(const struct texture *t) { return t->type < T_COUNT ? type_bytes[t->type] : 0; }

unsigned texture_texel_bytes(const struct texture *t) {
  return channel_bytes(t) * (t->channels == 3 ? 4u : t->channels);
}

uint32_t texture_level_size(uint32_t size, unsigned level) { return size >> level ? size >> level : 1; }

unsigned texture_most_levels(const struct texture *t) {
  const uint32_t all = t->width | t->height | t->depth; /* its highest bit is that of the largest */
  if (t->layout == TEX_PITCH || !all) return 1;
  const unsigned levels = 32 - (unsigned)__builtin_clz(all);
  return levels < TEX_LEVELS ? levels : TEX_LEVELS;
}

/* ---- checks ---- */

static bool texture_check_most(struct err *e, const char *what, const char *of, uint32_t found, uint32_t most) {
  if (found && found <= most) return true;
  if (most == 1) return err_at(e, NULL, 0, 0, "found %s %u of %s, expected 1", what, found, of);
  return err_at(e, NULL, 0, 0, "found %s %u of %s, expected 1 to %u", what, found, of, most);
}

static bool texture_check_format(const struct texture *t, struct err *e) {
  if (!channel_bytes(t))
    return err_at(e, NULL, 0, 0, "found channels of type '%s', expected u8, u16, u32, s8, s16, s32, f16 or f32",
                  t->type < T_COUNT ? dtype_name(t->type) : "?");
  if (!t->channels || t->channels > 4) return err_at(e, NULL, 0, 0, "found %u channels, expected 1 to 4", t->channels);
  if (t->order >= sizeof order_channels || order_channels[t->order] != t->channels)
    return err_at(e, NULL, 0, 0, "found %u channel%s in the order '%s', expected %u", t->channels,
                  t->channels == 1 ? "" : "s", t->order < sizeof order_channels ? order_name[t->order] : "?",
                  t->order < sizeof order_channels ? order_channels[t->order] : 0);
  if (t->normalized_values && (t->type == T_U32 || t->type == T_S32))
    return err_at(e, NULL, 0, 0, "found normalised values of type %s, expected integers of 8 or 16 bits",
                  dtype_name(t->type));
  return true;
}

static bool texture_check_sizes(const struct texture *t, struct err *e) {
  const bool solid = t->geom == GEOM_3D, layered = geom_layered((enum tex_geom)t->geom) || texture_is_cube(t);
  const uint32_t most = t->linear_1d         ? TEX_MAX_LINEAR
                        : solid              ? TEX_MAX_3D
                        : texture_is_flat(t) ? TEX_MAX_1D
                                             : TEX_MAX_2D;
  const char *g = t->linear_1d ? "linear memory" : geom_of[t->geom];
  if (!texture_check_most(e, "width", g, t->width, most) ||
      !texture_check_most(e, "height", g, t->height, texture_is_flat(t) ? 1 : most) ||
      !texture_check_most(e, "depth", g, t->depth, solid ? most : 1) ||
      !texture_check_most(e, "number of layers", g, t->layers, layered ? TEX_MAX_LAYERS : 1))
    return false;
  if (texture_is_cube(t) && t->width != t->height)
    return err_at(e, NULL, 0, 0, "found %s of %u x %u texels, expected faces that are square", g, t->width, t->height);
  if (texture_is_cube(t) && (t->layers % 6 || (t->geom == GEOM_CUBE && t->layers != 6)))
    return err_at(e, NULL, 0, 0, "found %s of %u layers, expected %s", g, t->layers,
                  t->geom == GEOM_CUBE ? "six" : "a multiple of six");
  return texture_check_most(e, "number of levels", t->layout == TEX_PITCH ? "a pitch-linear image" : g, t->levels,
                            texture_most_levels(t));
}

static unsigned log2_up(uint32_t n) { return n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 0; }
/* log2 of the GOBs of a block: what the size asks for, `high` and `deep` at least. */
static bool texture_set_blocks(struct texture *t, unsigned high, unsigned deep, struct err *e) {
  const bool solid = t->geom == GEOM_3D;
  const unsigned most_high = solid ? 2 : 4, most_deep = solid ? 3 : 0;
  if (high > most_high || deep > most_deep)
    return err_at(e, NULL, 0, 0, "found blocks of 2^%u x 2^%u GOBs, expected 2^%u x 2^%u at most", high, deep,
                  most_high, most_deep);
  const unsigned own_high = u32_min(log2_up((t->height + GOB_HEIGHT - 1) / GOB_HEIGHT), most_high);
  const unsigned own_deep = u32_min(log2_up(t->depth), most_deep);
  t->block_height = (uint8_t)(own_high > high ? own_high : high);
  t->block_depth = (uint8_t)(own_deep > deep ? own_deep : deep);
  return true;
}

static bool texture_lay_out_blocks(struct texture *t, unsigned high, unsigned deep, struct err *e) {
  if (t->geom >= GEOM_COUNT) return err_at(e, NULL, 0, 0, "found geometry %u, expected 1d to acube", t->geom);
  if (t->layout > TEX_BLOCK)
    return err_at(e, NULL, 0, 0, "found layout %u, expected 0 (pitch) or 1 (block)", t->layout);
  if (t->linear_1d && (t->geom != GEOM_1D || t->layout != TEX_PITCH))
    return err_at(e, NULL, 0, 0, "found linear memory as a %s image%s, expected 1d", geom_text[t->geom],
                  t->layout ? " in blocks" : "");
  if (!texture_check_format(t, e) || !texture_check_sizes(t, e)) return false;
  const uint32_t texel = texture_texel_bytes(t), row = t->width * texel; /* below 2^31 */
  t->block_height = t->block_depth = 0;
  memset(t->level_at, 0, sizeof t->level_at);
  if (t->layout == TEX_PITCH) {
    if (!t->pitch) t->pitch = row;
    if (t->pitch < row || t->pitch & (texel - 1))
      return err_at(e, NULL, 0, 0, "found a pitch of %u bytes, expected a multiple of %u that is at least %u", t->pitch,
                    texel, row);
  } else if (!texture_is_flat(t) && !texture_set_blocks(t, high, deep, e)) {
    return false;
  }
  uint64_t bytes = 0;
  for (unsigned l = 0; l < t->levels; l++) {
    struct texture_axes a;
    t->level_at[l] = (uint32_t)bytes;
    texture_axes_of(t, l, &a);
    /* The last row of pitch-linear memory need not be whole. */
    bytes += t->layout == TEX_PITCH
                 ? (uint64_t)t->pitch * ((uint64_t)t->height * t->depth * t->layers - 1) + row
                 : a.slice * (((uint64_t)t->layers * a.depth + (1u << a.block_depth) - 1) >> a.block_depth);
    if (bytes >= BYTES_MAX)
      return err_at(
          e, NULL, 0, 0,
          "found an image of %u x %u x %u texels of %u bytes in %u layer%s, expected less than %d bytes in all",
          t->width, t->height, t->depth, texel, t->layers, t->layers == 1 ? "" : "s", BYTES_MAX);
  }
  t->bytes = (uint32_t)bytes;
  return true;
}

bool texture_lay_out(struct texture *t, struct err *e) { return texture_lay_out_blocks(t, 0, 0, e); }

bool texture_lay_out_again(struct texture *t, struct err *e) {
  return texture_lay_out_blocks(t, t->block_height, t->block_depth, e);
}

void texture_axes_of(const struct texture *t, unsigned level, struct texture_axes *a) {
  const unsigned bytes = texture_texel_bytes(t);
  *a = (struct texture_axes){.at = t->level_at[level],
                             .texel = bytes,
                             .width = texture_level_size(t->width, level),
                             .height = texture_level_size(t->height, level),
                             .depth = texture_level_size(t->depth, level)};
  if (t->layout == TEX_PITCH) {
    a->row = t->pitch;
    a->slice = (uint64_t)t->pitch * t->height;
  } else if (texture_is_flat(t)) {
    a->row = a->slice = (a->width * (uint64_t)bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
  } else {
    a->block = true;
    a->block_height = t->block_height;
    a->block_depth = t->block_depth;
    a->block_log2 = (uint8_t)(9 + a->block_height + a->block_depth);
    const uint64_t wide = (a->width * (uint64_t)bytes + 63) / 64;
    const uint32_t high = (uint32_t)GOB_HEIGHT << a->block_height;
    a->row = wide << a->block_log2;
    a->slice = a->row * ((a->height + high - 1) / high);
  }
}
