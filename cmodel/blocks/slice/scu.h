/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion flag
 * (docs/blocks/slice/scu.md). One instruction at a time, from al_v to dp_take. Its control is bit operations on
 * masks of N units side by side (struct scu_control): the twin of the RTL, struct scu, is one unit; the SM has a
 * bank of 16, struct scu_bank.
 */
#ifndef RT_BLOCKS_SLICE_SCU_H
#define RT_BLOCKS_SLICE_SCU_H

#include <stdbool.h>

#define BLOCK scu
#define BLOCK_DEF "blocks/slice/scu.def"
#include "blocks/declare.h"

enum { SCU_OPERANDS = 3, SCU_UNITS = 16, SCU_BITS = SCU_OPERANDS * SCU_UNITS };

/* Masks: bit 3 k + o is operand o of unit k; bit 3 k is unit k. */
struct scu_control {
  uint64_t busy_q;                                   /* units */
  uint64_t sv_q, sgn_q, cvt_q, loc_q, half_q, rdy_q; /* operands, as in scu.def */
  uint64_t two, narrow;                              /* info_q has a second part; has fewer than eight nibbles */
  uint64_t answered;                                 /* info_q is of this instruction; for the rules only */
};
#define SCU_CONTROL_IN                                                                                                 \
  uint64_t al_v_i, dp_take_i;                         /* units */                                                      \
  uint64_t al_sv_i, al_sgn_i, al_cvt_i, gn_i, rs_v_i; /* operands */                                                   \
  uint64_t d_v_i;                                     /* operands of which a part arrives; of each unit one at most */ \
  uint64_t two_i, narrow_i;                           /* of the responses' entries; a bank finds these out itself */
struct scu_control_in {
  SCU_CONTROL_IN
};

struct scu {
  struct scu_state r;
  uint64_t busy_q;
  uint64_t a_q; /* [3][8] */
  uint64_t meta_q;
  uint32_t d_q[SCU_OPERANDS][32];
  uint64_t two, narrow, answered;
};

/* ---- the bank: the functions of a block (blocks/declare.h) ---- */

struct scu_bank_state {
  struct scu_control c;
  uint64_t control_only;
};
struct scu_bank {
  struct scu_bank_state r;
  uint32_t info_q[SCU_BITS];
  uint8_t a_q[SCU_BITS];
  uint32_t meta_q[SCU_UNITS];
  uint32_t d_q[SCU_BITS][32];
};
struct scu_bank_in {
  union {
    struct scu_control_in c;
    struct {
      SCU_CONTROL_IN
    };
  };
  uint8_t al_a_i[SCU_BITS];
  uint32_t al_meta_i[SCU_UNITS];
  uint32_t rs_e_i[SCU_BITS];
  uint32_t d_d_i[SCU_UNITS][32];
};
struct scu_bank_out {
  uint64_t rq_v_o, busy_o, dp_v_o;
  uint64_t dp_vc_o;              /* with dp_v_o: the operands that need the converter */
  uint64_t rf_v_o[2];            /* by part */
  uint8_t rf_r_o[2][SCU_BITS];   /* where rf_v_o is */
  uint32_t rq_a_o[SCU_BITS / 4]; /* bytes, where rq_v_o is */
  uint32_t dp_d_o[SCU_BITS][32]; /* where dp_v_o is */
};
enum scu_bank_ports { /* of those on wires */
                      scu_bank_bits_rq_v_o = SCU_BITS,
                      scu_bank_bits_rq_a_o = 8 * SCU_BITS,
                      scu_bank_bits_gn_i = SCU_BITS,
                      scu_bank_late_rq_v_o = 0,
                      scu_bank_late_rq_a_o = 0,
                      scu_bank_outc = 1,
                      scu_bank_counts = 0
};

void scu_bank_reset(struct scu_bank *s);
void scu_bank_eval(const struct scu_bank *s, const struct scu_bank_in *in, struct scu_bank_out *out);
void scu_bank_tick(struct scu_bank *s, const struct scu_bank_in *in);
static const char scu_bank_depends[] = "rs_v_i rs_e_i";
static inline bool scu_bank_quiet(const struct scu_bank_in *in) {
  return !(in->al_v_i | in->gn_i | in->rs_v_i | in->d_v_i | in->dp_take_i);
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
