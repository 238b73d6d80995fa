/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhaustive: the converter for every code and the truncator for all 2^32 inputs of every format, scalar
 * and warp-wide, against MPFR; all cores, about three minutes of one core. Arguments: nibbles, default 2 to 7
 * (and integers of 1 to 8). The truncator's expected code is monotone in the input, so MPFR gives the exact
 * border between each two codes (their mean, to the even one of the two) and every input is held against
 * the borders; the same inputs, sampled, are also rounded by MPFR directly, so that the borders themselves
 * are checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "slice/oracle.h"

enum {
  SHOWN = 5,
  DIRECT = 4093
}; /* mismatches printed by each process; every so many inputs rounded directly */

static uint64_t wrong(uint64_t before, const char *what, unsigned n, uint32_t x, uint32_t want,
                      uint32_t got) {
  if (before < SHOWN) printf("%s n=%u x=%08x: expected %08x, found %08x\n", what, n, x, want, got);
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
      const uint32_t want =
          x[l] > 0x7f800000u ? inf | 1u << (o.man - 1) | (x[l] & 0x7fffffu) >> (23 - o.man) : code;
      if (x[l] % DIRECT == 0 && oracle_truncate(&o, x[l]) != want)
        bad = wrong(bad, "border", n, x[l], want, 0);
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

/* [0, size) in equal shares, one process each. */
static bool on_all_cores(const char *what, uint64_t (*work)(unsigned, uint64_t, uint64_t), unsigned n,
                         uint64_t size) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1) cores = 1;
  while (size / (uint64_t)cores % 32 || size % (uint64_t)cores) cores--;
  const uint64_t share = size / (uint64_t)cores;
  bool good = true;
  fflush(stdout);
  for (long c = 0; c < cores; c++) {
    const pid_t pid = fork();
    if (pid < 0) {
      perror("fork");
      exit(2);
    }
    if (!pid) {
      const uint64_t bad = work(n, (uint64_t)c * share, (uint64_t)(c + 1) * share);
      if (bad) printf("... %llu wrong in all in this share\n", (unsigned long long)bad);
      fflush(stdout);
      _exit(bad != 0);
    }
  }
  for (long c = 0; c < cores; c++) {
    int status;
    if (wait(&status) < 0 || status) good = false;
  }
  printf("%-22s n=%u  %10llu values  %s\n", what, n, (unsigned long long)size, good ? "agree" : "DIFFER");
  fflush(stdout);
  return good;
}

static bool float_format(unsigned n) {
  bool good = on_all_cores("vcl, every code", convert_codes, n, 1ull << 4 * n);
  return on_all_cores("vtl, either sign", truncate_inputs, n, 1ull << 31) && good;
}

int main(int argc, char **argv) {
  bool good = true;
  if (argc < 2) {
    for (unsigned n = 2; n <= 7; n++) good = float_format(n) && good;
    for (unsigned n = 1; n <= 8; n++) good = on_all_cores("vtl, integers", integers, n, 1ull << 32) && good;
  }
  for (int i = 1; i < argc; i++) {
    char *end;
    const unsigned long n = strtoul(argv[i], &end, 10);
    if (*end || n < 2 || n > 7) {
      fprintf(stderr, "%s: found '%s', expected nibbles of a narrow float, 2 to 7\n", argv[0], argv[i]);
      return 2;
    }
    good = float_format((unsigned)n) && good;
  }
  return !good;
}
