/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: textures, surfaces and samplers of a launch file's run, private to launch/. An array has memory of its own, block-linear;
 * the host works on a copy of it in rows, which is written to the memory before a launch and read from it afterwards.
 */
#ifndef RT_LAUNCH_TEXTURE_H
#define RT_LAUNCH_TEXTURE_H

#include "exec/texture_set.h"
#include "launch/script.h"

struct array_image {
  struct texture at;
  uint8_t *rows; /* of all levels, packed: texels_bytes */
  bool changed;  /* the host has written rows */
  bool surface;  /* kernels may write it */
};
struct texture_name { /* by slot; zeros of other names */
  uint64_t handle;
  uint32_t image; /* 1 + number of the array that its texels are, own or another's; 0: over a buffer */
  uint32_t ref;   /* 1 + number of the module's reference of this name; 0: there is none */
};
struct texture_run {
  struct texture_set set;
  struct textures view; /* of the launch */
  uint64_t *ref;        /* by number of module.texref */
  struct texture_name *name;
  uint64_t *handle; /* by slot, for expressions */
  struct array_image *array;
  uint32_t narray, caparray, names;
};

void texture_run_begin(struct texture_run *r, const struct script *s, const struct module *m);
void texture_run_end(struct texture_run *r);
/* Before the run: the reference of the statement's name is of its kind. */
bool texture_bind(struct texture_run *r, const struct module *m, const struct stmt *s, struct env *v);
/* Executes the statement. An array may move the memory image: *moved. */
bool texture_run(struct texture_run *r, const struct module *m, struct memory *mem, const struct stmt *s, struct env *v,
                 bool *moved);
void texture_changed(struct texture_run *r, uint32_t slot); /* its rows were written */
void texture_swap(struct texture_run *r, uint32_t a, uint32_t b);
/* Before a launch of `c`: arrays are as their rows, references bound. NULL: *e at the place given. */
const struct textures *texture_launch(struct texture_run *r, const struct module *m, struct memory *mem,
                                      const struct code *c, int line, int col, struct env *v);
bool texture_launched(struct texture_run *r, struct memory *mem, struct err *e); /* rows are as the arrays */

/* A PNG file (png.c): width x height texels of the format, packed, freed by the caller; NULL and *e at the place given. A format of 0
 * channels becomes that of the file. */
uint8_t *texture_png(const char *path, struct texture_format *f, uint32_t *width, uint32_t *height, const char *file,
                     int line, int col, struct err *e);
/* The same of its bytes; path: for messages. */
uint8_t *texture_png_of(const void *bytes, size_t n, const char *path, struct texture_format *f, uint32_t *width,
                        uint32_t *height, const char *file, int line, int col, struct err *e);

#endif
