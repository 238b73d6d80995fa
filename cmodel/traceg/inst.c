/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst: one executed instruction of a warp:
 *
 *   [x y z warp] [line] PC mask n [R...] opcode n [R...] bytes [mode addresses] [immediate]
 *
 * x y z warp: tracers before version 3. line: with -enable lineinfo. Modes: 0 an address per active lane; 1 the first
 * lane's and a stride, of active lanes that are neighbours; 2 the first lane's, and the steps from each active lane to the
 * next.
 */
#include "traceg/inst.h"

#include "base/bits.h"

enum { LIST, STRIDE, STEPS };

unsigned traceg_bytes(const char *opcode) {
  for (const char *p = opcode; *p; p += strcspn(p, ".")) {
    if (*p == '.') p++;
    const char *digits = *p == 'U' || *p == 'S' ? p + 1 : p;
    const size_t n = strspn(digits, "0123456789");
    unsigned bits = 0;
    if (!n || n > 4 || (digits[n] && digits[n] != '.')) continue;
    for (size_t k = 0; k < n; k++) bits = bits * 10 + (unsigned)(digits[k] - '0');
    return bits / 8;
  }
  return 4;
}

static bool registers(struct scan *s, const char *what, uint8_t *n, uint8_t *reg) {
  uint32_t count = 0, r = 0;
  if (!scan_u32(s, 0, TRACEG_REGS, what, &count)) return false;
  *n = (uint8_t)count;
  for (uint32_t k = 0; k < count; k++) {
    if (!scan_is(s, "R")) return scan_wrong(s, s->at, "a register, as R7");
    if (!scan_u32(s, 0, 255, "a register", &r)) return false;
    reg[k] = (uint8_t)r;
  }
  return true;
}

/* The end of the opcode, which is not ended there yet; NULL and the error. */
static char *opcode(struct scan *s, struct traceg_inst *i) {
  scan_blanks(s);
  const size_t n = strcspn(s->at, " \t");
  i->opcode = s->at;
  i->opcode_col = scan_col(s, s->at);
  for (size_t k = 0; k < n; k++) {
    const char c = s->at[k];
    const bool good =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (good && n <= 64) continue;
    scan_wrong(s, s->at, "an opcode of at most 64 letters, digits, _ and .");
    return NULL;
  }
  if (!n) {
    scan_wrong(s, s->at, "an opcode");
    return NULL;
  }
  s->at += n;
  return (char *)s->at;
}

static bool list(struct scan *s, struct traceg_inst *i) {
  for (uint32_t m = i->mask; m; m &= m - 1)
    if (!scan_hex(s, UINT64_MAX, "the address of each active lane", &i->addr[bit_low32(m)])) return false;
  return true;
}

static bool stride(struct scan *s, struct traceg_inst *i) {
  uint64_t base = 0;
  int64_t step = 0;
  scan_blanks(s);
  const char *from = s->at;
  if (!scan_hex(s, UINT64_MAX, "an address", &base) || !scan_int(s, INT32_MIN, INT32_MAX, "a stride in bytes", &step))
    return false;
  const uint32_t low = i->mask ? i->mask >> bit_low32(i->mask) : 0;
  if (low & (low + 1)) return scan_wrong(s, from, "a list of addresses or steps, since the mask has a gap");
  for (uint32_t m = i->mask; m; m &= m - 1, base += (uint64_t)step) i->addr[bit_low32(m)] = base;
  return true;
}

static bool steps(struct scan *s, struct traceg_inst *i) {
  uint64_t base = 0;
  int64_t step = 0;
  if (!scan_hex(s, UINT64_MAX, "an address", &base)) return false;
  for (uint32_t m = i->mask; m; m &= m - 1) {
    if (m != i->mask && !scan_int(s, INT64_MIN + 1, INT64_MAX, "a step to the next lane's address", &step))
      return false;
    i->addr[bit_low32(m)] = base += (uint64_t)step;
  }
  return true;
}

static bool access(struct scan *s, struct traceg_inst *i) {
  uint32_t mode = 0;
  i->access = true;
  i->bytes = (uint16_t)traceg_bytes(i->opcode);
  i->addr_col = scan_col(s, s->at) + 1;
  memset(i->addr, 0, sizeof i->addr);
  return scan_u32(s, LIST, STEPS, "a mode of addresses", &mode) && (mode == LIST     ? list(s, i)
                                                                    : mode == STRIDE ? stride(s, i)
                                                                                     : steps(s, i));
}

static bool before_pc(const struct traceg_head *h, struct scan *s, struct traceg_inst *i) {
  uint32_t number = 0;
  for (unsigned k = 0; h->version < 3 && k < 4; k++)
    if (!scan_u32(s, 0, INT32_MAX, "a coordinate of the thread block, or its warp", &number)) return false;
  return !h->lineinfo || scan_u32(s, 0, INT32_MAX, "a line of the source", &i->line);
}

bool traceg_inst(const struct traceg_head *h, uint32_t warp, struct scan *s, struct traceg_inst *i) {
  uint64_t pc = 0, mask = 0;
  uint32_t bytes = 0;
  char *end = NULL;
  i->line = 0;
  i->access = false;
  i->bytes = 0;
  i->has_imm = false;
  i->imm = 0;
  if (!before_pc(h, s, i) || !scan_hex(s, UINT32_MAX, "a PC", &pc)) return false;
  const char *at_mask = s->at;
  if (!scan_hex(s, UINT32_MAX, "a mask", &mask)) return false;
  i->pc = (uint32_t)pc;
  i->mask = (uint32_t)mask;
  const uint32_t threads = h->threads - warp * 32;
  if (threads < 32 && mask >> threads) return scan_wrong(s, at_mask + 1, "a mask of threads that the block has");
  if (!registers(s, "how many destination registers", &i->ndst, i->dst) || !(end = opcode(s, i)) ||
      !registers(s, "how many source registers", &i->nsrc, i->src) ||
      !scan_u32(s, 0, 1024, "bytes per lane of an access, or 0", &bytes))
    return false;
  const char kept = *end;
  *end = 0;
  bool good = !bytes || access(s, i);
  if (good) {
    scan_blanks(s);
    i->has_imm = *s->at != 0;
    if (i->has_imm) good = scan_int(s, INT64_MIN + 1, INT64_MAX, "an immediate, or the end of the line", &i->imm);
  }
  good = good && scan_end(s);
  if (!good) *end = kept;
  return good;
}
