/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: would Accel-Sim read this list of traces? An independent reader, by the rules of its parser: lines end in a new line;
 * keys of the head are read by sscanf with a fixed form; words of an instruction one after the other, as an input stream
 * does; at most one destination and four sources; an opcode whose first part is in the list of the kernel's binary version
 * (accel-sim-opcodes.txt, in the folder of this file); addresses are unpacked. What it does not read at all, it passes over:
 * "#traces format", blank lines, other lines of the list.
 *   check DIR/kernelslist.g
 * prints a line for each kernel, "NAME ctas C warps W insts N lanes L addresses H": L active lanes together, H the sum of
 * all addresses of global, shared and local accesses times (1 + lane), modulo 2^64. Status 1 and a message: it would not.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char opcodes[1 << 15]; /* of the kernel's binary version, with a blank before and after each */
static const char *path;
static long line_number;

static void fail(const char *why, const char *what) {
  fprintf(stderr, "%s:%ld: %s: %s\n", path, line_number, why, what);
  exit(1);
}

static bool read_line(FILE *f, char **line, size_t *room) {
  ssize_t n = getline(line, room, f);
  if (n <= 0) return false;
  line_number++;
  if ((*line)[n - 1] != '\n') fail("a line without its end", *line);
  (*line)[n - 1] = 0;
  return true;
}

/* Reads the opcodes of a binary version; false: Accel-Sim does not know it. */
static bool read_opcodes(unsigned version) {
  static const char name[] = "tests/data/traceg/accel-sim-opcodes.txt";
  char line[256];
  bool here = false, found = false;
  FILE *f = fopen(name, "r");
  if (!f) fail("cannot open it, in the project's folder", name);
  strcpy(opcodes, " ");
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "versions ", 9)) {
      here = false;
      for (char *save, *w = strtok_r(line + 9, " ", &save); w; w = strtok_r(NULL, " ", &save))
        here = here || (unsigned)atoi(w) == version;
      found = found || here;
    } else if (here && line[0] != '#') {
      if (strlen(opcodes) + strlen(line) + 2 > sizeof opcodes) fail("a list that is too long", name);
      strcat(strcat(opcodes, line), " ");
    }
  }
  fclose(f);
  return found;
}

struct head {
  unsigned id, grid[3], block[3], shmem, regs, binary, version, lineinfo;
  unsigned long long stream, shared, local;
};

static void need(int got, int want, const char *line) {
  if (got != want) fail("a key that sscanf does not read", line);
}

static void head_line(struct head *h, const char *line) {
  char a[64] = "", b[64] = "";
  sscanf(line + 1, "%63s %63s", a, b);
  if (!strcmp(a, "kernel") && !strcmp(b, "id")) need(sscanf(line, "-kernel id = %u", &h->id), 1, line);
  else if (!strcmp(a, "grid"))
    need(sscanf(line, "-grid dim = (%u,%u,%u)", &h->grid[0], &h->grid[1], &h->grid[2]), 3, line);
  else if (!strcmp(a, "block"))
    need(sscanf(line, "-block dim = (%u,%u,%u)", &h->block[0], &h->block[1], &h->block[2]), 3, line);
  else if (!strcmp(a, "shmem") && !strcmp(b, "=")) need(sscanf(line, "-shmem = %u", &h->shmem), 1, line);
  else if (!strcmp(a, "nregs")) need(sscanf(line, "-nregs = %u", &h->regs), 1, line);
  else if (!strcmp(a, "cuda")) need(sscanf(line, "-cuda stream id = %llu", &h->stream), 1, line);
  else if (!strcmp(a, "binary")) need(sscanf(line, "-binary version = %u", &h->binary), 1, line);
  else if (!strcmp(a, "enable")) need(sscanf(line, "-enable lineinfo = %u", &h->lineinfo), 1, line);
  else if (!strcmp(a, "accelsim")) need(sscanf(line, "-accelsim tracer version = %u", &h->version), 1, line);
  else if (!strcmp(a, "shmem")) need(sscanf(strchr(line, '=') + 1, "%llx", &h->shared), 1, line);
  else if (!strcmp(a, "local")) need(sscanf(strchr(line, '=') + 1, "%llx", &h->local), 1, line);
  else if (strcmp(a, "kernel") && strcmp(a, "nvbit")) fail("an unknown key", line);
}

