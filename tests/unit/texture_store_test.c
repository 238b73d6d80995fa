/* SPDX-License-Identifier: Apache-2.0 */
/* texture_store: suld and sust in launches: modes at the edge, formats, stores in two parts, levels, errors, races with fetches. */
#include "exec/races.h"
#include "texture_make.h"

static struct insn *access_of(struct kern *k, enum opcode o, unsigned geom, enum dtype type, unsigned vec,
                              unsigned clamp, uint64_t h) {
  struct insn *i = op(k, o, geom, type, T_NONE, vec);
  i->cmp = (uint8_t)clamp;
  src(i, I64(h));
  for (unsigned a = 0; a < geom_axes(geom) + (unsigned)geom_layered(geom); a++) src(i, R(4 + a));
  return i;
}

static void test_surface(void **state) {
  (void)state;
  for (unsigned layout = 0; layout < 2; layout++) {
    struct tk *m = make(32);
    struct texture t = plain_image(GEOM_2D, T_U32, 4, 8, 4, 1);
    t.layout = (uint8_t)layout;
    t.writable = true;
    const uint64_t h = surface(add_image(m, t, counted));
    struct kern *k = m->k;
    /* Texel (lane % 8, lane / 8): read backwards, written in two parts, the second one 8 bytes further. */
    put(k, OP_AND, T_B32, R(4), S(SR_LANEID), I(7), NONE);
    put(k, OP_SHL, T_B32, R(4), R(4), I(4), NONE);
    put(k, OP_SHR, T_U32, R(5), S(SR_LANEID), I(3), NONE);
    put(k, OP_SUB, T_U32, R(7), I(3), R(5), NONE);
    struct insn *i = op(k, OP_SULD, GEOM_2D, T_B32, T_NONE, 4);
    src(i, I64(h));
    src(i, R(4));
    src(i, R(7));
    for (unsigned c = 0; c < 4; c++) dst(i, R(8 + c));
    i = access_of(k, OP_SUST, GEOM_2D, T_B32, 2, SU_TRAP, h);
    src(i, R(11));
    src(i, R(10));
    i = access_of(k, OP_SUST, GEOM_2D, T_B32, 2, SU_TRAP, h);
    i->offset = 8;
    src(i, R(9));
    src(i, R(8));
    leave(k);
    run(k, 1);
    const struct texture *u = &m->t[0];
    for (uint32_t l = 0; l < 32; l++)
      for (unsigned c = 0; c < 4; c++)
        assert_int_equal(word(k, u->addr + texture_texel_at(u, 0, l % 8, l / 8, 0) + 4 * c),
                         (3 - l / 8) * 8 + l % 8 + 100 * (3 - c));
    unmake(m);
  }
}

/* A level by itself has the blocks of its image, which are higher than its own height asks for. */
static void test_level(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = plain_image(GEOM_2D, T_U32, 1, 64, 64, 1);
  t.layout = TEX_BLOCK;
  t.levels = 2;
  add_image(m, t, counted);
  t = m->t[0];
  for (uint32_t y = 0; y < 32; y++)
    for (uint32_t x = 0; x < 32; x++) {
      const uint32_t v = 1000 + 32 * y + x;
      memcpy(memory_at(m->k->mem, t.addr + texture_texel_at(&t, 1, x, y, 0), 4), &v, 4);
    }
  t.addr += t.level_at[1];
  t.bytes -= t.level_at[1];
  t.width = t.height = 32;
  t.levels = 1;
  m->t[m->all.ntexture] = t;
  const uint64_t h = surface(handle_of(HANDLE_TEXTURE, m->all.ntexture++));
  put(m->k, OP_SHL, T_B32, R(4), S(SR_LANEID), I(2), NONE);
  mov(m->k, R(5), I(13));
  dst(access_of(m->k, OP_SULD, GEOM_2D, T_B32, 1, SU_TRAP, h), R(8));
  keep(m, 8);
  leave(m->k);
  run(m->k, 1);
  for (uint32_t x = 0; x < 32; x++) assert_int_equal(word(m->k, m->out + 4 * x), 1000 + 32 * 13 + x);
  unmake(m);
}

