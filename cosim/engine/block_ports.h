// SPDX-License-Identifier: Apache-2.0
// block_ports: the block that a C++ source is compiled for: its C structs, its struct block_desc, and EACH for code that its .def makes.
#ifndef RT_COSIM_BLOCK_PORTS_H
#define RT_COSIM_BLOCK_PORTS_H

#define BLOCK DESC_BLOCK
#define BLOCK_DEF DESC_DEF
extern "C" {
#include "blocks/declare.h"
}
#include "describe.h"
#include "block_names.h"

// EACH(port_drive, port, member, shape) calls port_drive(port, member) for a flat port or register, by its types alone. With a shape (flat.h)
// it calls port_drive<Width>(port, member, flat_shape); Width: bits of an element.
#define EACH_FLAT(does, port, member, ...) does(port, member)
#define EACH_SHAPED(does, port, member, ...)                              \
  [&] {                                                                   \
    static constexpr flat_shape shape_ = FLAT_SHAPE(member, __VA_ARGS__); \
    return does<RT_WIDTH(__VA_ARGS__)>(port, member, shape_);             \
  }()
#define EACH0 EACH_FLAT
#define EACH1 EACH_SHAPED
#define EACH2 EACH_SHAPED
#define EACH3 EACH_SHAPED
#define EACH(does, port, member, ...) RT_OF_RANK(EACH, __VA_ARGS__)(does, port, member, __VA_ARGS__)

#endif
