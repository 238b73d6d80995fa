/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst: one executed instruction of a warp:
 *
 *   [x y z warp] [line] PC mask n [REG...] opcode n [REG...] [group] bytes [access] [immediate...] [values]
 *
 * x y z warp: tracers before version 3. line: with -enable lineinfo. REG: R7; from version 6 on also a uniform register (UR4) or a
 * predicate (P0, UP0). group: of GMMA opcodes, in later tracers. access, if bytes is not 0: 0 and an address per active lane; 1, the
 * first lane's address and a stride, of active lanes that are neighbours; 2, the first lane's address and the steps from each active lane
 * to the next. A bulk copy (TMA) has 3 and a list, or 4 and steps, of as many addresses as a number before them says; later tracers write
 * the mbarrier's address, the multicast mask and two byte counts before that. immediate: one from version 5 on, two in later tracers of
 * version 6. values: "NoVal", or "Val" and the values of each register, from version 6 on.
 */
#include "trace/accelsim/inst.h"

#include "base/bits.h"

enum { LIST, STRIDE, STEPS, BULK_LIST, BULK_STEPS };
enum { MOST_BULK = 1 << 16 };

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

/* Reads a list of registers, of sources or of destinations. *n and reg get those of a thread; a uniform source keeps its
 * place as the zero register. *listed counts all. */
static bool inst_read_registers(struct scan *s, const char *what, bool sources, uint8_t *n, uint8_t *reg,
                                uint32_t *listed) {
  uint32_t r = 0;
  if (!scan_u32(s, 0, TRACEG_REGS, what, listed)) return false;
  *n = 0;
  for (uint32_t k = 0; k < *listed; k++) {
    const bool thread = scan_is(s, "R"), uniform = !thread && scan_is(s, "UR");
    if (!thread && !uniform && !scan_is(s, "P") && !scan_is(s, "UP"))
      return scan_wrong(s, s->at, "a register, as R7 or UR4");
    if (!scan_u32(s, 0, 255, "a register", &r)) return false;
    if (thread || (uniform && sources)) reg[(*n)++] = thread ? (uint8_t)r : TRACEG_ZERO;
  }
  return true;
}

