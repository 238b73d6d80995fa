/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wires_def: reads the lines of a net, whose path is NET_DEF. Who includes this (wires.h) has defined what it wants of the lines; the
 * others are nothing. All are undefined afterwards. No include guard. cmodel/make/lists.awk makes the lines from a system.def, and turns
 * three into words of their own, since it knows the blocks' ports, and adds one, PAIR: a PULSE and a LEVEL that belong together. TWINC, a TWIN of a block without a clock; BANK, a TWIN of a BLOCK_bank,
 * else a TWIN of its one model; DATA_WIRE, a WIRE between DATA ports, else a WIRE.
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
#ifndef PAIR
#define PAIR(block, pulse, level)
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
#undef PAIR
#undef READ
#undef WIRE
#undef DATA_WIRE
