/* SPDX-License-Identifier: Apache-2.0 */
/* texture_layout: where the texels of images lie, by the formulas of docs/reference/textures.md, and images that are refused. */
#include "texture_make.h"

/* As docs/reference/textures.md says it. */
static uint32_t byte_in_gob(uint32_t x, uint32_t y) {
  return x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}
static uint32_t block_byte(uint32_t x, uint32_t y, uint32_t z, unsigned h, unsigned d, uint32_t wide, uint32_t high) {
  const uint32_t block = ((z >> d) * high + (y >> (3 + h))) * wide + x / 64;
  const uint32_t gob = z % (1u << d) * (1u << h) + y / 8 % (1u << h);
  return (block << (9 + h + d)) + gob * 512 + byte_in_gob(x, y);
}

static void test_blocks(void **state) {
  (void)state;
  static const struct {
    uint32_t geom, w, h, d, bh, bd;
    unsigned type, channels;
  } cases[] = {{GEOM_2D, 100, 70, 1, 4, 0, T_U8, 4},  {GEOM_2D, 1, 1, 1, 0, 0, T_F32, 4},
               {GEOM_2D, 33, 9, 1, 1, 0, T_U16, 1},   {GEOM_2D, 130, 300, 1, 4, 0, T_U8, 1},
               {GEOM_A2D, 20, 20, 3, 2, 0, T_F32, 2}, {GEOM_CUBE, 17, 17, 6, 2, 0, T_F16, 4},
               {GEOM_3D, 19, 13, 11, 1, 3, T_F32, 1}, {GEOM_3D, 5, 70, 2, 2, 1, T_U8, 2},
               {GEOM_ACUBE, 8, 8, 12, 0, 0, T_U8, 1}, {GEOM_3D, 70, 33, 9, 2, 3, T_S16, 4},
               {GEOM_2D, 8, 128, 1, 4, 0, T_U32, 3}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct texture t = blocks(cases[k].geom, cases[k].type, cases[k].channels, cases[k].w, cases[k].h, cases[k].d);
    laid_out(&t);
    assert_int_equal(t.block_height, cases[k].bh);
    assert_int_equal(t.block_depth, cases[k].bd);
    const uint32_t bytes = texture_texel_bytes(&t), wide = (cases[k].w * bytes + 63) / 64;
    const uint32_t rows = 8u << cases[k].bh, high = (cases[k].h + rows - 1) / rows;
    assert_int_equal(bytes, dtype_bytes(cases[k].type) * (cases[k].channels == 3 ? 4 : cases[k].channels));
    uint8_t *seen = calloc(t.bytes, 1);
    for (uint32_t z = 0; z < cases[k].d; z++)
      for (uint32_t y = 0; y < cases[k].h; y++)
        for (uint32_t x = 0; x < cases[k].w; x++) {
          const uint32_t at = texture_texel_at(&t, 0, x, y, z);
          assert_int_equal(at, block_byte(x * bytes, y, z, cases[k].bh, cases[k].bd, wide, high));
          assert_true(at + bytes <= t.bytes);
          for (uint32_t b = 0; b < bytes; b++) assert_int_equal(seen[at + b]++, 0);
        }
    free(seen);
    const uint32_t slices = (cases[k].d + (1u << cases[k].bd) - 1) >> cases[k].bd;
    assert_int_equal(t.bytes, (slices * wide * high) << (9 + cases[k].bh + cases[k].bd));
  }
}

static void test_pitch(void **state) {
  (void)state;
  struct texture t = plain_image(GEOM_2D, T_F32, 1, 10, 5, 1);
  laid_out(&t);
  assert_int_equal(t.pitch, 40);
  assert_int_equal(t.bytes, 200);
  t.pitch = 64;
  laid_out(&t);
  assert_int_equal(t.bytes, 4 * 64 + 40);
  assert_int_equal(texture_texel_at(&t, 0, 3, 2, 0), 2 * 64 + 12);
  t = plain_image(GEOM_3D, T_U8, 4, 6, 5, 4);
  t.pitch = 32;
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 1, 2, 3), (3 * 5 + 2) * 32 + 4);
  t = plain_image(GEOM_A1D, T_U16, 1, 9, 1, 3);
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 4, 0, 2), 2 * 18 + 8);
  assert_int_equal(t.bytes, 54);
  t = blocks(GEOM_A1D, T_U16, 1, 9, 1, 3);
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 4, 0, 2), 2 * 64 + 8);
  t = plain_image(GEOM_1D, T_F32, 4, 1 << 20, 1, 1);
  t.linear_1d = true;
  laid_out(&t);
  assert_int_equal(t.bytes, 16 << 20);
}

