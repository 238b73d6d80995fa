/* SPDX-License-Identifier: Apache-2.0 */
/*
 * def: includes a block's .def, whose path is BLOCK_DEF. The includer has defined the macros that it needs (declare.h has
 * the list); a macro that it has not defined is the simpler form of its kind (OUTC is OUT; ARRAY and STATEA are STATE; SIZE is
 * PARAM), or empty. All are undefined afterwards. The W forms are the others. No include guard.
 *
 * The includer of IN, OUT, STATE, ARRAY takes a shape as `...` (shape.h), that of OUTC a shape and then a string.
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
#define IN(name, ...)
#endif
#define INW(name, ...) IN(name, __VA_ARGS__)
#ifndef OUT
#define OUT(name, ...)
#endif
#define OUTW(name, ...) OUT(name, __VA_ARGS__)
#ifndef OUTC
#define OUTC(name, ...) OUT(name, RT_BEFORE(__VA_ARGS__))
#endif
#define OUTCW(name, ...) OUTC(name, __VA_ARGS__)
#ifndef STATE
#define STATE(name, ...)
#endif
#define STATEW(name, ...) STATE(name, __VA_ARGS__)
#ifndef ARRAY
#define ARRAY(name, ...) STATE(name, __VA_ARGS__)
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
#undef ARRAY
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