/* A lane at x bytes: where it reads, or that it is an error. */
static void test_surface_modes(void **state) {
  (void)state;
  static const struct {
    int32_t x;
    uint32_t clamp, size, zero;
  } cases[] = {{0, 0, 2, 0},        {62, 62, 2, 0}, {64, 60, 2, 1}, {-2, 2, 2, 1}, {-4, 0, 2, 1},
               {1000002, 62, 2, 1}, {56, 56, 8, 0}, {64, 56, 8, 1}, {-8, 0, 8, 1}, {INT32_MIN, 0, 8, 1}};
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
    for (unsigned mode = 0; mode < 3; mode++) {
      struct tk *m = make(1);
      struct texture t = blocks(GEOM_A2D, T_U32, 1, 16, 3, 2);
      t.writable = true;
      const uint64_t h = surface(add_image(m, t, counted));
      const struct texture *u = &m->t[0];
      mov(m->k, R(4), I(1));
      mov(m->k, R(5), I((uint32_t)cases[c].x));
      mov(m->k, R(6), I(2));
      struct insn *i = access_of(m->k, OP_SULD, GEOM_A2D, cases[c].size == 2 ? T_B16 : T_B64, 1, mode, h);
      dst(i, cases[c].size == 2 ? R(8) : D(8));
      keep(m, 8);
      leave(m->k);
      if (mode == SU_TRAP && cases[c].zero) {
        assert_false(exec_run(&m->k->l, 1, &m->k->n, &m->k->e));
        char text[300];
        snprintf(text, sizeof text,
                 "suld: found the byte and row %d, 2, 1 outside of the surface's 16 x 3 x 2 texels of 4 bytes" WHERE(
                     "18", "0"),
                 cases[c].x);
        assert_string_equal(m->k->e.text, text);
        assert_int_equal(m->k->e.fault, FAULT_TEXTURE);
      } else {
        run(m->k, 1);
        const uint32_t x = cases[c].clamp, at = u->addr + texture_texel_at(u, 0, x / 4, 2, 1) + x % 4;
        uint32_t want = word(m->k, at & ~3u) >> 8 * (at & 3);
        if (cases[c].size == 2) want &= 0xffff;
        assert_int_equal(word(m->k, m->out), mode == SU_ZERO && cases[c].zero ? 0 : want);
      }
      unmake(m);
    }
}

static void test_surface_faults(void **state) {
  (void)state;
  struct tk *m = make(1);
  const uint64_t t = add_image(m, plain_image(GEOM_2D, T_U32, 1, 3, 3, 1), counted), h = surface(t);
  struct insn *i = access_of(m->k, OP_SUST, GEOM_2D, T_B32, 1, SU_TRAP, h);
  src(i, R(8));
  leave(m->k);
  fails(m->k, 100, "sust: found a surface that is read only, expected one to write" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  i->src[0] = I64(t);
  fails(m->k, 100, "sust: found the handle 0x10000000 of a texture, expected that of a surface" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  m->t[0].writable = true;
  i->src[0] = I64(h);
  i->src[1] = I(6);
  fails(m->k, 100, "sust of 4 bytes at byte 6 of a row is misaligned: expected a multiple of 4" WHERE("0", "0"));
  assert_int_equal(m->k->e.fault, FAULT_ALIGN);
  memset(&m->k->e, 0, sizeof m->k->e);
  i->src[1] = I(8);
  i->type = T_B64; /* beyond the row of 12 bytes: clamped, to the last place where it fits */
  i->src[3] = I64(0x1111111122222222);
  i->cmp = SU_CLAMP;
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 0x22222222);
  assert_int_equal(word(m->k, m->t[0].addr + 4), 0x11111111);
  assert_int_equal(word(m->k, m->t[0].addr + 8), 2);
  m->t[0].width = 1; /* a row that is shorter than the access: no place to clamp to, nothing to write */
  m->t[0].pitch = 4;
  fails(m->k, 100,
        "sust: found the byte and row 8, 0, 0 outside of the surface's 1 x 3 x 1 texels of 4 bytes" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  i->cmp = SU_ZERO;
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 0x22222222);
  m->t[0].width = 3;
  m->t[0].pitch = 12;
  i->sub = GEOM_1D;
  i->nsrc = 3;
  i->src[2] = i->src[3];
  fails(m->k, 100, "sust: found a surface of geometry 2d, expected 1d" WHERE("0", "0"));
  unmake(m);
}

static void test_formatted(void **state) {
  (void)state;
  static const struct {
    unsigned type, normal;
    uint32_t in, out;
  } cases[] = {{T_U8, 0, 300, 255},
               {T_U8, 0, 0xffffffff, 255},
               {T_S8, 0, (uint32_t)-300, 0x80},
               {T_S8, 0, 200, 127},
               {T_U16, 0, 70000, 65535},
               {T_S16, 0, 0x80000000, 0x8000},
               {T_U32, 0, 0xdeadbeef, 0xdeadbeef},
               {T_F32, 0, 0x7fc12345, 0x7fc12345}};
  static const struct {
    unsigned type;
    float in;
    uint32_t out;
  } floats[] = {{T_U8, 0.5f, 128},
                {T_U8, 0.498f, 127},
                {T_U8, -1, 0},
                {T_U8, 2, 255},
                {T_S8, -2, 0x81},
                {T_S8, 0.5f, 64},
                {T_U16, 0.5f, 32768},
                {T_S16, -1, 0x8001},
                {T_F16, 1, 0x3c00},
                {T_F16, 65520, 0x7c00},
                {T_F16, 1.00048828125f, 0x3c00}};
  const unsigned n = sizeof cases / sizeof *cases, nf = sizeof floats / sizeof *floats;
  for (unsigned c = 0; c < n + nf; c++) {
    struct tk *m = make(1);
    const unsigned type = c < n ? cases[c].type : floats[c - n].type;
    struct texture t = plain_image(GEOM_1D, type, 1, 4, 1, 1);
    t.writable = true;
    t.normalized_values = c >= n && type != T_F16;
    const uint64_t h = surface(add_image(m, t, counted));
    mov(m->k, R(4), I(2));
    struct insn *i = access_of(m->k, OP_SUST, GEOM_1D, T_B32, 4, SU_TRAP, h);
    i->tex = SU_FORMATTED;
    src(i, I(c < n ? cases[c].in : f32_bits(floats[c - n].in)));
    for (unsigned k = 0; k < 3; k++) src(i, I(77)); /* components that the image does not have */
    leave(m->k);
    run(m->k, 1);
    uint32_t v = 0;
    const unsigned size = dtype_bytes(type);
    memcpy(&v, memory_at(m->k->mem, m->t[0].addr + 2 * size, size), size);
    assert_int_equal(v, c < n ? cases[c].out : floats[c - n].out);
    for (unsigned x = 0; x < 4; x++) {
      v = 0;
      memcpy(&v, memory_at(m->k->mem, m->t[0].addr + x * size, size), size);
      if (x != 2) assert_int_equal(v, x);
    }
    unmake(m);
  }
  /* BGRA: green and blue alone, from component 1 on */
  struct tk *m = make(1);
  struct texture t = plain_image(GEOM_1D, T_U8, 4, 1, 1, 1);
  t.order = ORDER_BGRA;
  t.writable = true;
  const uint64_t h = surface(add_image(m, t, counted));
  mov(m->k, R(4), I(0));
  struct insn *i = access_of(m->k, OP_SUST, GEOM_1D, T_B32, 2, SU_TRAP, h);
  i->tex = SU_FORMATTED | 1 << 4;
  src(i, I(7));
  src(i, I(9));
  leave(m->k);
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 9 | 7 << 8 | 200u << 16 | (300u & 255) << 24);
  unmake(m);
}

