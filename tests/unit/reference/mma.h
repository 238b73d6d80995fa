/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma: the tensor instructions of PTX in plain C, without a look at the simulator: which element of a matrix lies in which bits
 * of which register of which lane, written from the formulas of the PTX ISA (version 9.2, section 9.7.14.5, "Matrix Fragments for
 * mma..."), and the product under the rule for its sums of docs/reference/tensor.md.
 *
 * A matrix is an array of its elements' bits, row by row: A is m x k, B k x n, C and D m x n.
 */
#ifndef RT_TESTS_MMA_H
#define RT_TESTS_MMA_H

#include <stdbool.h>
#include <stdint.h>

enum mref_type { M_F16, M_BF16, M_TF32, M_F32, M_F64, M_S8, M_U8, M_S4, M_U4, M_B1, M_S32, M_TYPES };
enum mref_part { MREF_A, MREF_B, MREF_C, MREF_D, MREF_PARTS };
enum { MREF_LANES = 32, MREF_REGISTERS = 8, MREF_PRODUCTS = 4, MREF_ELEMENTS = 16 * 256 };

struct mref_form {
  unsigned m, n, k;
  enum mref_type type[MREF_PARTS];
  bool a_col, b_row; /* the layouts of m8n8k4 of f16; the others are .row.col */
  bool and;          /* of b1: .and.popc, else .xor.popc */
  bool saturate;     /* .satfinite */
  int round;         /* of f64, as fesetround has it */
};
typedef uint64_t mref_matrix[MREF_ELEMENTS];
typedef uint64_t mref_fragments[MREF_LANES][MREF_REGISTERS]; /* 32 bits of each, of f64 64 */

const char *mref_name(enum mref_type t);
unsigned mref_bits(enum mref_type t);
unsigned mref_rows(const struct mref_form *f, enum mref_part p);
unsigned mref_columns(const struct mref_form *f, enum mref_part p);
/* Products that one instruction makes: m8n8k4 of f16 four, the others one. */
unsigned mref_products(const struct mref_form *f);
/* Registers of a lane: of 64 bits for f64, else of 32. */
unsigned mref_registers(const struct mref_form *f, enum mref_part p);

struct mref_place {
  unsigned row, column;
};
/* Where element i of a lane's fragment, the lowest bits of the first register first, stands in the matrix. */
struct mref_place mref_place(const struct mref_form *f, enum mref_part p, unsigned lane, unsigned i);
/* The fragments of all lanes. */
void mref_split(const struct mref_form *f, enum mref_part p, mref_matrix m[MREF_PRODUCTS], mref_fragments r);

/* A whole number as bits of the type, which can hold it exactly (integers: modulo their width). */
uint64_t mref_encode(enum mref_type t, int64_t v);
/* D = A B + C */
void mref_product(const struct mref_form *f, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d);

#endif
