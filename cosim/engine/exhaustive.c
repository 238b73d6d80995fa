/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhaustive: the Verilated RTL of the blocks without a clock against their C twins, over every input.
 *
 *   vcl  every code, with 16 patterns or more above it (what is above does not count: proven of the RTL)
 *   vtl  every x for every n, as float and as integer: all of its legal space
 *   tve  every legal pair of masks, part and sign (155,788), each with all values of every two nibbles while
 *        the others are all 0 and all 1. A result nibble is one nibble of the data, or the sign bit of one:
 *        that is proven of the RTL for all data (make formal), and is what the C twin's few shifts and masks do
 *   wve  the same controls, 32 lanes of different data; tve has the rest
 *
 * Usage: exhaustive [--jobs N] [--part K] [SYSTEM/BLOCK...]; part: every Kth piece of each space (a sample).
 * Exit status: 0 all agree, 1 a difference, 2 wrong call.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/show.h"
#include "blocks/slice/tve.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "blocks/slice/wve.h"
#include "item.h"

extern const struct block_desc golden_tve, golden_vcl, golden_vtl, golden_wve;
extern const struct rtl_api rtl_tve, rtl_vcl, rtl_vtl, rtl_wve;

enum { PIECE = 1 << 12, MOST_SHOWN = 5, MASKS = 38947, CONTROLS = 4 * MASKS, WARPS = 16 };

struct twins {
  const struct block_desc *golden;
  const struct rtl_api *rtl;
  void *model, *out;
  uint64_t differ;
};

static uint16_t masks[MASKS]; /* m1 << 8 | m0 of every legal entry */

static void find_masks(void) {
  unsigned n = 0;
  for (unsigned m = 0; m < 65536; m++)
    if ((m & 255) && bit_count32(m) <= 8) {
      if (n == MASKS) abort();
      masks[n++] = (uint16_t)m;
    }
  if (n != MASKS) abort();
}

/* ---- one input through both ---- */

static void print_difference(const struct twins *t, const char *what, const void *in) {
  char *rtl = calloc(1, t->golden->out_bytes + t->golden->state_bytes + 8);
  if (!rtl) abort();
  t->rtl->sample(t->model, rtl, rtl + t->golden->out_bytes);
  printf("! %s:", what);
  for (unsigned i = 0; i < t->golden->items; i++) {
    const struct item *p = &t->golden->item[i];
    if (p->kind != ITEM_IN && p->kind != ITEM_OUT) continue;
    char name[ITEM_NAME];
    if (p->kind == ITEM_IN) {
      printf(" %s=%x", item_name(p, 0, name), item_word(p, in, 0, 0));
      continue;
    }
    unsigned n = 0, w = 0;
    while (n + 1 < item_count(p) && item_same(p, t->out, rtl, n)) n++;
    while (w + 1 < RT_WORDS(p->width) && item_word(p, t->out, n, w) == item_word(p, rtl, n, w)) w++;
    printf(" %s word %u: c %08x, rtl %08x", item_name(p, n, name), w, item_word(p, t->out, n, w),
           item_word(p, rtl, n, w));
  }
  printf("\n");
  free(rtl);
}

static inline void hold_against(struct twins *t, const char *what, const void *in) {
  t->golden->eval(NULL, in, t->out); /* no clock: no state */
  t->rtl->eval(t->model, in);
  if (__builtin_expect(!t->rtl->same_out(t->model, t->out), 0) && t->differ++ < MOST_SHOWN)
    print_difference(t, what, in);
}

/* ---- the spaces, in pieces ---- */

static uint64_t piece_convert(struct twins *t, const char *what, unsigned n, uint64_t piece) {
  struct vcl_in in = {.nibbles_i = n};
  for (uint32_t k = 0; k < PIECE; k++) {
    const uint32_t x = (uint32_t)piece * PIECE + k;
    in.code_i = n == 8 ? x : x ^ (x * 0x9e3779b1u & ~0u << 4 * n); /* a code is a residue of x mod 2^4n */
    hold_against(t, what, &in);
  }
  return PIECE;
}

static uint64_t piece_truncate(struct twins *t, const char *what, unsigned n, bool fp, uint64_t piece) {
  struct vtl_in in = {.nibbles_i = n, .float_i = fp};
  for (uint32_t k = 0; k < PIECE; k++) {
    in.value_i = piece * PIECE + k;
    hold_against(t, what, &in);
  }
  return PIECE;
}
static uint64_t piece_truncate_float(struct twins *t, const char *what, unsigned n, uint64_t piece) {
  return piece_truncate(t, what, n, true, piece);
}
static uint64_t piece_truncate_integer(struct twins *t, const char *what, unsigned n, uint64_t piece) {
  return piece_truncate(t, what, n, false, piece);
}