/* Words of a line. */
static char *next_word(char **at) {
  char *w = strsep(at, " ");
  while (w && !*w) w = strsep(at, " ");
  return w;
}
static unsigned long long number(char **at, int base, const char *what) {
  char *w = next_word(at), *end;
  if (!w) fail("the end of a line", what);
  unsigned long long v = strtoull(w, &end, base);
  if (end == w || *end) fail(what, w);
  return v;
}
static void registers(char **at, unsigned n) {
  unsigned r;
  int used = 0;
  for (unsigned k = 0; k < n; k++) {
    char *w = next_word(at);
    if (!w || sscanf(w, "R%u%n", &r, &used) != 1 || w[used] || r > 255) fail("a register", w ? w : "");
  }
}

static unsigned width(const char *opcode) {
  char copy[256], *save, *w;
  snprintf(copy, sizeof copy, "%s", opcode);
  for (w = strtok_r(copy, ".", &save); w; w = strtok_r(NULL, ".", &save)) {
    const char *d = *w == 'U' ? w + 1 : w;
    if (*d && strspn(d, "0123456789") == strlen(d)) return (unsigned)atoi(d) / 8;
  }
  return 4;
}

static void addresses(char **at, uint32_t mask, uint64_t *addr) {
  const unsigned long long mode = number(at, 10, "a mode");
  uint64_t last = 0;
  memset(addr, 0, 32 * sizeof *addr);
  if (mode == 0) {
    for (int l = 0; l < 32; l++)
      if (mask >> l & 1) addr[l] = number(at, 16, "an address");
    return;
  }
  const uint64_t base = number(at, 16, "an address");
  if (mode == 1) {
    const int stride = (int)number(at, 10, "a stride");
    bool first = false, ended = false;
    for (int l = 0; l < 32; l++) {
      const bool on = mask >> l & 1;
      if (on && !first) first = true, addr[l] = last = base;
      else if (first && !ended && on) addr[l] = last += (uint64_t)(int64_t)stride;
      else if (first && !on) ended = true;
      else if (on) fail("a stride", "lanes behind a gap would have no address");
    }
  } else if (mode == 2) {
    bool first = true;
    for (int l = 0; l < 32; l++) {
      if (!(mask >> l & 1)) continue;
      addr[l] = last = first ? base : last + number(at, 10, "a step");
      first = false;
    }
  } else {
    fail("a mode", "0, 1 or 2");
  }
}

static uint64_t sum, lanes;

static void instruction(char *line, const struct head *h) {
  char *at = line, name[66];
  uint64_t addr[32];
  if (h->lineinfo) number(&at, 10, "a line of the source");
  number(&at, 16, "a PC");
  const uint32_t mask = (uint32_t)number(&at, 16, "a mask");
  const unsigned ndst = (unsigned)number(&at, 10, "a number of destinations");
  if (ndst > 1) fail("destinations", "at most one");
  registers(&at, ndst);
  char *opcode = next_word(&at);
  if (!opcode) fail("the end of a line", "an opcode");
  snprintf(name, sizeof name, " %.*s ", (int)strcspn(opcode, "."), opcode);
  if (!strstr(opcodes, name)) fail("an opcode that Accel-Sim does not know", opcode);
  const unsigned nsrc = (unsigned)number(&at, 10, "a number of sources");
  if (nsrc > 4) fail("sources", "at most four");
  registers(&at, nsrc);
  lanes += (unsigned)__builtin_popcount(mask);
  const bool access = number(&at, 10, "a width") > 0;
  const bool memory =
      !strncmp(name, " LD", 3) || !strncmp(name, " ST", 3) || !strncmp(name, " ATOM", 5) || !strncmp(name, " RED ", 5);
  if (memory && strcmp(name, " LDGDEPBAR ") && !access) fail("a memory instruction without addresses", opcode);
  if (access) {
    if (!width(opcode)) fail("a width of 0", opcode);
    addresses(&at, mask, addr);
    if (strcmp(name, " LDC "))
      for (uint64_t l = 0; l < 32; l++) sum += addr[l] * (1 + l);
  }
  number(&at, 10, "an immediate");
}

