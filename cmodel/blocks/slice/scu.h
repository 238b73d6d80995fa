/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion flag
 * (docs/blocks/slice/scu.md). One instruction at a time, from allocate_valid_i to dispatch_take_i. Its control is bit operations on
 * masks of N units side by side (struct scu_control): the twin of the RTL, struct scu, is one unit; the SM has a
 * bank of 16, struct scu_bank.
 */
#ifndef RT_BLOCKS_SLICE_SCU_H
#define RT_BLOCKS_SLICE_SCU_H

#include <stdbool.h>

#define BLOCK scu
#define BLOCK_DEF "blocks/slice/scu.def"
#include "blocks/declare.h"

enum { SCU_OPERANDS = 3, SCU_ALL = (1 << SCU_OPERANDS) - 1, SCU_UNITS = 16, SCU_BITS = SCU_OPERANDS * SCU_UNITS };

/* Masks: bit 3 k + o is operand o of unit k; bit 3 k is unit k. */
struct scu_control {
  uint64_t busy_q;                                                       /* units */
  uint64_t source_q, signed_q, convert_q, located_q, half_q, complete_q; /* operands, as in scu.def */
  uint64_t two, narrow; /* entry_q has a second part; has fewer than eight nibbles */
  uint64_t answered;    /* entry_q is of this instruction; for the rules only */
};
#define SCU_CONTROL_IN                                                                                         \
  uint64_t allocate_valid_i, dispatch_take_i;                                                   /* units */    \
  uint64_t allocate_source_i, allocate_signed_i, allocate_convert_i, grant_i, response_valid_i; /* operands */ \
  uint64_t part_valid_i;    /* operands of which a part arrives; of each unit one at most */                   \
  uint64_t two_i, narrow_i; /* of the responses' entries; a bank finds these out itself */
struct scu_control_in {
  SCU_CONTROL_IN
};

struct scu {
  struct scu_state r;
  uint64_t busy_q;
  uint8_t addr_q[SCU_OPERANDS];
  uint64_t meta_q;
  uint32_t data_q[SCU_OPERANDS][32];
  uint64_t two, narrow, answered;
};

/* ---- the bank: the functions of a block (blocks/declare.h) ---- */

struct scu_bank_state {
  struct scu_control c;
  uint64_t control_only;
};
struct scu_bank {
  struct scu_bank_state r;
  uint32_t entry_q[SCU_BITS];
  uint8_t addr_q[SCU_BITS];
  uint32_t meta_q[SCU_UNITS];
  uint32_t data_q[SCU_BITS][32];
};
struct scu_bank_in {
  union {
    struct scu_control_in c;
    struct {
      SCU_CONTROL_IN
    };
  };
  uint8_t allocate_addr_i[SCU_BITS];
  uint32_t allocate_meta_i[SCU_UNITS];
  uint32_t response_entry_i[SCU_BITS];
  uint32_t part_data_i[SCU_UNITS][32];
};
struct scu_bank_out {
  uint64_t request_valid_o, busy_o, dispatch_valid_o;
  uint64_t dispatch_convert_o;            /* with dispatch_valid_o: the operands that need the converter */
  uint64_t fetch_valid_o[2];              /* by part */
  uint8_t fetch_register_o[2][SCU_BITS];  /* where fetch_valid_o is */
  uint8_t request_addr_o[SCU_BITS];       /* where request_valid_o is */
  uint32_t dispatch_data_o[SCU_BITS][32]; /* where dispatch_valid_o is */
};
enum scu_bank_ports { /* of those on wires */
                      scu_bank_bits_request_valid_o = SCU_BITS,
                      scu_bank_bits_request_addr_o = 8 * SCU_BITS,
                      scu_bank_bits_grant_i = SCU_BITS,
                      scu_bank_late_request_valid_o = 0,
                      scu_bank_late_request_addr_o = 0,
                      scu_bank_outc = 1,
                      scu_bank_counts = 0
};

void scu_bank_reset(struct scu_bank *s);
void scu_bank_eval(const struct scu_bank *s, const struct scu_bank_in *in, struct scu_bank_out *out);
void scu_bank_tick(struct scu_bank *s, const struct scu_bank_in *in);
static const char scu_bank_depends[] = "response_valid_i response_entry_i";
static inline bool scu_bank_quiet(const struct scu_bank_in *in) {
  return !(in->allocate_valid_i | in->grant_i | in->response_valid_i | in->part_valid_i | in->dispatch_take_i);
}
static inline uint64_t scu_bank_idle(const struct scu_bank *s) { return (void)s, UINT64_MAX; }
static inline uint64_t scu_bank_hold(const struct scu_bank *s, const struct scu_bank_in *in) {
  return (void)s, (void)in, 0;
}
static inline void scu_bank_skip(struct scu_bank *s, uint64_t n) { (void)s, (void)n; }

static inline void scu_bank_advance(struct scu_bank *s, const struct scu_bank_in *in, const struct scu_bank_out *out) {
  (void)out, scu_bank_tick(s, in);
}

/* Unit k as the twin of the RTL, for an observer; its outputs put in place of the bank's. */
void scu_bank_unit(const struct scu_bank *s, const struct scu_bank_in *in, const struct scu_bank_out *out, unsigned k,
                   struct scu *unit, struct scu_in *unit_in, struct scu_out *unit_out);
void scu_bank_put(struct scu_bank_out *out, unsigned k, const struct scu_out *unit_out);

#endif
