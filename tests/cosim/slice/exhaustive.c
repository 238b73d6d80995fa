/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhaustive (of make exhaustive): the C models of the converter for every code and of the truncator for all
 * 2^32 inputs of every format, scalar and warp-wide, against MPFR; about three minutes of one core.
 * Arguments: [--jobs N] [--part K: every Kth piece] [slice/vcl] [slice/vtl].
 * The truncator's expected code is monotone in the input, so MPFR gives the exact border between each two
 * codes (their mean, to the even one of the two) and every input is compared with the borders; the same
 * inputs, sampled, are also rounded by MPFR directly, so that the borders themselves are checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/show.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "cosim/slice/oracle.h"

enum {
  PIECE = 1 << 12, /* inputs dealt out at a time */
  MOST_SHOWN = 5,  /* mismatches printed of each piece */
  DIRECT = 4093    /* every so many inputs are rounded directly */
};

static uint64_t wrong(uint64_t before, const char *what, unsigned n, uint32_t x, uint32_t want, uint32_t got) {
  if (before < MOST_SHOWN) printf("%s n=%u x=%08x: expected %08x, found %08x\n", what, n, x, want, got);
  return before + 1;
}

/* Codes a to b of the converter. */
static uint64_t convert_codes(unsigned n, uint64_t a, uint64_t b) {
  struct oracle o;
  uint64_t bad = 0;
  oracle_open(&o, n);
  for (uint64_t at = a; at < b; at += 32) {
    uint32_t x[32], y[32];
    for (unsigned l = 0; l < 32; l++) x[l] = (uint32_t)(at + l);
    vcl_convert_warp(y, x, n);
    for (unsigned l = 0; l < 32; l++) {
      const uint32_t want = oracle_convert(&o, x[l]), got = vcl_convert(x[l], n);
      if (got != want) bad = wrong(bad, "vcl", n, x[l], want, got);
      if (y[l] != want) bad = wrong(bad, "vcl warp", n, x[l], want, y[l]);
    }
  }
  oracle_close(&o);
  return bad;
}

/* The largest fp32 bits that round to this finite code. */
static uint32_t border(struct oracle *o, mpfr_t next, uint32_t code) {
  oracle_value(o, o->wide, code);
  oracle_value(o, next, code + 1); /* past the largest finite code: the power of two that is not there */
  mpfr_add(o->wide, o->wide, next, MPFR_RNDN);
  mpfr_div_2ui(o->wide, o->wide, 1, MPFR_RNDN);
  const uint32_t mean = float_bits(mpfr_get_flt(o->wide, MPFR_RNDN));
  if (mpfr_cmp_d(o->wide, (double)bits_float(mean))) abort(); /* every mean is an fp32 number */
  return code & 1 ? mean - 1 : mean;
}

/* Inputs a to b without sign, and the same with it. */
static uint64_t truncate_inputs(unsigned n, uint64_t a, uint64_t b) {
  struct oracle o;
  mpfr_t next;
  uint64_t bad = 0;
  oracle_open(&o, n);
  mpfr_init2(next, 64);
  const uint32_t inf = oracle_inf(&o), sign = oracle_sign(&o);
  uint32_t code = oracle_truncate(&o, (uint32_t)a), last = code < inf ? border(&o, next, code) : 0x7f800000u;
  for (uint64_t at = a; at < b; at += 32) {
    uint32_t x[32], y[32], z[32], minus[32];
    for (unsigned l = 0; l < 32; l++) minus[l] = (x[l] = (uint32_t)(at + l)) | 1u << 31;
    vtl_truncate_warp(y, x, n, true);
    vtl_truncate_warp(z, minus, n, true);
    for (unsigned l = 0; l < 32; l++) {
      while (x[l] > last && code < inf) last = ++code < inf ? border(&o, next, code) : 0x7f800000u;
      const uint32_t want = x[l] > 0x7f800000u ? inf | 1u << (o.man - 1) | (x[l] & 0x7fffffu) >> (23 - o.man) : code;
      if (x[l] % DIRECT == 0 && oracle_truncate(&o, x[l]) != want) bad = wrong(bad, "border", n, x[l], want, 0);
      uint32_t got = vtl_truncate(x[l], n, true);
      if (got != want) bad = wrong(bad, "vtl", n, x[l], want, got);
      got = vtl_truncate(minus[l], n, true);
      if (got != (want | sign)) bad = wrong(bad, "vtl", n, minus[l], want | sign, got);
      if (y[l] != want) bad = wrong(bad, "vtl warp", n, x[l], want, y[l]);
      if (z[l] != (want | sign)) bad = wrong(bad, "vtl warp", n, minus[l], want | sign, z[l]);
    }
  }
  mpfr_clear(next);
  oracle_close(&o);
  return bad;
}

