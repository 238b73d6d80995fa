/* SPDX-License-Identifier: Apache-2.0 */
/*
 * def: includes a block's .def, whose path is BLOCK_DEF. The includer has defined the macros that it needs (declare.h has
 * the list); a macro that it has not defined is the simpler form of its kind (INW is IN; OUTW, OUTC and
 * OUTCW are OUT; STATEW and STATEA are STATE; SIZE is PARAM), or empty. All are undefined afterwards.
 * No include guard.
 *
 * In widths and counts P(Name) is a parameter: its value in the default set, unless the includer defines P otherwise.
 */
#ifndef P
#define P(name) RT_CAT(RT_NAME(_), name)
#endif
#ifndef CLOG2
#define CLOG2(n) RT_CLOG2(n)
#endif
#ifndef COMBINATIONAL
#define COMBINATIONAL
#endif
#ifndef PARAM
#define PARAM(name, value)
#endif
#ifndef SIZE
#define SIZE(name, value, most) PARAM(name, value)
#endif
#ifndef SET
#define SET(name, values)
#endif
#ifndef IN
#define IN(name, width)
#endif
#ifndef INW
#define INW(name, width) IN(name, width)
#endif
#ifndef OUT
#define OUT(name, width)
#endif
#ifndef OUTW
#define OUTW(name, width) OUT(name, width)
#endif
#ifndef OUTC
#define OUTC(name, width, depends) OUT(name, width)
#endif
#ifndef OUTCW
#define OUTCW(name, width, depends) OUTW(name, width)
#endif
#ifndef STATE
#define STATE(name, width)
#endif
#ifndef STATEW
#define STATEW(name, width) STATE(name, width)
#endif
#ifndef STATEA
#define STATEA(name, width, n) STATE(name, width)
#endif
#ifndef REG
#define REG(name, width)
#endif
#ifndef REGA
#define REGA(name, width, n)
#endif
#ifndef RAM
#define RAM(name, width, depth, ports)
#endif
#ifndef PART
#define PART(name)
#endif
#ifndef ENUM
#define ENUM(tag, values)
#endif
#ifndef DATA
#define DATA(names)
#endif
#ifndef QUIET
#define QUIET(zeros)
#endif
#ifndef LOOSE
#define LOOSE(names)
#endif
#include BLOCK_DEF
#undef P
#undef CLOG2
#undef COMBINATIONAL
#undef PARAM
#undef SIZE
#undef SET
#undef IN
#undef INW
#undef OUT
#undef OUTW
#undef OUTC
#undef OUTCW
#undef STATE
#undef STATEW
#undef STATEA
#undef REG
#undef REGA
#undef RAM
#undef PART
#undef ENUM
#undef NAMED
#undef DATA
#undef QUIET
#undef ZERO
#undef LOOSE
