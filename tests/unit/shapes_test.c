/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shapes of ports (blocks/declare.h): the C types, and the conversion to the flat vector and back (cosim/engine/flat.h), at a set with
 * smaller dimensions than the C arrays have and at the largest. The reference reads and writes single bits.
 */
#define die shapes_die /* what the reader of streams calls */
#include "../../cosim/engine/stim.c"

#define DESC_BLOCK shapes
#define DESC_DEF "../../tests/unit/shapes.def"
#define DESC_SOURCE "../../tests/unit/shapes.h"
#include "../../cosim/engine/describe.c"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"

void die(const char *format, ...) {
  char text[512];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  fail_msg("%s", text);
  abort();
}

void shapes_reset(struct shapes *s) { memset(s, 0, sizeof *s); }
void shapes_eval(const struct shapes *s, const struct shapes_in *in, struct shapes_out *out) {
  (void)s, (void)in;
  memset(out, 0, sizeof *out);
}
void shapes_tick(struct shapes *s, const struct shapes_in *in) { (void)s, (void)in; }
uint64_t shapes_idle(const struct shapes *s) { return (void)s, 0; }
void shapes_skip(struct shapes *s, uint64_t n) { (void)s, (void)n; }

/* ---- the shape as the test knows it: dimensions at a set and of the C array, and the place of each element by C's own indexing ---- */
struct port {
  const char *name;
  unsigned d[3], width;  /* dimensions; 1 from the rank on */
  size_t place[3][5][4]; /* of element [i][j][k] in struct shapes_in, by C */
  size_t bytes;          /* of an element in C */
};
static const struct shapes_in no_in;
#define AT(member) ((size_t)((const char *)&(member) - (const char *)&no_in))
#define PLACE0(m) AT(m)
#define PLACE1(m) AT((m)[i])
#define PLACE2(m) AT((m)[i][j])
#define PLACE3(m) AT((m)[i][j][k])
#define BYTES0(m) sizeof(m)
#define BYTES1(m) sizeof((m)[0])
#define BYTES2(m) sizeof((m)[0][0])
#define BYTES3(m) sizeof((m)[0][0][0])
#define NUMBERS0(w) {1, 1, 1}, (w)
#define NUMBERS1(a, w) {(a), 1, 1}, (w)
#define NUMBERS2(a, b, w) {(a), (b), 1}, (w)
#define NUMBERS3(a, b, c, w) {(a), (b), (c)}, (w)
#define PORT_OF(name_, ...)                                                                                           \
  {                                                                                                                   \
    struct port *p = &port[n++];                                                                                      \
    *p = (struct port){#name_, RT_SHAPE(NUMBERS, __VA_ARGS__), {{{0}}}, RT_OF_RANK(BYTES, __VA_ARGS__)(no_in.name_)}; \
    for (unsigned i = 0; i < p->d[0]; i++)                                                                            \
      for (unsigned j = 0; j < p->d[1]; j++)                                                                          \
        for (unsigned k = 0; k < p->d[2]; k++) p->place[i][j][k] = RT_OF_RANK(PLACE, __VA_ARGS__)(no_in.name_);       \
  }
enum { PORTS = 64, MOST_BITS = 3 * 5 * 4 * 130 };

#define P(name) shapes_##name
#define IN(name, ...) PORT_OF(name, __VA_ARGS__)
static unsigned ports_of_set(struct port *port) {
  unsigned n = 0;
#include "blocks/def.h"
  return n;
}
#define P(name) shapes_##name##_most
#define IN(name, ...) PORT_OF(name, __VA_ARGS__)
static unsigned ports_of_most(struct port *port) {
  unsigned n = 0;
#include "blocks/def.h"
  return n;
}
/* Items at the most, made as describe.c makes those of a set. */
#define P(name) shapes_##name##_most
#define IN(name_, ...)                                       \
  {.name = #name_,                                           \
   .kind = ITEM_IN,                                          \
   .width = RT_WIDTH(__VA_ARGS__),                           \
   .n = RT_RANK_OF(__VA_ARGS__) ? RT_COUNT(__VA_ARGS__) : 0, \
   FIELD(_in, name_),                                        \
   .shape = FLAT_SHAPE(((struct shapes_in *)0)->name_, __VA_ARGS__)},
static const struct item most_items[] = {
#include "blocks/def.h"
};

static void put(void *base, size_t place, unsigned bit, bool value) {
  unsigned char *p = (unsigned char *)base + place + bit / 8;
  *p = (unsigned char)((*p & ~(1u << bit % 8)) | (unsigned)value << bit % 8);
}

static uint64_t seed = 1;
static bool coin(void) { return rng_next(&seed) >> 40 & 1; }

/* Fills the elements of the port with random bits; flat becomes their vector. */
static void fill(const struct port *p, struct shapes_in *in, uint32_t *flat) {
  memset(flat, 0, 4 * RT_WORDS(MOST_BITS));
  for (unsigned i = 0; i < p->d[0]; i++)
    for (unsigned j = 0; j < p->d[1]; j++)
      for (unsigned k = 0; k < p->d[2]; k++)
        for (unsigned b = 0; b < p->width; b++) {
          const bool v = coin();
          const unsigned at = ((i * p->d[1] + j) * p->d[2] + k) * p->width + b;
          put(in, p->place[i][j][k], b, v);
          put(flat, 0, at, v);
        }
}

static void check_port(const struct port *p, const struct item *i) {
  struct shapes_in in = {0}, back = {0};
  uint32_t flat[RT_WORDS(MOST_BITS)], packed[RT_WORDS(MOST_BITS)];
  const unsigned bits = p->d[0] * p->d[1] * p->d[2] * p->width;
  assert_string_equal(p->name, i->name);
  assert_int_equal(item_bits(i), bits);
  fill(p, &in, flat);
  memset(packed, 0xa5, sizeof packed);
  item_pack(i, &in, packed);
  assert_memory_equal(packed, flat, 4 * RT_WORDS(bits));
  memset((char *)&back + i->offset, 0xa5, i->bytes);
  item_unpack(i, flat, &back);
  assert_memory_equal(&back, &in, sizeof in);
  const char *member = (const char *)&in + i->offset;
  assert_true(flat_equal(&i->shape, i->width, flat, member));
  for (unsigned b = 0; b < bits; b++) { /* a bit of the vector */
    flat[b / 32] ^= 1u << b % 32;
    assert_false(flat_equal(&i->shape, i->width, flat, member));
    flat[b / 32] ^= 1u << b % 32;
  }
  for (unsigned n = 0; n < item_count(i); n++) { /* a bit of an element, also above its width */
    const size_t place = p->place[n / (p->d[1] * p->d[2])][n / p->d[2] % p->d[1]][n % p->d[2]];
    assert_int_equal((const char *)item_at(i, &in, n) - (const char *)&in, place);
    assert_true(item_fits(i, &in, n));
    for (unsigned b = 0; b < 8 * p->bytes; b++) {
      item_flip(i, &in, n, b);
      assert_false(flat_equal(&i->shape, i->width, flat, member));
      assert_true(item_fits(i, &in, n) == (b < p->width));
      item_flip(i, &in, n, b);
    }
    for (unsigned w = 0; w < RT_WORDS(p->width); w++)
      assert_int_equal(item_word(i, &in, n, w),
                       words_get(flat, n * p->width + 32 * w, p->width - 32 * w < 32 ? p->width - 32 * w : 32));
  }
}

static void check_set(unsigned (*make)(struct port *), const struct item *item) {
  static struct port port[PORTS];
  const unsigned n = make(port);
  for (unsigned round = 0; round < 8; round++)
    for (unsigned k = 0; k < n; k++) check_port(&port[k], &item[k]);
}

static void smaller_than_most(void **state) {
  (void)state;
  const struct item *first = items;
  while (first->kind != ITEM_IN) first++;
  check_set(ports_of_set, first);
}

static void at_most(void **state) {
  (void)state;
  check_set(ports_of_most, most_items);
}

/* An element has the smallest type that holds its width at most; dimensions are those at most; no padding. */
static void c_types(void **state) {
  (void)state;
  struct shapes_in in;
  assert_int_equal(sizeof in.a1_i[0], 1);
  assert_int_equal(sizeof in.a7_i[0], 1);
  assert_int_equal(sizeof in.ab8_i[0][0], 1);
  assert_int_equal(sizeof in.abc33_i[0][0][0], 8);
  assert_int_equal(sizeof in.a64_i[0], 8);
  assert_int_equal(sizeof in.a65_i[0], 12);
  assert_int_equal(sizeof in.ab130_i[0][0], 20);
  assert_int_equal(sizeof in.a_w_i[0], 2);
  assert_int_equal(sizeof in.a_v_i[0], 12);
  assert_int_equal(sizeof in.abc7_i, 3 * 5 * 4);
  assert_int_equal(sizeof in.flat5_i, 8);
  assert_int_equal(sizeof in.flat65_i, 12);
  assert_int_equal(sizeof in.flat_v_i, 12);
  assert_int_equal(sizeof((struct shapes_out *)0)->o_o[0][0], 2);
  assert_int_equal((size_t)((char *)&in.a7_i - (char *)&in) % 8, 0);
  assert_string_equal(shapes_depends, "flat5_i ab7_i ");
  assert_int_equal(shapes_bits_o_o, 3 * 2 * 16);
  assert_int_equal(shapes_late_o_o, 1);
}

static void names(void **state) {
  (void)state;
  char name[ITEM_NAME];
  const struct item *i = items;
  while (strcmp(i->name, "abc7_i")) i++;
  assert_string_equal(item_name(i, 0, name), "abc7_i[0][0][0]");
  assert_string_equal(item_name(i, 11, name), "abc7_i[1][2][1]");
  assert_string_equal(item_name_as(i, 3, "_%u", name), "abc7_i_0_1_1");
  assert_string_equal(item_name(items + 5, 0, name), "flat5_i");
}

static void defaults_and_quiet(void **state) {
  (void)state;
  const struct shapes_params p = shapes_defaults();
  assert_int_equal(p.A, 2);
  assert_int_equal(p.V, 40);
  assert_int_equal(p.end_of_params, 0);
  struct shapes_in in = {.a1_i = {1, 1}};
  assert_true(shapes_quiet(&in));
  in.abc130_i[1][2][1][4] = 2;
  assert_false(shapes_quiet(&in));
  in.abc130_i[1][2][1][4] = 0, in.a7_i[1] = 64;
  assert_false(shapes_quiet(&in));
}

/* ---- a stream's file is that of the same block with flat ports ---- */
#define IN(name_, ...)                                         \
  {.name = #name_,                                             \
   .kind = ITEM_IN,                                            \
   .width = RT_BITS(__VA_ARGS__),                              \
   .offset = offsetof(struct stim_in, name_),                  \
   .bytes = sizeof(((struct stim_in *)0)->name_),              \
   .shape = {.element = sizeof(((struct stim_in *)0)->name_)}, \
   STIM(in, name_)},
#define OUT(name_, ...) {.name = #name_, .kind = ITEM_OUT, .width = RT_BITS(__VA_ARGS__)},
#define STATE(name_, ...)                                         \
  {.name = #name_,                                                \
   .kind = ITEM_STATE,                                            \
   .width = RT_BITS(__VA_ARGS__),                                 \
   .offset = offsetof(struct stim_state, name_),                  \
   .bytes = sizeof(((struct stim_state *)0)->name_),              \
   .shape = {.element = sizeof(((struct stim_state *)0)->name_)}, \
   STIM(state, name_)},
#define ARRAY(name_, n_, ...)                                    \
  {.name = #name_,                                               \
   .kind = ITEM_STATE,                                           \
   .width = RT_WIDTH(n_, __VA_ARGS__),                           \
   .n = RT_COUNT(n_, __VA_ARGS__),                               \
   .offset = offsetof(struct stim_state, name_),                 \
   .bytes = sizeof(((struct stim_state *)0)->name_),             \
   .shape = {1,                                                  \
             {RT_COUNT(n_, __VA_ARGS__), 0, 0},                  \
             {sizeof(((struct stim_state *)0)->name_[0]), 0, 0}, \
             sizeof(((struct stim_state *)0)->name_[0])},        \
   .array = 1,                                                   \
   STIM(state, name_)},
#define STATEA(name_, width, n) ARRAY(name_, n, width)
#define PARAM(name_, v) {.name = #name_, .kind = ITEM_PARAM, .value = shapes_##name_},
static const struct item flat_items[] = {
#include "blocks/def.h"
    {.name = "", .kind = ITEM_END},
};

static void file_text(const char *path, char *text, size_t *n) {
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  *n = fread(text, 1, 1 << 16, f);
  fclose(f);
}

static void streams(void **state) {
  (void)state;
  static char shaped_text[1 << 16], flat_text[1 << 16];
  struct block_desc flat = golden_shapes;
  struct stim shaped_stream = {0}, flat_stream = {0}, again = {0};
  char path[64];
  size_t shaped_bytes, flat_bytes;
  flat.item = flat_items;
  flat.in_bytes = sizeof(struct stim_in), flat.state_bytes = sizeof(struct stim_state);
  assert_int_equal(sizeof flat_items / sizeof *flat_items, sizeof items / sizeof *items - 2); /* but ENUM and QUIET */
  flat.items = sizeof flat_items / sizeof *flat_items - 1;
  assert_true(desc_hash(&golden_shapes) == desc_hash(&flat));
  for (unsigned cycle = 0; cycle < 20; cycle++) {
    struct shapes_in in = {0};
    struct stim_in flat_in = {0};
    struct shapes s = {0};
    struct stim_state flat_state = {0};
    for (unsigned k = 0; k < golden_shapes.items; k++) {
      const struct item *i = &items[k];
      void *to = i->kind == ITEM_IN ? (void *)&in : (void *)&s;
      if (i->kind != ITEM_IN && i->kind != ITEM_STATE) continue;
      for (unsigned n = 0; n < item_count(i); n++)
        for (unsigned b = 0; b < i->width; b++)
          if (coin()) item_flip(i, to, n, b);
    }
    for (unsigned k = 0; k < flat.items; k++) {
      const struct item *f = &flat_items[k], *i = items;
      if (f->kind != ITEM_IN && f->kind != ITEM_STATE) continue;
      while (strcmp(i->name, f->name)) i++;
      uint32_t v[RT_WORDS(MOST_BITS)];
      item_pack(i, i->kind == ITEM_IN ? (void *)&in : (void *)&s, v);
      item_unpack(f, v, f->kind == ITEM_IN ? (void *)&flat_in : (void *)&flat_state);
    }
    if (cycle % 5 == 2) {
      stim_add_from(&shaped_stream, &golden_shapes, &s, &in);
      stim_add_from(&flat_stream, &flat, &flat_state, &flat_in);
    } else {
      stim_add(&shaped_stream, &golden_shapes, cycle == 0, &in);
      stim_add(&flat_stream, &flat, cycle == 0, &flat_in);
    }
  }
  snprintf(path, sizeof path, "/tmp/shapes-test-%d", (int)getpid());
  assert_null(stim_write(&flat_stream, &flat, path));
  file_text(path, flat_text, &flat_bytes);
  assert_null(stim_write(&shaped_stream, &golden_shapes, path));
  file_text(path, shaped_text, &shaped_bytes);
  assert_int_equal(shaped_bytes, flat_bytes);
  assert_memory_equal(shaped_text, flat_text, flat_bytes);
  stim_read(&again, &golden_shapes, path);
  remove(path);
  assert_int_equal(again.cycles, 20);
  assert_int_equal(again.states, 4);
  assert_memory_equal(again.at, shaped_stream.at, 20 * again.step);
  assert_memory_equal(again.state, shaped_stream.state, 4 * sizeof(struct shapes_state));
  stim_free(&again);
  stim_free(&shaped_stream);
  stim_free(&flat_stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smaller_than_most),
      cmocka_unit_test(at_most),
      cmocka_unit_test(c_types),
      cmocka_unit_test(names),
      cmocka_unit_test(defaults_and_quiet),
      cmocka_unit_test(streams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