/* masks, part and sign of a piece; the registers' numbers, which do not count, are any two */
static uint32_t piece_control(uint64_t piece, uint64_t *part, uint64_t *sgn, uint64_t *seed) {
  *seed = piece * 0x9e3779b97f4a7c15u + 1;
  *part = piece & 1;
  *sgn = piece >> 1 & 1;
  const uint32_t m = masks[piece >> 2], r = (uint32_t)rng_next(seed) & 255;
  return (m >> 8) << 24 | (r ^ 1) << 16 | (m & 255) << 8 | r;
}

static uint64_t piece_extract(struct twins *t, const char *what, unsigned n, uint64_t piece) {
  struct tve_in in = {0};
  uint64_t seed, count = 0;
  (void)n;
  in.entry_i = piece_control(piece, &in.part_i, &in.signed_i, &seed);
  for (unsigned a = 0; a < 8; a++)
    for (unsigned b = a + 1; b < 8; b++)
      for (uint32_t k = 0; k < 512; k++) {
        const uint32_t at = 15u << 4 * a | 15u << 4 * b;
        in.data_i = (k & 15) << 4 * a | (k >> 4 & 15) << 4 * b | (k >> 8 ? ~at : 0);
        hold_against(t, what, &in);
        count++;
      }
  return count;
}

static uint64_t piece_extract_warps(struct twins *t, const char *what, unsigned n, uint64_t piece) {
  struct wve_in in = {0};
  uint64_t seed;
  (void)n;
  in.entry_i = piece_control(piece, &in.part_i, &in.signed_i, &seed);
  for (unsigned w = 0; w < WARPS; w++) {
    for (unsigned l = 0; l < 32; l++) in.data_i[l] = (uint32_t)(rng_next(&seed) >> 32);
    hold_against(t, what, &in);
  }
  return WARPS;
}

static const struct space {
  const char *block, *what;
  const struct block_desc *golden;
  const struct rtl_api *rtl;
  uint64_t (*piece)(struct twins *, const char *what, unsigned n, uint64_t piece); /* inputs compared */
  uint64_t pieces;
  unsigned from, to; /* nibbles: a space for each */
} spaces[] = {
    {"slice/tve", "masks, two nibbles", &golden_tve, &rtl_tve, piece_extract, CONTROLS, 0, 0},
    {"slice/wve", "masks, warps", &golden_wve, &rtl_wve, piece_extract_warps, CONTROLS, 0, 0},
    {"slice/vcl", "every code", &golden_vcl, &rtl_vcl, piece_convert, (1ull << 28) / PIECE, 2, 6},
    {"slice/vcl", "every code", &golden_vcl, &rtl_vcl, piece_convert, (1ull << 32) / PIECE, 7, 8},
    {"slice/vtl", "every x, float", &golden_vtl, &rtl_vtl, piece_truncate_float, (1ull << 32) / PIECE, 2, 8},
    {"slice/vtl", "every x, integer", &golden_vtl, &rtl_vtl, piece_truncate_integer, (1ull << 32) / PIECE, 1, 8},
};
enum { SPACES = sizeof spaces / sizeof *spaces };

/* ---- processes: each takes every jobs-th piece ---- */

struct args {
  unsigned jobs, part;
  const char *block[SPACES];
  unsigned blocks;
};
struct share {
  _Atomic uint64_t pieces, inputs, differ;
};

static void space_run_job(const struct space *s, const char *what, unsigned n, const struct args *a, unsigned job,
                          struct share *share) {
  struct twins t = {.golden = s->golden, .rtl = s->rtl, .model = s->rtl->create(0)};
  t.out = calloc(1, s->golden->out_bytes);
  if (!t.out) abort();
  for (uint64_t p = (uint64_t)job * a->part; p < s->pieces; p += (uint64_t)a->jobs * a->part) {
    share->inputs += s->piece(&t, what, n, p);
    share->differ = t.differ;
    share->pieces++;
  }
  s->rtl->destroy(t.model);
  free(t.out);
}

