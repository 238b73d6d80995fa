/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wires_def: reads a system's wires.def, whose path is NET_DEF. Who includes this (wires.h) has defined what it wants of the
 * lines; a BANK is else a TWIN of its one model, a DATA_WIRE a WIRE, and the other lines are nothing. All are undefined
 * afterwards. No include guard.
 */
#ifndef TWIN
#define TWIN(system, block, count)
#endif
#ifndef TWINC
#define TWINC(system, block, count)
#endif
#ifndef BANK
#define BANK(system, block, count) TWIN(system, block##_bank, 1)
#endif
#ifndef PULSE
#define PULSE(block, input)
#endif
#ifndef LEVEL
#define LEVEL(block, input)
#endif
#ifndef READ
#define READ(block, output)
#endif
#ifndef WIRE
#define WIRE(from, output, to, input)
#endif
#ifndef DATA_WIRE
#define DATA_WIRE(from, output, to, input) WIRE(from, output, to, input)
#endif
#include NET_DEF
#undef TWIN
#undef TWINC
#undef BANK
#undef PULSE
#undef LEVEL
#undef READ
#undef WIRE
#undef DATA_WIRE