static void kernel(const char *file) {
  char command[4200], *line = NULL, what[64], more[64], kernel_name[4096] = "";
  size_t room = 0;
  const size_t n = strlen(file);
  struct head h = {0};
  path = file;
  line_number = 0;
  if (n > 3 && !strcmp(file + n - 3, ".xz")) snprintf(command, sizeof command, "xz -dc '%s'", file);
  else if (n > 7 && !strcmp(file + n - 7, ".traceg")) snprintf(command, sizeof command, "cat '%s'", file);
  else fail("an unsupported type of file", file);
  FILE *f = popen(command, "r");
  while (read_line(f, &line, &room) && line[0] != '#') {
    if (line[0] != '-') continue;
    if (!strncmp(line, "-kernel name =", 14)) snprintf(kernel_name, sizeof kernel_name, "%s", strchr(line, '=') + 2);
    else head_line(&h, line);
  }
  if (h.version != 5) fail("a version of the tracer", "5");
  if (!read_opcodes(h.binary)) fail("a binary version that Accel-Sim does not know", file);
  const unsigned warps = (h.block[0] * h.block[1] * h.block[2] + 31) / 32;
  unsigned long ctas = 0, all_warps = 0, insts = 0;
  unsigned warp = 0, left = 0, x, y, z;
  bool open = false;
  sum = lanes = 0;
  while (read_line(f, &line, &room)) {
    if (!line[0]) continue;
    what[0] = more[0] = 0;
    sscanf(line, "%63s %63s", what, more);
    if (!strcmp(what, "#BEGIN_TB")) {
      if (open) fail("a thread block before the last one ends", line);
      open = true;
    } else if (!open) {
      fail("text outside of a thread block", line);
    } else if (!strcmp(what, "#END_TB")) {
      if (left) fail("fewer instructions than announced", line);
      open = false;
      ctas++;
    } else if (!strcmp(what, "thread") && !strcmp(more, "block")) {
      if (sscanf(line, "thread block = %u,%u,%u", &x, &y, &z) != 3 || x >= h.grid[0] || y >= h.grid[1] ||
          z >= h.grid[2])
        fail("a thread block", line);
    } else if (!strcmp(what, "warp")) {
      if (left) fail("fewer instructions than announced", line);
      if (sscanf(line, "warp = %u", &warp) != 1 || warp >= warps) fail("a warp", line);
      all_warps++;
    } else if (!strcmp(what, "insts")) {
      if (sscanf(line, "insts = %u", &left) != 1) fail("a number of instructions", line);
    } else {
      if (!left--) fail("more instructions than announced", line);
      instruction(line, &h);
      insts++;
    }
  }
  if (open || ctas != (unsigned long)h.grid[0] * h.grid[1] * h.grid[2] || all_warps != ctas * warps)
    fail("thread blocks or warps", "others than the grid has");
  if (pclose(f)) fail("the program that unpacks it", "failed");
  printf("%s ctas %lu warps %lu insts %lu lanes %llu addresses %016llx\n", kernel_name, ctas, all_warps, insts,
         (unsigned long long)lanes, (unsigned long long)sum);
  free(line);
}

int main(int argc, char **argv) {
  char *line = NULL, file[4096];
  size_t room = 0;
  if (argc != 2) return 2;
  path = argv[1];
  FILE *f = fopen(argv[1], "r");
  if (!f) fail("cannot open it", argv[1]);
  const char *slash = strrchr(argv[1], '/');
  while (getline(&line, &room, f) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "kernel", 6)) continue;
    snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash - argv[1]) + 1 : 0, argv[1], line);
    kernel(file);
  }
  fclose(f);
  free(line);
  return 0;
}
