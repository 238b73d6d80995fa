/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: a block as data. Its ports and registers, from its .def, and its two models behind plain C functions: the
 * golden model (describe.c) and the Verilated RTL (shim.cpp). All of the engine works from these two structs; nothing
 * of it is written per block.
 *
 * Values lie in the structs BLOCK_in, BLOCK_out and BLOCK_state; item.h reads them, whatever their shape.
 */
#ifndef RT_COSIM_DESCRIBE_H
#define RT_COSIM_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "asserted.h"
#include "flat.h"

#ifdef __cplusplus
extern "C" {
#endif

enum item_kind {
  ITEM_IN,
  ITEM_OUT,
  ITEM_STATE,
  ITEM_PARAM,
  ITEM_COMBINATIONAL,
  ITEM_ENUM,
  ITEM_QUIET,
  ITEM_DATA,
  ITEM_LOOSE,
  ITEM_END,
  ITEM_REG, /* of the RTL only, as are the next two */
  ITEM_RAM,
  ITEM_PART
};

struct item {
  const char *name; /* ENUM: the names of the values of the item before it; DATA, QUIET, LOOSE: ports */
  enum item_kind kind;
  unsigned width;       /* bits of one element */
  unsigned n;           /* elements; 0: a flat port or register; RAM: depth */
  size_t offset, bytes; /* in the struct of its kind */
  const char *depends;  /* OUT: the inputs of the same cycle that it depends on; NULL: state only */
  long long value;      /* PARAM; RAM: ports */
  struct flat_shape shape;
  int array;                      /* in the RTL an array of n registers, no flat vector */
  size_t stim_offset, stim_bytes; /* IN, STATE: in a stream's file (stim.c) */
};

struct block_desc {
  const char *name;        /* "vc" */
  const char *set;         /* its parameter set; NULL: the block has none by a name */
  const struct item *item; /* in the order of the .def; ITEM_END after the last */
  unsigned items;
  int combinational;
  size_t in_bytes, out_bytes, state_bytes, model_bytes;
  size_t stim_in_bytes, stim_state_bytes;      /* of the inputs of a cycle, of a state, in a stream's file */
  const uint64_t *(*sizes)(const void *model); /* values of its PARAMs; NULL like set */
  /* Widths and dimensions of the items at these values, into a copy of them; NULL like set. */
  void (*items_at)(const uint64_t *sizes, struct item *copy);
  void (*reset)(void *model); /* NULL when combinational, like tick */
  void (*eval)(const void *model, const void *in, void *out);
  void (*tick)(void *model, const void *in);
  uint64_t (*idle)(const void *model); /* declare.h has the contract; NULL when combinational, like skip */
  void (*skip)(void *model, uint64_t n);
  uint64_t (*hold)(const void *model, const void *in); /* 0: it has none */
  size_t control_only;                                 /* offset of control_only in the model */
};

/* One signal for a waveform: where its value is at the moment of a dump. */
struct wave_signal {
  const char *scope, *name;
  unsigned width;
  const uint32_t *value; /* (width + 31) / 32 words */
};
struct wave_list {
  struct wave_signal *s;
  unsigned n;
};

/* The Verilated model. Functions missing in a build (coverage, trace, choose) are NULL. */
struct rtl_api {
  const char *name;
  void *(*create)(unsigned seed); /* seed: for registers without a reset; 0: zeros */
  void (*destroy)(void *r);
  void (*hold)(void *r, int reset);                         /* asserts or releases rst_ni; the clock does not move */
  void (*eval)(void *r, const void *in);                    /* drive, settle */
  void (*tick)(void *r);                                    /* one rising edge with what is driven */
  const struct asserted *(*asserted)(void);                 /* what failed in the last tick, or NULL */
  int (*same)(void *r, const void *out, const void *state); /* every port and register equal? */
  int (*same_out)(void *r, const void *out);                /* ports only */
  void (*sample)(void *r, void *out, void *state);
  void (*inputs)(void *r, void *in);       /* the values of the RTL's input ports */
  void (*set)(void *r, const void *state); /* sets the registers; NULL: they have no names */
  void (*coverage)(void *r, const char *path);
  void (*trace_open)(void *r, const char *path, const struct wave_list *more);
  void (*trace_dump)(void *r, uint64_t time);
  void (*trace_close)(void *r);
  void (*choose)(void *r, unsigned mutant);
  int ports_only; /* its registers have no names that the .def knows: a netlist */
};

extern const struct block_desc block_golden;
extern const struct rtl_api block_rtl;

#ifdef __cplusplus
}
#endif
#endif
