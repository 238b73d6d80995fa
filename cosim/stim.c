/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stim: a stream of a block's inputs, in memory and as a file:
 *   "RTSTIM1\n", block name (32 bytes, zero-filled), u64 version (hash of the ports in the .def), u64 cycles,
 *   u64 bytes packed, u64 FNV-1a of the packed bytes, then those bytes: zstd of cycles x {u64 reset first, struct in}.
 * All little-endian, as the hosts are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/io.h"
#include "engine.h"

static const char magic[8] = "RTSTIM1\n";
struct head {
  char magic[8], block[32];
  uint64_t version, cycles, packed, sum;
};

static uint64_t fnv(uint64_t h, const void *data, size_t n) {
  const unsigned char *p = data;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
  return h;
}

uint64_t desc_hash(const struct block_desc *d) {
  uint64_t h = 0xcbf29ce484222325u;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind > ITEM_COMBINATIONAL) continue; /* no shape */
    uint64_t part[3] = {(uint64_t)i->kind, i->width, i->n};
    h = fnv(h, i->name, strlen(i->name) + 1);
    h = fnv(h, part, sizeof part);
    h = fnv(h, &i->value, sizeof i->value);
  }
  return h;
}

bool *stim_reset(const struct stim *s, uint64_t cycle) { return (bool *)(s->at + cycle * s->step); }
unsigned char *stim_in(const struct stim *s, uint64_t cycle) { return s->at + cycle * s->step + 8; }

void stim_add(struct stim *s, const struct block_desc *d, bool reset, const void *in) {
  s->step = d->in_bytes + 8;
  if (s->cycles == s->room) {
    s->room = s->room ? 2 * s->room : 256;
    s->at = must(realloc(s->at, s->room * s->step));
  }
  memset(s->at + s->cycles * s->step, 0, 8);
  *stim_reset(s, s->cycles) = reset;
  memcpy(stim_in(s, s->cycles), in, d->in_bytes);
  s->cycles++;
}

const char *stim_write(const struct stim *s, const struct block_desc *d, const char *path) {
  size_t raw = s->cycles * s->step, room = ZSTD_compressBound(raw);
  void *packed = must(malloc(room + 1));
  size_t n = ZSTD_compress(packed, room, s->at, raw, 19);
  if (ZSTD_isError(n)) {
    free(packed);
    return ZSTD_getErrorName(n);
  }
  struct head h = {.version = desc_hash(d), .cycles = s->cycles, .packed = n, .sum = fnv(0, packed, n)};
  memcpy(h.magic, magic, sizeof magic);
  snprintf(h.block, sizeof h.block, "%s", d->name);
  static char why[IO_WHY];
  struct output *o = output_replace(path, why);
  if (o) {
    fwrite(&h, sizeof h, 1, output_stream(o));
    fwrite(packed, 1, n, output_stream(o));
  }
  bool ok = o && output_close(o, true, why);
  free(packed);
  return ok ? NULL : why;
}

/* Fills *s, or says in why what is wrong with the file. *packed is the caller's to free. any: of the block at whatever parameters. */
static bool load(struct stim *s, const struct block_desc *d, bool any, FILE *f, unsigned char **packed,
                 char why[static 200]) {
#define WRONG(...) return snprintf(why, 200, __VA_ARGS__), false
  struct head h;
  size_t got = fread(&h, 1, sizeof h, f);
  if (got < sizeof magic || memcmp(h.magic, magic, sizeof magic)) WRONG("not a stimulus file");
  if (got < sizeof h) WRONG("truncated in its header");
  h.block[sizeof h.block - 1] = 0;
  if (strcmp(h.block, d->name)) WRONG("stimulus of block %s, expected of %s", h.block, d->name);
  if (!any && h.version != desc_hash(d))
    WRONG("recorded for other ports of %s (version %016" PRIx64 ", this build %016" PRIx64 "); record it again",
          d->name, h.version, desc_hash(d));
  s->step = d->in_bytes + 8;
  if (h.cycles > (UINT64_C(1) << 32) / s->step || h.packed > UINT64_C(1) << 32) WRONG("damaged header");
  size_t n = 0, room = 0;
  while (n < h.packed) { /* grown by what is there, not by what the header says */
    if (n == room) *packed = must(realloc(*packed, room = room ? 2 * room : 65536));
    size_t more = fread(*packed + n, 1, h.packed - n < room - n ? h.packed - n : room - n, f);
    if (!more) WRONG("truncated: %zu of %" PRIu64 " bytes", n, h.packed);
    n += more;
  }
  if (fgetc(f) != EOF) WRONG("bytes after the end of the stream");
  if (fnv(0, *packed, n) != h.sum) WRONG("damaged: its sum is wrong");
  size_t raw = h.cycles * s->step;
  if (ZSTD_getFrameContentSize(*packed, n) != raw) WRONG("damaged: another length than its header says");
  s->at = must(malloc(raw + 1));
  size_t out = ZSTD_decompress(s->at, raw, *packed, n);
  if (ZSTD_isError(out) || out != raw) WRONG("damaged: cannot be unpacked");
  s->cycles = s->room = h.cycles;
  for (uint64_t k = 0; k < s->cycles; k++)
    if (s->at[k * s->step] > 1) WRONG("damaged: cycle %" PRIu64, k);
  return true;
#undef WRONG
}

/* NULL, or what is wrong. */
static const char *from_file(struct stim *s, const struct block_desc *d, bool any, const char *path) {
  static char why[200];
  _Static_assert(sizeof why >= IO_WHY, "room for what input_open says");
  unsigned char *packed = NULL;
  FILE *f = input_open(path, why);
  *s = (struct stim){0};
  if (!f) return why;
  bool ok = load(s, d, any, f, &packed, why);
  free(packed);
  fclose(f);
  if (ok) return NULL;
  free(s->at);
  *s = (struct stim){0};
  return why;
}

void stim_read(struct stim *s, const struct block_desc *d, const char *path) {
  const char *why = from_file(s, d, false, path);
  if (why) die("%s: %s", path, why);
}
const char *stim_read_at_any_set(struct stim *s, const struct block_desc *d, const char *path) {
  return from_file(s, d, true, path);
}