/* A write is seen by the SM's own reads at once, by memory at the quantum's end. */
static void test_apart(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = plain_image(GEOM_1D, T_U32, 1, 32, 1, 1);
  t.writable = true;
  const uint64_t tex = add_image(m, t, counted), h = surface(tex);
  struct kern *k = m->k;
  put(k, OP_SHL, T_B32, R(4), S(SR_LANEID), I(2), NONE);
  add(k, R(7), S(SR_LANEID), I(500));
  struct insn *i = access_of(k, OP_SUST, GEOM_1D, T_B32, 1, SU_TRAP, h);
  src(i, R(7));
  i = access_of(k, OP_SULD, GEOM_1D, T_B32, 1, SU_TRAP, h);
  dst(i, R(20));
  mov(k, R(4), S(SR_LANEID));
  fetch(k, GEOM_1D, T_U32, T_S32, I64(tex));
  leave(k);
  const struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1, .values = true, .sms = 2};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  assert_non_null(s);
  uint16_t slot[] = {0};
  struct warp_inst inst;
  s->ops->cta_begin(s, 0, 0, slot);
  while (s->ops->next(s, 0, &inst) == STREAM_GIVEN)
    if (inst.nval && (inst.op == 3 || inst.op == 5))
      for (uint32_t l = 0; l < 32; l++) assert_int_equal(inst_val(s, &inst, 0)[l], 500 + l);
  assert_int_equal(word(k, m->t[0].addr + 4), 1);
  s->ops->quantum(s);
  for (uint32_t l = 0; l < 32; l++) assert_int_equal(word(k, m->t[0].addr + 4 * l), 500 + l);
  s->ops->free(s);
  unmake(m);
}

static void test_races(void **state) {
  (void)state;
  for (unsigned other = 0; other < 2; other++) { /* texel written by one thread, read by its neighbour or by itself */
    struct tk *m = make(64);
    struct texture t = blocks(GEOM_1D, T_U32, 1, 64, 1, 1);
    t.writable = true;
    const uint64_t tex = add_image(m, t, counted), h = surface(tex);
    struct kern *k = m->k;
    put(k, OP_SHL, T_B32, R(4), S(SR_TID_X), I(2), NONE);
    src(access_of(k, OP_SUST, GEOM_1D, T_B32, 1, SU_TRAP, h), R(4));
    mov(k, R(4), S(SR_TID_X));
    if (other) put(k, OP_XOR, T_B32, R(4), R(4), I(32), NONE);
    else mov(k, R(4), R(4));
    fetch(k, GEOM_1D, T_U32, T_S32, I64(tex));
    leave(k);
    struct races *r = races_new();
    k->l.races = r;
    run(k, 1);
    assert_int_equal(races_count(r), other);
    if (other) {
      const struct race *p = races_at(r, 0);
      const struct race_side *write = p->first.write ? &p->first : &p->second;
      assert_int_equal(write->line, 101);
      assert_string_equal(write->op, "store");
      assert_int_equal(p->first.line + p->second.line, 101 + 104);
    }
    races_free(r);
    unmake(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_surface),        cmocka_unit_test(test_level),     cmocka_unit_test(test_surface_modes),
      cmocka_unit_test(test_surface_faults), cmocka_unit_test(test_formatted), cmocka_unit_test(test_apart),
      cmocka_unit_test(test_races),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
