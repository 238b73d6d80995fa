/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries: PTX as it is, LZ4, zstd; the highest target; containers without PTX; every damage is refused, and nothing is
 * read behind the bytes that are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>

#include "host/cudart/fatbin.h"

enum { PTX = 1, ELF = 2, LZ4 = 0x2000, ZSTD = 0x8000, MOST = 1 << 16, HEADER = 16 };

struct container {
  uint8_t bytes[MOST];
  size_t n;
};

static void put(uint8_t *at, uint64_t v, unsigned bytes) { memcpy(at, &v, bytes); }

static void begin(struct container *c) {
  *c = (struct container){.n = HEADER};
  put(c->bytes, FATBIN_MAGIC, 4);
  put(c->bytes + 4, 1, 2);
  put(c->bytes + 6, HEADER, 2);
}

/* An entry with this text, packed as flags say; its header has `header` bytes. Returns where it begins. */
static size_t add(struct container *c, unsigned kind, unsigned target, unsigned flags, unsigned header,
                  const char *text) {
  size_t at = c->n, n = strlen(text), packed = 0, payload = n;
  uint8_t *p = c->bytes + at, *data = p + header;
  if (flags & ZSTD) payload = packed = ZSTD_compress(data, 4096, text, n, 19);
  if (flags & LZ4) payload = packed = (size_t)LZ4_compress_default(text, (char *)data, (int)n, 4096);
  if (!flags) snprintf((char *)data, n + 1, "%s", text);
  payload = (payload + 8) & ~7u; /* always some zeros behind it */
  put(p, kind, 2);
  put(p + 2, 0x101, 2);
  put(p + 4, header, 4);
  put(p + 8, payload, 8);
  put(p + 16, packed, 4);
  put(p + 28, target, 4);
  put(p + 40, 0x11 | flags, 8);
  put(p + 56, packed ? n : 0, 8);
  c->n += header + payload;
  put(c->bytes + 8, c->n - HEADER, 8);
  return at;
}

