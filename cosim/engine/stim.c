/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stim: a stream of a block's inputs, in memory and as a file:
 *   "RTSTIM1\n", block name (32 bytes, zero-filled), u64 version (hash of the ports in the .def), u64 cycles,
 *   u64 bytes packed, u64 FNV-1a of the packed bytes, then those bytes: zstd of cycles x {u64 reset first, inputs}.
 * A stream in which a cycle starts from a chosen state (tb_state) begins with "RTSTIM2\n", has u64 states at the end of its head, and the
 * packed part ends in so many states; the word before an input is then 2 + k for a reset and state k. Inputs and states are flat
 * (struct stim_in and stim_state of describe.c): a port with a shape lies there as in Verilog, so that a shape does not change a file.
 * All little-endian, as the hosts are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/io.h"
#include "engine.h"

static const char magic[8] = "RTSTIM1\n", magic_states[8] = "RTSTIM2\n";
struct head {
  char magic[8], block[32];
  uint64_t version, cycles, packed, sum, states; /* states: not in files without */
};
enum { HEAD = sizeof(struct head) - 8 };

uint64_t desc_hash(const struct block_desc *d) {
  uint64_t h = FNV_START;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind > ITEM_COMBINATIONAL) continue; /* no shape */
    const bool flat = i->n && !i->array;
    uint64_t part[3] = {(uint64_t)i->kind, flat ? item_bits(i) : i->width, flat ? 0 : i->n};
    h = fnv1a(h, i->name, strlen(i->name) + 1);
    h = fnv1a(h, part, sizeof part);
    h = fnv1a(h, &i->value, sizeof i->value);
  }
  return h;
}

uint64_t *stim_start(const struct stim *s, uint64_t cycle) { return (uint64_t *)(s->at + cycle * s->step); }
bool stim_reset(const struct stim *s, uint64_t cycle) { return *stim_start(s, cycle) != START_ON; }
const unsigned char *stim_state(const struct stim *s, const struct block_desc *d, uint64_t cycle) {
  const uint64_t start = *stim_start(s, cycle);
  return start < START_STATE ? NULL : s->state + (start - START_STATE) * d->state_bytes;
}
unsigned char *stim_in(const struct stim *s, uint64_t cycle) { return s->at + cycle * s->step + 8; }

static void stim_append(struct stim *s, const struct block_desc *d, uint64_t start, const void *in) {
  s->step = d->in_bytes + 8;
  if (s->cycles == s->room) {
    s->room = s->room ? 2 * s->room : 256;
    s->at = memory_checked(realloc(s->at, s->room * s->step));
  }
  *stim_start(s, s->cycles) = start;
  memcpy(stim_in(s, s->cycles), in, d->in_bytes);
  s->cycles++;
}

void stim_add(struct stim *s, const struct block_desc *d, bool reset, const void *in) {
  stim_append(s, d, reset ? START_RESET : START_ON, in);
}

void stim_add_from(struct stim *s, const struct block_desc *d, const void *state, const void *in) {
  s->state = memory_checked(realloc(s->state, (s->states + 1) * d->state_bytes));
  memcpy(s->state + s->states * d->state_bytes, state, d->state_bytes);
  stim_append(s, d, START_STATE + s->states++, in);
}

void stim_copy(struct stim *s, const struct block_desc *d, const struct stim *from, uint64_t first, uint64_t n) {
  for (uint64_t k = first; k < first + n; k++) {
    const unsigned char *state = stim_state(from, d, k);
    if (state) stim_add_from(s, d, state, stim_in(from, k));
    else stim_add(s, d, stim_reset(from, k), stim_in(from, k));
  }
}

void stim_free(struct stim *s) {
  free(s->at);
  free(s->state);
  *s = (struct stim){0};
}

/* ---- between the structs and what lies in a file ---- */

/* Elements of an array lie apart in a file, of 8 bytes or of words. */
static size_t file_stride(const struct item *i) { return i->width > 64 ? 4 * (size_t)RT_WORDS(i->width) : 8; }

static void to_file(const struct block_desc *d, enum item_kind kind, const void *from, unsigned char *to) {
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    const unsigned char *member = (const unsigned char *)from + i->offset;
    if (i->kind != kind) continue;
    if (!i->n) memcpy(to + i->stim_offset, member, i->stim_bytes);
    else if (!i->array) item_pack(i, from, (uint32_t *)(void *)(to + i->stim_offset));
    for (unsigned n = 0; i->array && n < i->n; n++)
      memcpy(to + i->stim_offset + n * file_stride(i), item_at(i, from, n),
             i->width > 64 ? file_stride(i) : i->shape.element);
  }
}

static void from_file(const struct block_desc *d, enum item_kind kind, const unsigned char *from, void *to) {
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    unsigned char *member = (unsigned char *)to + i->offset;
    if (i->kind != kind) continue;
    if (!i->n) memcpy(member, from + i->stim_offset, i->stim_bytes);
    else if (!i->array) item_unpack(i, (const uint32_t *)(const void *)(from + i->stim_offset), to);
    for (unsigned n = 0; i->array && n < i->n; n++)
      memcpy(member + flat_place(&i->shape, n), from + i->stim_offset + n * file_stride(i),
             i->width > 64 ? file_stride(i) : i->shape.element);
  }
}