static void test_levels(void **state) {
  (void)state;
  struct texture t = blocks(GEOM_A2D, T_U8, 4, 40, 24, 2);
  t.levels = 6;
  laid_out(&t);
  uint8_t *seen = calloc(t.bytes, 1);
  for (unsigned l = 0; l < 6; l++) {
    const uint32_t w = 40 >> l ? 40 >> l : 1, h = 24 >> l ? 24 >> l : 1;
    for (uint32_t z = 0; z < 2; z++)
      for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
          const uint32_t at = texture_texel_at(&t, l, x, y, z);
          assert_true(at >= t.level_at[l] && at + 4 <= (l < 5 ? t.level_at[l + 1] : t.bytes));
          for (unsigned b = 0; b < 4; b++) assert_int_equal(seen[at + b]++, 0);
        }
  }
  free(seen);
}

static void refuses(struct texture t, const char *text) {
  struct err e = {0};
  assert_false(texture_lay_out(&t, &e));
  assert_string_equal(e.text, text);
}

static void test_refused(void **state) {
  (void)state;
  struct texture t = plain_image(GEOM_2D, T_F32, 1, 10, 5, 1);
#define WITH(field, value, text) \
  do {                           \
    struct texture u = t;        \
    u.field = value;             \
    refuses(u, text);            \
  } while (0)
  WITH(geom, GEOM_COUNT, "found geometry 7, expected 1d to acube");
  WITH(layout, 2, "found layout 2, expected 0 (pitch) or 1 (block)");
  WITH(type, T_F64, "found channels of type 'f64', expected u8, u16, u32, s8, s16, s32, f16 or f32");
  WITH(channels, 0, "found 0 channels, expected 1 to 4");
  WITH(channels, 5, "found 5 channels, expected 1 to 4");
  WITH(order, ORDER_BGRA, "found 1 channel in the order 'bgra', expected 4");
  WITH(width, 0, "found width 0 of a 2-D image, expected 1 to 65536");
  WITH(width, 65537, "found width 65537 of a 2-D image, expected 1 to 65536");
  WITH(height, 65537, "found height 65537 of a 2-D image, expected 1 to 65536");
  WITH(depth, 2, "found depth 2 of a 2-D image, expected 1");
  WITH(layers, 2, "found number of layers 2 of a 2-D image, expected 1");
  WITH(levels, 0, "found number of levels 0 of a pitch-linear image, expected 1");
  WITH(levels, 2, "found number of levels 2 of a pitch-linear image, expected 1");
  WITH(pitch, 39, "found a pitch of 39 bytes, expected a multiple of 4 that is at least 40");
  WITH(pitch, 42, "found a pitch of 42 bytes, expected a multiple of 4 that is at least 40");
  WITH(linear_1d, true, "found linear memory as a 2d image, expected 1d");
  t.layout = TEX_BLOCK;
  WITH(levels, 5, "found number of levels 5 of a 2-D image, expected 1 to 4");
  t = plain_image(GEOM_2D, T_U32, 1, 10, 5, 1);
  WITH(normalized_values, true, "found normalised values of type u32, expected integers of 8 or 16 bits");
  t = plain_image(GEOM_1D, T_U32, 1, 10, 1, 1);
  WITH(height, 2, "found height 2 of a 1-D image, expected 1");
  t = plain_image(GEOM_3D, T_U32, 1, 10, 10, 10);
  WITH(depth, 4097, "found depth 4097 of a 3-D image, expected 1 to 4096");
  t = plain_image(GEOM_A2D, T_U32, 1, 10, 10, 10);
  WITH(layers, 2049, "found number of layers 2049 of an array of 2-D images, expected 1 to 2048");
  t = plain_image(GEOM_CUBE, T_U32, 1, 10, 10, 6);
  WITH(height, 9, "found a cube of 10 x 9 texels, expected faces that are square");
  WITH(layers, 12, "found a cube of 12 layers, expected six");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_pitch),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