/* A copy that ends where its page does, with none behind it. */
static uint8_t *guarded(const struct container *c) {
  uint8_t *map = mmap(NULL, 2 * MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  assert_int_equal(mprotect(map + MOST, MOST, PROT_NONE), 0);
  uint8_t *p = map + MOST - c->n;
  memcpy(p, c->bytes, c->n);
  return p;
}

static void unguard(uint8_t *p, const struct container *c) { munmap(p + c->n - MOST, 2 * MOST); }

static enum fatbin_status status_of(const struct container *c, struct err *e) {
  struct fatbin_ptx ptx;
  uint8_t *p = guarded(c);
  *e = (struct err){0};
  enum fatbin_status s = fatbin_read(p, c->n, &ptx, e);
  assert_int_equal(e->set, s != FATBIN_OK);
  assert_int_equal(ptx.text != NULL, s == FATBIN_OK);
  free(ptx.text);
  unguard(p, c);
  return s;
}

static void expect_text(const struct container *c, unsigned target, const char *text) {
  struct err e = {0};
  struct fatbin_ptx ptx;
  uint8_t *p = guarded(c);
  assert_int_equal(fatbin_read(p, c->n, &ptx, &e), FATBIN_OK);
  assert_string_equal(ptx.text, text);
  assert_int_equal(ptx.n, strlen(text));
  assert_int_equal(ptx.target, target);
  assert_int_equal(fatbin_target(p, c->n), target);
  free(ptx.text);
  unguard(p, c);
}

static void expect_damaged(const struct container *c, const char *part) {
  struct err e;
  assert_int_equal(status_of(c, &e), FATBIN_DAMAGED);
  if (!strstr(e.text, part)) fail_msg("found '%s', expected '%s'", e.text, part);
}

static const char text75[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
static const char text90[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n// bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n";

static void forms(void **state) {
  (void)state;
  static const unsigned flags[] = {0, LZ4, ZSTD}, headers[] = {64, 80, 112};
  for (unsigned i = 0; i < 9; i++) {
    struct container c;
    begin(&c);
    add(&c, PTX, 75, flags[i % 3], headers[i / 3], text75);
    expect_text(&c, 75, text75);
  }
}

static void highest_target(void **state) {
  (void)state;
  struct container c;
  begin(&c);
  add(&c, ELF, 120, 0, 64, "machine code");
  add(&c, PTX, 75, ZSTD, 80, text75);
  add(&c, PTX, 90, LZ4, 80, text90);
  add(&c, ELF, 90, 0, 64, "machine code");
  expect_text(&c, 90, text90);
  begin(&c);
  add(&c, PTX, 90, 0, 80, text90);
  add(&c, PTX, 75, LZ4, 80, text75);
  add(&c, 8, 100, 0, 64, "of another kind");
  expect_text(&c, 90, text90);
}

static void without_ptx(void **state) {
  (void)state;
  struct container c;
  struct err e;
  begin(&c);
  assert_int_equal(status_of(&c, &e), FATBIN_NO_PTX);
  assert_non_null(strstr(e.text, "-gencode arch=compute_75,code=compute_75"));
  assert_null(strstr(e.text, "machine code"));
  add(&c, ELF, 75, 0, 64, "machine code");
  add(&c, ELF, 90, ZSTD, 64, "machine code");
  assert_int_equal(status_of(&c, &e), FATBIN_NO_PTX);
  assert_non_null(strstr(e.text, "only machine code for sm_75, sm_90"));
  for (unsigned i = 0; i < 100; i++) add(&c, ELF, 1000 + i, 0, 64, "x");
  assert_int_equal(status_of(&c, &e), FATBIN_NO_PTX);
  uint8_t *p = guarded(&c);
  assert_int_equal(fatbin_target(p, c.n), 0);
  unguard(p, &c);
}

/* Each prefix: too short for what it says it has. */
static void cut_off(void **state) {
  (void)state;
  struct container c, part;
  struct err e;
  begin(&c);
  add(&c, PTX, 75, ZSTD, 80, text75);
  for (size_t n = 0; n < c.n; n++) {
    part = c;
    part.n = n;
    assert_int_equal(status_of(&part, &e), FATBIN_DAMAGED);
    assert_non_null(strstr(e.text, "damaged"));
  }
}

/* A container of one entry with this field of the entry (or, below 0, of the container) changed. */
static void expect_change(unsigned flags, int field, uint64_t v, unsigned bytes, const char *part) {
  struct container c;
  begin(&c);
  size_t at = add(&c, PTX, 75, flags, 80, text75);
  put(field < 0 ? c.bytes + HEADER + field : c.bytes + at + field, v, bytes);
  expect_damaged(&c, part);
}

static void damages(void **state) {
  (void)state;
  expect_change(0, -16, 0x12345678, 4, "begins with 0x12345678, expected 0xba55ed50");
  expect_change(0, -12, 7, 2, "version 7");
  expect_change(0, -10, 15, 2, "header is 15");
  expect_change(0, -10, 0xffff, 2, "header is 65535");
  expect_change(0, -8, UINT64_MAX, 8, "past the end");
  expect_change(0, -8, 63, 8, "behind its last entry are 63");
  expect_change(0, 4, 0, 4, "entry's header is 0");
  expect_change(0, 4, 63, 4, "entry's header is 63");
  expect_change(0, 4, UINT32_MAX, 4, "entry's header is 4294967295");
  expect_change(0, 8, UINT64_MAX, 8, "size of an entry is");
  expect_change(0, 8, UINT64_MAX - 80 + 1, 8, "size of an entry is");
  expect_change(LZ4, 16, UINT32_MAX, 4, "compressed size of its PTX is 4294967295");
  expect_change(ZSTD, 16, 5000, 4, "compressed size of its PTX is 5000");
  expect_change(LZ4, 56, 0, 8, "size of its PTX is 0");
  expect_change(ZSTD, 56, FATBIN_MOST + 1, 8, "size of its PTX is 268435457");
  expect_change(LZ4, 56, UINT64_MAX, 8, "size of its PTX is 18446744073709551615");
  expect_change(LZ4, 56, sizeof text75, 8, "after decompression");
  expect_change(ZSTD, 56, sizeof text75, 8, "after decompression");
  expect_change(LZ4, 56, 10, 8, "LZ4");
  expect_change(ZSTD, 56, 10, 8, "zstd");
  expect_change(ZSTD, 16, 3, 4, "zstd");
  expect_change(LZ4, 16, 0, 4, "LZ4");
  expect_change(ZSTD, 80, 0, 8, "zstd");
}

/* A few bytes of zstd that would be far more than they say. */
static void bomb(void **state) {
  (void)state;
  struct container c;
  begin(&c);
  size_t at = add(&c, PTX, 75, ZSTD, 64, text75);
  const size_t big = 64 << 20;
  char *zeros = calloc(1, big);
  assert_non_null(zeros);
  size_t packed = ZSTD_compress(c.bytes + at + 64, 32768, zeros, big, 1);
  assert_false(ZSTD_isError(packed));
  free(zeros);
  put(c.bytes + at + 8, packed, 8);
  put(c.bytes + at + 16, packed, 4);
  c.n = at + 64 + packed;
  put(c.bytes + 8, c.n - HEADER, 8);
  expect_damaged(&c, "zstd");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms),   cmocka_unit_test(highest_target), cmocka_unit_test(without_ptx),
      cmocka_unit_test(cut_off), cmocka_unit_test(damages),        cmocka_unit_test(bomb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