const char *stim_write(const struct stim *s, const struct block_desc *d, const char *path) {
  struct stim used = {0}; /* with those states alone that a cycle starts from */
  if (s->states) {
    stim_copy(&used, d, s, 0, s->cycles);
    s = &used;
  }
  const size_t step = d->stim_in_bytes + 8, raw = s->cycles * step, states = s->states * d->stim_state_bytes,
               room = ZSTD_compressBound(raw + states);
  unsigned char *plain = memory_checked(calloc(1, raw + states + 1));
  for (uint64_t k = 0; k < s->cycles; k++) {
    memcpy(plain + k * step, stim_start(s, k), 8);
    to_file(d, ITEM_IN, stim_in(s, k), plain + k * step + 8);
  }
  for (uint64_t k = 0; k < s->states; k++)
    to_file(d, ITEM_STATE, s->state + k * d->state_bytes, plain + raw + k * d->stim_state_bytes);
  void *packed = memory_checked(malloc(room + 1));
  size_t n = ZSTD_compress(packed, room, plain, raw + states, 19);
  struct head h = {.version = desc_hash(d), .cycles = s->cycles, .packed = n, .states = s->states};
  memcpy(h.magic, s->states ? magic_states : magic, sizeof magic);
  free(plain);
  stim_free(&used);
  if (ZSTD_isError(n)) {
    free(packed);
    return ZSTD_getErrorName(n);
  }
  h.sum = fnv1a(0, packed, n);
  snprintf(h.block, sizeof h.block, "%s", d->name);
  static char why[IO_WHY];
  struct output *o = output_replace(path, why);
  if (o) {
    fwrite(&h, h.states ? sizeof h : HEAD, 1, output_stream(o));
    fwrite(packed, 1, n, output_stream(o));
  }
  bool ok = o && output_close(o, true, why);
  free(packed);
  return ok ? NULL : why;
}

/* Fills *s, or says in why what is wrong with the file. *packed and *plain are the caller's to free. */
static bool stim_load(struct stim *s, const struct block_desc *d, bool any, FILE *f, unsigned char **packed,
                      unsigned char **plain, char why[static 200]) {
#define WRONG(...) return snprintf(why, 200, __VA_ARGS__), false
  struct head h;
  size_t got = fread(&h, 1, HEAD, f);
  const bool has_states = got >= sizeof magic && !memcmp(h.magic, magic_states, sizeof magic);
  if (!has_states && (got < sizeof magic || memcmp(h.magic, magic, sizeof magic))) WRONG("not a stimulus file");
  if (got < HEAD || (has_states && fread(&h.states, 1, 8, f) < 8)) WRONG("truncated in its header");
  if (!has_states) h.states = 0;
  h.block[sizeof h.block - 1] = 0;
  if (strcmp(h.block, d->name)) WRONG("stimulus of block %s, expected of %s", h.block, d->name);
  if (!any && h.version != desc_hash(d))
    WRONG("recorded for other ports, registers or parameters of %s (version %016" PRIx64 ", this build %016" PRIx64
          "); record it again",
          d->name, h.version, desc_hash(d));
  s->step = d->in_bytes + 8;
  const size_t step = d->stim_in_bytes + 8, larger = step < s->step ? s->step : step;
  if (h.cycles > (UINT64_C(1) << 32) / larger || h.packed > UINT64_C(1) << 32 || (has_states && !h.states) ||
      h.states > h.cycles || h.states > (UINT64_C(1) << 32) / (d->state_bytes + d->stim_state_bytes + 1))
    WRONG("damaged header");
  size_t n = 0, room = 0;
  while (n < h.packed) { /* grown by what is there, not by what the header says */
    if (n == room) *packed = memory_checked(realloc(*packed, room = room ? 2 * room : 65536));
    size_t more = fread(*packed + n, 1, h.packed - n < room - n ? h.packed - n : room - n, f);
    if (!more) WRONG("truncated: %zu of %" PRIu64 " bytes", n, h.packed);
    n += more;
  }
  if (fgetc(f) != EOF) WRONG("bytes after the end of the stream");
  if (fnv1a(0, *packed, n) != h.sum) WRONG("damaged: its sum is wrong");
  const size_t cycles = h.cycles * step, raw = cycles + h.states * d->stim_state_bytes;
  if (ZSTD_getFrameContentSize(*packed, n) != raw) WRONG("damaged: another length than its header says");
  *plain = memory_checked(malloc(raw + 1));
  size_t out = ZSTD_decompress(*plain, raw, *packed, n);
  if (ZSTD_isError(out) || out != raw) WRONG("damaged: cannot be unpacked");
  s->at = memory_checked(calloc(1, h.cycles * s->step + 1));
  s->cycles = s->room = h.cycles;
  for (uint64_t k = 0; k < s->cycles; k++) {
    memcpy(stim_start(s, k), *plain + k * step, 8);
    from_file(d, ITEM_IN, *plain + k * step + 8, stim_in(s, k));
  }
  for (uint64_t k = 0; k < s->cycles; k++)
    if (*stim_start(s, k) > START_RESET + h.states) WRONG("damaged: cycle %" PRIu64, k);
  if (!h.states) return true;
  s->states = h.states;
  s->state = memory_checked(calloc(h.states, d->state_bytes));
  for (uint64_t k = 0; k < s->states; k++)
    from_file(d, ITEM_STATE, *plain + cycles + k * d->stim_state_bytes, s->state + k * d->state_bytes);
  return true;
#undef WRONG
}

const char *stim_try(struct stim *s, const struct block_desc *d, bool any, const char *path) {
  static char why[200];
  _Static_assert(sizeof why >= IO_WHY, "room for what input_open says");
  unsigned char *packed = NULL, *plain = NULL;
  FILE *f = input_open(path, why);
  *s = (struct stim){0};
  if (!f) return why;
  bool ok = stim_load(s, d, any, f, &packed, &plain, why);
  free(packed);
  free(plain);
  fclose(f);
  if (ok) return NULL;
  stim_free(s);
  return why;
}

void stim_read(struct stim *s, const struct block_desc *d, const char *path) {
  const char *why = stim_try(s, d, false, path);
  if (why) die("%s: %s", path, why);
}