/* Inputs a to b as integers. */
static uint64_t integers(unsigned n, uint64_t a, uint64_t b) {
  const uint64_t size = 1ull << 4 * n;
  uint64_t bad = 0;
  for (uint64_t x = a; x < b; x++) {
    const uint32_t want = (uint32_t)(x % size), got = vtl_truncate((uint32_t)x, n, false);
    if (got != want) bad = wrong(bad, "vtl integer", n, (uint32_t)x, want, got);
  }
  return bad;
}

/* ---- every part-th piece of [0, size), dealt out to the processes ---- */

static unsigned jobs = 1, part = 1;

struct share {
  _Atomic uint64_t inputs, bad;
};
static struct share *total;

static void deal(uint64_t (*work)(unsigned, uint64_t, uint64_t), unsigned n, uint64_t size, unsigned job) {
  const uint64_t piece = size < PIECE ? size : PIECE;
  for (uint64_t at = (uint64_t)job * part * piece; at < size; at += (uint64_t)jobs * part * piece) {
    total->bad += work(n, at, at + piece);
    total->inputs += piece;
  }
}

/* A line of the table; false if anything is wrong, nothing was compared or a process died. */
static bool compare(const char *block, const char *what, uint64_t (*work)(unsigned, uint64_t, uint64_t), unsigned n,
                    uint64_t size) {
  struct timespec from, to;
  bool good = true;
  clock_gettime(CLOCK_MONOTONIC, &from);
  *total = (struct share){0};
  fflush(stdout);
  for (unsigned j = 0; j < jobs; j++) {
    const pid_t pid = fork();
    if (pid < 0) {
      perror("exhaustive-mpfr: fork");
      exit(2);
    }
    if (pid) continue;
    deal(work, n, size, j);
    fflush(stdout);
    _exit(0);
  }
  for (unsigned j = 0; j < jobs; j++) {
    int status;
    if (wait(&status) < 0 || status) good = false;
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  const double took = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  printf("%-10s %-19s n = %u %13llu %11llu %8.1f %8.1f%s\n", block, what, n, (unsigned long long)total->inputs,
         (unsigned long long)total->bad, took, (double)total->inputs / took * 1e-6, good ? "" : "  died halfway");
  fflush(stdout);
  return good && !total->bad && total->inputs;
}

static unsigned number(const char *name, const char *text, unsigned most) {
  char *end;
  const unsigned long v = strtoul(text, &end, 10);
  if (*end || !*text || v < 1 || v > most) {
    fprintf(stderr, "exhaustive-mpfr: %s: found '%s', expected a number from 1 to %u\n", name, SHOWN(text), most);
    exit(2);
  }
  return (unsigned)v;
}

int main(int argc, char **argv) {
  bool good = true, all = true, vcl = false, vtl = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--jobs") && i + 1 < argc) {
      jobs = number("--jobs", argv[++i], 64);
    } else if (!strcmp(argv[i], "--part") && i + 1 < argc) {
      part = number("--part", argv[++i], 4096);
    } else {
      all = false; /* a block that is no float's has nothing here */
      vcl = vcl || !strcmp(argv[i], "slice/vcl");
      vtl = vtl || !strcmp(argv[i], "slice/vtl");
    }
  }
  vcl = vcl || all;
  vtl = vtl || all;
  if (!vcl && !vtl) return 0;
  total = mmap(NULL, sizeof *total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (total == MAP_FAILED) {
    perror("exhaustive-mpfr: mmap");
    return 2;
  }
  printf("%-10s %-24s %13s %11s %8s %8s\n", "C and MPFR", "inputs", "compared", "differences", "seconds", "M/s");
  for (unsigned n = 2; vcl && n <= 7; n++)
    good = compare("slice/vcl", "every code,", convert_codes, n, 1ull << 4 * n) && good;
  for (unsigned n = 2; vtl && n <= 7; n++)
    good = compare("slice/vtl", "float, either sign,", truncate_inputs, n, 1ull << 31) && good;
  for (unsigned n = 1; vtl && n <= 8; n++)
    good = compare("slice/vtl", "integer (no MPFR),", integers, n, 1ull << 32) && good;
  return !good;
}
