/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_names: names in a source that is compiled once for each block and set. The compiler's command gives DESC_BLOCK (vc), DESC_DEF and, for a
 * set that is not the first, DESC_SET, DESC_AT and SET_NAME for each parameter. After blocks/declare.h, which undefines BLOCK.
 */
#ifndef RT_COSIM_BLOCK_NAMES_H
#define RT_COSIM_BLOCK_NAMES_H

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR2(a) #a
#define STR(a) STR2(a)
#define OF(suffix) CAT(DESC_BLOCK, suffix) /* OF(_in): vc_in */
#ifndef DESC_AT
#define DESC_AT DESC_BLOCK /* what the set's symbols end in */
#endif
/* A parameter's value at this set. */
#ifdef DESC_SET
#define VALUE(name) CAT(SET_, name)
#else
#define VALUE(name) CAT(OF(_), name)
#endif
#define BLOCK DESC_BLOCK
#define BLOCK_DEF DESC_DEF

#endif
