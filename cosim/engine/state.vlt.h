/* SPDX-License-Identifier: Apache-2.0 */
/* Not C, but Verilator configuration made by its preprocessor. */
/* clang-format off */
/* state.vlt: preprocessed with a block's .def into Verilator's control file: its registers may be read from outside. */
#define STR2(a) #a
#define STR(a) STR2(a)
#define STATE(name, ...) public_flat_rd -module STR(DESC_BLOCK) -var #name
#define BLOCK_DEF DESC_DEF
#include "blocks/def.h"
