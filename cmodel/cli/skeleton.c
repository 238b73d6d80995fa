/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton: a launch file to begin with, for a PTX file: each entry with its parameters. It runs as it stands
 * where zeros and a length do no harm; a person fills in what the kernels need (docs/use/launch-files.md).
 */
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"

enum { THREADS = 256 };

/* "struct {u64:0, u64:0}": as many members of the parameter's alignment as fill it. */
static void print_struct(const struct param *p, FILE *f) {
  const uint32_t unit = p->align >= 8 ? 8 : p->align ? p->align : 1;
  fprintf(f, "struct {");
  for (uint32_t at = 0; at + unit <= p->size; at += unit) fprintf(f, "%su%u:0", at ? ", " : "", unit * 8);
  fputc('}', f);
}

static bool is_address(const struct param *p) {
  return !p->handle && !p->array && p->size == 8 && !dtype_float(p->type);
}

/* A texture, surface or sampler: an image of two dimensions over `texels`. */
static void print_image(unsigned kind, const char *name, unsigned number, FILE *f) {
  char own[24];
  snprintf(own, sizeof own, "image%u", number);
  if (!name) name = own;
  if (kind == HANDLE_SAMPLER) fprintf(f, "sampler %s filter point wrap clamp coords texels\n", SHOWN(name));
  else
    fprintf(f, "%s %s from texels format r32f size (32, n / 32) array\n",
            kind == HANDLE_SURFACE ? "surface" : "texture", SHOWN(name));
}

/* What references of the module name; *images: the file has some. */
static void print_references(const struct module *m, bool images, FILE *f) {
  if (m->ntexref || images) fprintf(f, "\nbuffer texels f32 n zero\n");
  for (uint32_t k = 0; k < m->ntexref; k++)
    if (m->texref[k].kind != HANDLE_SAMPLER || !m->texref[k].given)
      print_image(m->texref[k].kind, m->texref[k].name, 0, f);
}

static void print_value(const struct param *p, FILE *f) {
  if (p->array) print_struct(p, f);
  else if (dtype_float(p->type)) fprintf(f, "%s:1", dtype_name(p->type));
  else fprintf(f, "%c%u:%s", dtype_signed(p->type) ? 's' : 'u', p->size * 8, p->size >= 4 ? "n" : "0");
}

/* The block that the entry asks for, or one of 256 threads, or fewer if it takes no more. */
static void print_shape(const struct code *c, FILE *f) {
  uint32_t threads = THREADS, most = c->maxntid[0];
  for (unsigned d = 1; d < 3 && c->maxntid[0]; d++) most *= c->maxntid[d] ? c->maxntid[d] : 1;
  if (c->reqntid[0]) {
    const uint32_t *r = c->reqntid;
    threads = r[0];
    fprintf(f, "grid (n + %u) / %u block (%u, %u, %u)", threads - 1, threads, r[0], r[1] ? r[1] : 1, r[2] ? r[2] : 1);
    return;
  }
  if (most && most < threads) threads = most;
  fprintf(f, "grid (n + %u) / %u block %u", threads - 1, threads, threads);
}

static unsigned print_entry(const struct code *c, unsigned buffers, FILE *f) {
  fprintf(f, "\n# %s(", SHOWN(c->name));
  for (uint32_t i = 0; i < c->nparam; i++)
    fprintf(f, "%s%s %s", i ? ", " : "", c->param[i].array ? "struct" : dtype_name(c->param[i].type),
            SHOWN(c->param[i].name));
  fprintf(f, ")\n");
  unsigned b = buffers;
  for (uint32_t i = 0; i < c->nparam; i++) {
    if (is_address(&c->param[i])) fprintf(f, "buffer buf%u u32 n zero\n", b++);
    else if (c->param[i].handle) print_image(c->param[i].handle, NULL, b++, f);
  }
  fprintf(f, "launch %s ", SHOWN(c->name));
  print_shape(c, f);
  if (c->dyn_shared) fprintf(f, " shared 4 * %u", THREADS);
  fprintf(f, " args (");
  b = buffers;
  for (uint32_t i = 0; i < c->nparam; i++) {
    if (i) fprintf(f, ", ");
    if (is_address(&c->param[i])) fprintf(f, "buf%u", b++);
    else if (c->param[i].handle) fprintf(f, "image%u", b++);
    else print_value(&c->param[i], f);
  }
  fprintf(f, ")\n");
  return b;
}

bool skeleton_print(const struct module *m, const char *kernel, const char *path, FILE *f, struct err *e) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  unsigned buffers = 0;
  if (strpbrk(name, "\"\n"))
    return err_at(e, path, 0, 0, "found a quote or a new line in the name, expected one that a launch file can say");
  fprintf(
      f,
      "# A launch file of %s, to be completed: what the buffers hold and how long they are, the values, the\n"
      "# grids, and what is expected. Every 64-bit parameter is taken for the address of a buffer; write\n"
      "# 'local 4 * 256' for one to shared memory, or 'u64:0' for a number. docs/use/launch-files.md has the rest.\n"
      "ptx \"%s\"\nlet n = 1024\n",
      SHOWN(name), SHOWN(name));
  bool images = false;
  for (uint32_t i = 0; i < m->nkernel; i++)
    for (uint32_t k = 0; k < m->kernel[i].nparam; k++) images |= m->kernel[i].param[k].handle != HANDLE_NONE;
  print_references(m, images, f);
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (!kernel || !strcmp(kernel, m->kernel[i].name)) buffers = print_entry(&m->kernel[i], buffers, f);
  fprintf(f, "\n# expect buf0 expr 0                  # every element, computed by the host; i is its index\n");
  return true;
}
