/* SPDX-License-Identifier: Apache-2.0 */
/* Not C, but Verilator configuration made by its preprocessor. */
/* clang-format off */
/* state.vlt: preprocessed with a block's .def into Verilator's control file: its registers may be read from outside. */
#define COMBINATIONAL
#define ENUM(names)
#define QUIET(names)
#define PARAM(name, v)
#define IN(name, width)
#define INW(name, width)
#define OUT(name, width)
#define OUTW(name, width)
#define OUTC(name, width, depends)
#define OUTCW(name, width, depends)
#define STR2(a) #a
#define STR(a) STR2(a)
#define STATE(name, width) public_flat_rd -module STR(DESC_BLOCK) -var #name
#define STATEA(name, width, n) STATE(name, width)
#include DESC_DEF