/* A line of the table. False if anything differs or a process died. */
static bool space_run(const struct space *s, unsigned n, const struct args *a, struct share *share) {
  char what[64];
  bool good = true;
  unsigned left = a->jobs;
  const uint64_t from = clock_wall_ns();
  const uint64_t pieces = (s->pieces + a->part - 1) / a->part;
  if (n) snprintf(what, sizeof what, "%s, n = %u", s->what, n);
  else snprintf(what, sizeof what, "%s", s->what);
  *share = (struct share){0};
  fflush(stdout);
  for (unsigned j = 0; j < a->jobs; j++) {
    const pid_t pid = fork();
    if (pid < 0) {
      perror("exhaustive: fork");
      exit(2);
    }
    if (pid) continue;
    struct share *own = &share[1 + j];
    *own = (struct share){0};
    space_run_job(s, what, n, a, j, own);
    fflush(stdout);
    _exit(0);
  }
  while (left) {
    int status;
    const pid_t pid = waitpid(-1, &status, isatty(2) ? WNOHANG : 0);
    if (pid > 0) {
      left--;
      good = good && !status;
      continue;
    }
    uint64_t done = 0;
    for (unsigned j = 0; j < a->jobs; j++) done += share[1 + j].pieces;
    fprintf(stderr, "\r\033[K%s %s: %3.0f %%", s->block, what, 100.0 * (double)done / (double)pieces);
    usleep(200000);
  }
  if (isatty(2)) fprintf(stderr, "\r\033[K");
  for (unsigned j = 0; j < a->jobs; j++) {
    share->inputs += share[1 + j].inputs;
    share->differ += share[1 + j].differ;
    share->pieces += share[1 + j].pieces;
  }
  const double took = clock_seconds(from, clock_wall_ns());
  printf("%-10s %-24s %13llu %11llu %8.1f %8.1f%s\n", s->block, what, (unsigned long long)share->inputs,
         (unsigned long long)share->differ, took, (double)share->inputs / took * 1e-6,
         share->pieces == pieces ? "" : "  died halfway");
  fflush(stdout);
  return good && !share->differ && share->inputs && share->pieces == pieces;
}

/* ---- the command ---- */

static const struct argp_option options[] = {{"jobs", 'j', "N", 0, "processes; default 1", 0},
                                             {"part", 'p', "K", 0, "every Kth piece of each space; default 1, all", 0},
                                             {0}};

static unsigned exhaustive_read_number(const char *name, const char *text, unsigned most) {
  char *end;
  const unsigned long v = strtoul(text, &end, 10);
  if (*end || !*text || v < 1 || v > most) {
    fprintf(stderr, "exhaustive: --%s: found '%s', expected a number from 1 to %u\n", name, SHOWN(text), most);
    exit(2);
  }
  return (unsigned)v;
}

static error_t exhaustive_parse(int key, char *arg, struct argp_state *s) {
  struct args *a = s->input;
  switch (key) {
    case 'j': a->jobs = exhaustive_read_number("jobs", arg, 64); return 0;
    case 'p': a->part = exhaustive_read_number("part", arg, 65536); return 0;
    case ARGP_KEY_ARG:
      for (unsigned i = 0; i < SPACES; i++)
        if (!strcmp(arg, spaces[i].block) && a->blocks < SPACES) {
          a->block[a->blocks++] = arg;
          return 0;
        }
      fprintf(stderr,
              "exhaustive: found block '%s', expected one without a clock: slice/tve, slice/wve, slice/vcl, "
              "slice/vtl\n",
              SHOWN(arg));
      exit(2);
    default: return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp argp = {options,
                                   exhaustive_parse,
                                   "[SYSTEM/BLOCK...]",
                                   "The RTL of blocks without a clock against C, over every input.",
                                   NULL,
                                   NULL,
                                   NULL};
  struct args a = {.jobs = 1, .part = 1};
  bool good = true;
  argp_err_exit_status = 2;
  if (argp_parse(&argp, argc, argv, 0, NULL, &a)) return 2;
  find_masks();
  struct share *share =
      mmap(NULL, (1 + a.jobs) * sizeof *share, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (share == MAP_FAILED) {
    perror("exhaustive: mmap");
    return 2;
  }
  printf("%-10s %-24s %13s %11s %8s %8s\n", "RTL and C", "inputs", "compared", "differences", "seconds", "M/s");
  for (unsigned i = 0; i < SPACES; i++) {
    bool wanted = !a.blocks;
    for (unsigned k = 0; k < a.blocks; k++) wanted = wanted || !strcmp(a.block[k], spaces[i].block);
    for (unsigned n = spaces[i].from; wanted && n <= spaces[i].to; n++)
      good = space_run(&spaces[i], n, &a, share) && good;
  }
  return !good;
}