/* The end of the opcode, which is not ended there yet; NULL and the error. */
static char *inst_read_opcode(struct scan *s, struct traceg_inst *i) {
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

static bool inst_read_list(struct scan *s, struct traceg_inst *i) {
  for (uint32_t m = i->mask; m; m &= m - 1)
    if (!scan_hex(s, UINT64_MAX, "the address of each active lane", &i->addr[bit_low32(m)])) return false;
  return true;
}

static bool inst_read_stride(struct scan *s, struct traceg_inst *i) {
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

static bool inst_read_steps(struct scan *s, struct traceg_inst *i) {
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

static bool inst_read_access(struct scan *s, struct traceg_inst *i) {
  uint32_t mode = 0;
  i->access = true;
  i->bytes = (uint16_t)traceg_bytes(i->opcode);
  i->addr_col = scan_col(s, s->at) + 1;
  memset(i->addr, 0, sizeof i->addr);
  return scan_u32(s, LIST, STEPS, "a mode of addresses", &mode) && (mode == LIST     ? inst_read_list(s, i)
                                                                    : mode == STRIDE ? inst_read_stride(s, i)
                                                                                     : inst_read_steps(s, i));
}

/* A bulk copy, of which nothing is kept. A mode stands first, or an mbarrier's address, which is a multiple of 8. */
static bool inst_read_bulk(struct scan *s) {
  uint64_t address = 0;
  int64_t n = 0;
  uint32_t mode = 0, count = 0;
  const struct scan before = *s;
  if (!scan_hex(s, UINT64_MAX, "a mode of addresses, or the address of an mbarrier", &address)) return false;
  if (address != BULK_LIST && address != BULK_STEPS) {
    uint32_t multicast = 0;
    if (!scan_u32(s, 0, 1, "0, or 1 of a multicast", &multicast) ||
        (multicast && !scan_hex(s, UINT32_MAX, "a mask of thread blocks", &address)) ||
        !scan_int(s, 0, INT64_MAX, "bytes of the copy", &n) || !scan_int(s, 0, INT64_MAX, "bytes out of bounds", &n))
      return false;
  } else {
    s->at = before.at;
  }
  if (!scan_u32(s, BULK_LIST, BULK_STEPS, "a mode of a bulk copy's addresses", &mode) ||
      (mode == BULK_STEPS && !scan_hex(s, UINT64_MAX, "an address", &address)) ||
      !scan_u32(s, 0, MOST_BULK, "how many addresses", &count))
    return false;
  for (uint32_t k = mode == BULK_STEPS; k < count; k++)
    if (mode == BULK_STEPS ? !scan_int(s, INT64_MIN + 1, INT64_MAX, "a step to the next address", &n)
                           : !scan_hex(s, UINT64_MAX, "an address", &address))
      return false;
  return true;
}

static bool opcode_is_bulk(const char *opcode) { return !strncmp(opcode, "UTMA", 4) || !strncmp(opcode, "UBLK", 4); }

/* Later tracers write whether a GMMA ends its group: then three numbers or more follow, not two. */
static bool inst_read_group(struct scan *s, const char *opcode) {
  uint32_t ends = 0, numbers = 0;
  if (!strstr(opcode, "GMMA")) return true;
  for (const char *p = s->at; *(p += strspn(p, " \t")) && *p != 'V' && *p != 'N'; p += strcspn(p, " \t")) numbers++;
  return numbers < 3 || scan_u32(s, 0, 1, "whether the instruction ends a group", &ends);
}

/* The values of one register: one for all lanes, or one for each. */
static bool inst_read_values(struct scan *s) {
  uint32_t count = 0;
  uint64_t value = 0;
  const char *at = s->at;
  if (!scan_u32(s, 1, 32, "how many values", &count)) return false;
  if (count != 1 && count != 32) return scan_wrong(s, at + 1, "1 value, or 32");
  while (count--)
    if (!scan_hex(s, UINT64_MAX, "a value", &value)) return false;
  return true;
}

/* Immediates and values, up to the end of the line. The first immediate is kept. */
static bool inst_read_rest(const struct traceg_head *h, struct scan *s, uint32_t regs, struct traceg_inst *i) {
  int64_t more = 0;
  scan_blanks(s);
  for (unsigned k = 0; k < (h->version < 6 ? 1u : 2u) && *s->at && *s->at != 'V' && *s->at != 'N'; k++) {
    if (!scan_int(s, INT64_MIN, INT64_MAX, "an immediate, or the end of the line", k ? &more : &i->imm)) return false;
    i->has_imm = true;
    scan_blanks(s);
  }
  if (h->version >= 6 && *s->at && !scan_is(s, "NoVal")) {
    if (!scan_text(s, "Val")) return false;
    while (regs--)
      if (!inst_read_values(s)) return false;
  }
  return scan_end(s);
}

static bool inst_read_before_pc(const struct traceg_head *h, struct scan *s, struct traceg_inst *i) {
  uint32_t number = 0;
  for (unsigned k = 0; h->version < 3 && k < 4; k++)
    if (!scan_u32(s, 0, INT32_MAX, "a coordinate of the thread block, or its warp", &number)) return false;
  return !h->lineinfo || scan_u32(s, 0, INT32_MAX, "a line of the source", &i->line);
}

bool traceg_inst(const struct traceg_head *h, uint32_t warp, struct scan *s, struct traceg_inst *i) {
  uint64_t pc = 0, mask = 0;
  uint32_t bytes = 0, dsts = 0, srcs = 0;
  char *end = NULL;
  i->line = 0;
  i->access = false;
  i->bytes = 0;
  i->has_imm = false;
  i->imm = 0;
  if (!inst_read_before_pc(h, s, i) || !scan_hex(s, UINT32_MAX, "a PC", &pc)) return false;
  const char *at_mask = s->at;
  if (!scan_hex(s, UINT32_MAX, "a mask", &mask)) return false;
  i->pc = (uint32_t)pc;
  i->mask = (uint32_t)mask;
  const uint32_t threads = h->threads - warp * 32;
  if (threads < 32 && mask >> threads) return scan_wrong(s, at_mask + 1, "a mask of threads that the block has");
  if (!inst_read_registers(s, "how many destination registers", false, &i->ndst, i->dst, &dsts) ||
      !(end = inst_read_opcode(s, i)) ||
      !inst_read_registers(s, "how many source registers", true, &i->nsrc, i->src, &srcs))
    return false;
  const char kept = *end;
  *end = 0;
  const bool tma = opcode_is_bulk(i->opcode);
  bool good = inst_read_group(s, i->opcode) &&
              scan_u32(s, 0, tma ? INT32_MAX : 1024,
                       tma ? "bytes of a bulk copy's parts" : "bytes per lane of an access, or 0", &bytes);
  if (good && bytes) good = tma ? inst_read_bulk(s) : inst_read_access(s, i);
  good = good && inst_read_rest(h, s, dsts + srcs, i);
  if (!good) *end = kept;
  return good;
}
