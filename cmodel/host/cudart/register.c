/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register: what a program's constructors and a library's announce: fat binaries, and the functions and variables in them. PTX is
 * loaded when one of them is first used, so that nothing but this list is made before main. The calls are those of nvcc's
 * crt/host_runtime.h and crt/link.stub, and of clang.
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashtab.h"
#include "base/text.h"
#include "host/cudart/fatbin.h"
#include "host/cudart/link.h"
#include "host/cudart/reference.h"
#include "host/cudart/runtime.h"

enum { WRAPPER_PLAIN = 1, WRAPPER_LINKED = 2 };
struct wrapper { /* what __cudaRegisterFatBinary is given */
  uint32_t magic, version;
  const void *data;
  const void *const *linked; /* version 2: the fat binaries of the objects that were linked; the last is NULL */
};

struct variable {
  const void *host; /* address of the host's variable; NULL for a managed one */
  void **managed;   /* the host's pointer to a managed one */
  const char *name; /* in the PTX */
  size_t size;      /* bytes */
  void *stand_in;   /* what *managed points to where device memory is not mapped */
  struct binary *binary;
};
struct binary {        /* from one wrapper */
  char name[120];      /* for messages: of the program or library, and a number from its second on */
  const void **object; /* fat binaries: one, or those of the objects that were linked */
  unsigned objects, object_room;
  struct device_module *module; /* of all of them; good while generation is the session's */
  unsigned generation, target;
  cudaError_t error; /* it cannot be loaded, and this was told */
  struct function **function;
  unsigned functions, function_room;
  struct variable **variable;
  unsigned variables, variable_room;
  bool has_managed;
};

static struct {
  struct binary **binary;
  unsigned binaries, room;
  struct hashtab functions, variables; /* by the host's address; functions also by their own */
} all;

/* ---- a fat binary's place ---- */

struct segment {
  uintptr_t at;
  size_t bytes; /* from `at` to the end of its segment */
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *ctx) {
  (void)size;
  struct segment *s = ctx;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + h->p_vaddr;
    if (h->p_type != PT_LOAD || s->at < begin || s->at - begin >= h->p_memsz) continue;
    s->bytes = h->p_memsz - (s->at - begin);
    return 1;
  }
  return 0;
}

/* The bytes that can be read at p: to the end of its segment, or unknown for what lies on the heap. */
static size_t bytes_at(const void *p) {
  struct segment s = {.at = (uintptr_t)p, .bytes = SIZE_MAX};
  dl_iterate_phdr(find_segment, &s);
  return s.bytes;
}

static void name_binary(struct binary *b, const void *wrapper) {
  Dl_info info = {0};
  const char *path = dladdr(wrapper, &info) && info.dli_fname ? info.dli_fname : "fatbin";
  snprintf(b->name, sizeof b->name, "%.100s", path_name(path));
  unsigned same = 1;
  size_t n = strlen(b->name);
  for (unsigned i = 0; i < all.binaries; i++) {
    const char *other = all.binary[i]->name;
    same += strncmp(other, b->name, n) == 0 && (!other[n] || other[n] == '#');
  }
  if (same > 1) snprintf(b->name + n, sizeof b->name - n, "#%u", same);
}

/* ---- loading ---- */

static bool binary_is_loaded(const struct binary *b) { return b->module && b->generation == rt_generation(); }

static cudaError_t fatbin_error(const struct binary *b, enum fatbin_status status, const struct err *e) {
  cudaError_t code = status == FATBIN_NO_PTX    ? cudaErrorNoKernelImageForDevice
                     : status == FATBIN_DAMAGED ? cudaErrorInvalidKernelImage
                                                : cudaErrorMemoryAllocation;
  return rt_error(code, b->name, "%s", e->text);
}

/* What the host knows: these names must be in the text. */
static char *binary_link_objects(const struct binary *b, const struct link_text *text, unsigned n, size_t *size) {
  const char **name = xcalloc(b->functions + b->variables + 1, sizeof *name);
  unsigned names = 0;
  for (unsigned i = 0; i < b->functions; i++) name[names++] = b->function[i]->name;
  for (unsigned i = 0; i < b->variables; i++) name[names++] = b->variable[i]->name;
  char *out = link_ptx(text, n, name, names, size);
  free(name);
  return out;
}

/* Of linked objects, as one text. Some may be without PTX, such as libraries, of which nothing is used. */
static cudaError_t read_linked(const struct binary *b, struct fatbin_ptx *out) {
  cudaError_t error = cudaSuccess;
  struct err e, none = {0};
  struct fatbin_ptx *ptx = xcalloc(b->objects, sizeof *ptx);
  struct link_text *text = xcalloc(b->objects, sizeof *text);
  unsigned n = 0;
  for (unsigned i = 0; i < b->objects && !error; i++) {
    e = (struct err){0};
    enum fatbin_status status = fatbin_read(b->object[i], bytes_at(b->object[i]), &ptx[n], &e);
    if (status == FATBIN_OK) text[n] = (struct link_text){ptx[n].text, ptx[n].n}, n++;
    else if (status != FATBIN_NO_PTX) error = fatbin_error(b, status, &e);
    else if (!none.set) none = e;
  }
  if (!error && !n) error = fatbin_error(b, FATBIN_NO_PTX, &none);
  *out = (struct fatbin_ptx){.target = ptx[0].target};
  if (!error) out->text = binary_link_objects(b, text, n, &out->n);
  if (!error && !out->text) error = rt_error(cudaErrorMemoryAllocation, b->name, "no memory for its PTX");
  for (unsigned i = 0; i < b->objects; i++) free(ptx[i].text);
  free(ptx);
  free(text);
  return error;
}

/* The PTX of a binary. */
static cudaError_t read_ptx(const struct binary *b, struct fatbin_ptx *out) {
  struct err e = {0};
  if (b->objects == 1) {
    enum fatbin_status status = fatbin_read(b->object[0], bytes_at(b->object[0]), out, &e);
    return status == FATBIN_OK ? cudaSuccess : fatbin_error(b, status, &e);
  }
  return read_linked(b, out);
}

static cudaError_t load_module(struct binary *b) {
  struct err e = {0};
  struct fatbin_ptx ptx;
  if ((b->error = read_ptx(b, &ptx))) return b->error;
  char name[140];
  snprintf(name, sizeof name, "%s.ptx", b->name);
  enum device_status status = device_load(rt_device(), name, ptx.text, ptx.n, &b->module, &e);
  free(ptx.text);
  if (status != DEVICE_OK) {
    b->module = NULL;
    cudaError_t error = rt_status(status, b->name, &e);
    return status == DEVICE_NO_MEMORY ? error : (b->error = error);
  }
  b->generation = rt_generation();
  b->target = ptx.target;
  return cudaSuccess;
}

/* A managed variable that the device does not share: the host has bytes of its own, so that its accesses do not fail. */
static void stand_in(struct variable *v, const uint8_t *initial, size_t size) {
  if (!v->stand_in) v->stand_in = xcalloc(1, v->size > size ? v->size : size + 1);
  if (initial) memcpy(v->stand_in, initial, size);
  *v->managed = v->stand_in;
}

/* Points the host's pointers to the managed variables. */
static void place_managed(struct binary *b) {
  for (unsigned i = 0; i < b->variables; i++) {
    struct variable *v = b->variable[i];
    struct device_variable d;
    if (!v->managed || !device_find_variable(b->module, v->name, &d) || d.constant) continue;
    if (device_is_mapped(rt_device())) {
      *v->managed = (void *)(uintptr_t)d.addr;
      continue;
    }
    rt_set_last_error(rt_error(
        cudaErrorNotSupported, b->name,
        "the __managed__ variable %s is not shared with the device: start the program with 'regtwin host'", v->name));
    stand_in(v, device_at(rt_device(), d.addr, d.size), d.size);
  }
}

static cudaError_t binary_load(struct binary *b) {
  if (binary_is_loaded(b) || b->error) return b->error;
  cudaError_t e = load_module(b);
  if (!e && b->has_managed) place_managed(b);
  return e;
}

/* ---- look-ups ---- */

cudaError_t rt_module(struct binary *b, struct device_module **out) {
  cudaError_t e = binary_load(b);
  if (!e) *out = b->module;
  return e;
}

static void map_address(struct hashtab *map, const void *key, void *value) {
  hashtab_add(map, (uintptr_t)key, (uintptr_t)value);
}

/* NULL: none. */
static void *mapped_address(const struct hashtab *map, const void *key) {
  const uint64_t v = hashtab_find(map, (uintptr_t)key);
  return v == HASHTAB_NONE ? NULL : (void *)(uintptr_t)v;
}

struct function *rt_function(const void *host) {
  return mapped_address(&all.functions, host);
}

cudaError_t rt_kernel(struct function *f, struct device_kernel **out) {
  struct binary *b = f->binary;
  cudaError_t e = binary_load(b);
  if (e) return e;
  if (!f->kernel || f->generation != rt_generation()) f->kernel = device_find_kernel(b->module, f->name);
  f->generation = rt_generation();
  f->target = b->target;
  *out = f->kernel;
  return *out ? cudaSuccess : rt_error(cudaErrorInvalidDeviceFunction, b->name, "its PTX has no kernel '%s'", f->name);
}

/* A variable's host address; for a managed one, its pointer or where this points to. */
static struct variable *find_variable(const void *symbol) {
  struct variable *v = mapped_address(&all.variables, symbol);
  if (v || !symbol) return v;
  for (unsigned i = 0; i < all.binaries; i++)
    for (unsigned j = 0; all.binary[i]->has_managed && j < all.binary[i]->variables; j++) {
      v = all.binary[i]->variable[j];
      if (v->managed && *v->managed == symbol) return v;
    }
  return NULL;
}

static cudaError_t no_variable(const struct binary *b, const char *name) {
  const struct err *why = device_variable_refused(b->module, name);
  char text[1200];
  if (!why) return rt_error(cudaErrorInvalidSymbol, b->name, "its PTX has no variable '%s'", name);
  err_format(why, text, sizeof text);
  return rt_error(cudaErrorInvalidSymbol, b->name, "the variable '%s' is not supported: %s", name, text);
}

cudaError_t rt_symbol(const void *symbol, struct rt_place *out) {
  struct variable *v = find_variable(symbol);
  if (!v) return cudaErrorInvalidSymbol;
  struct binary *b = v->binary;
  struct device_variable d;
  cudaError_t e = binary_load(b);
  if (e) return e;
  if (!device_find_variable(b->module, v->name, &d)) return no_variable(b, v->name);
  *out = (struct rt_place){v->name, b->module, d.constant, v->managed != NULL, d.addr, d.size};
  return cudaSuccess;
}

unsigned rt_ptx_target(void) {
  unsigned most = 0;
  for (unsigned i = 0; i < all.binaries; i++) {
    const void *data = all.binary[i]->object[0]; /* of linked ones: the last may be a library for another target */
    unsigned t = data ? fatbin_target(data, bytes_at(data)) : 0;
    if (t > most) most = t;
  }
  return most;
}

/* ---- registration ---- */

static void add_object(struct binary *b, const void *data) { VEC_PUSH(b->object, b->objects, b->object_room) = data; }

/* Linked objects (nvcc -rdc=true): machine code that nvlink made, and the fat binary of each object. Only these have PTX, unless the
 * first was made otherwise. */
static void add_objects(struct binary *b, const struct wrapper *w) {
  bool linked = w->version == WRAPPER_LINKED && w->linked && !fatbin_target(w->data, bytes_at(w->data));
  for (unsigned i = 0; linked && w->linked[i]; i++) add_object(b, w->linked[i]);
  if (!b->objects) add_object(b, w->data);
}

static void **register_binary(const struct wrapper *w) {
  struct binary *b = xcalloc(1, sizeof *b);
  name_binary(b, w);
  VEC_PUSH(all.binary, all.binaries, all.room) = b;
  bool good = w && w->magic == FATBIN_WRAPPER && w->data;
  if (good && (w->version == WRAPPER_PLAIN || w->version == WRAPPER_LINKED)) add_objects(b, w);
  else {
    add_object(b, NULL);
    b->error =
        rt_error(cudaErrorInvalidKernelImage, b->name, "__cudaRegisterFatBinary: no fat binary of version 1 or 2");
  }
  return (void **)b;
}

static struct binary *find_binary(void **handle, const char *call) {
  for (unsigned i = all.binaries; i--;)
    if (all.binary[i] == (struct binary *)handle) return all.binary[i];
  rt_error(cudaErrorInvalidResourceHandle, call, "no fat binary has this handle");
  return NULL;
}

static void map_binary(struct binary *b) {
  for (unsigned i = 0; i < b->functions; i++) {
    map_address(&all.functions, b->function[i]->host, b->function[i]);
    map_address(&all.functions, b->function[i], b->function[i]);
  }
  for (unsigned i = 0; i < b->variables; i++)
    map_address(&all.variables, b->variable[i]->managed ? (void *)b->variable[i]->managed : b->variable[i]->host,
                b->variable[i]);
}

static void free_binary(struct binary *b) {
  rt_drop_references(b);
  if (rt_device() && binary_is_loaded(b)) {
    rt_forget(b->module);
    device_unload(b->module);
  }
  for (unsigned i = 0; i < b->functions; i++) free(b->function[i]);
  for (unsigned i = 0; i < b->variables; i++) {
    free(b->variable[i]->stand_in);
    free(b->variable[i]);
  }
  free(b->object);
  free(b->function);
  free(b->variable);
  free(b);
}

/* The maps are made again, since another binary may have the same function (an instance of a template). */
static void binary_unregister(struct binary *b) {
  unsigned i = 0;
  while (all.binary[i] != b) i++;
  memmove(all.binary + i, all.binary + i + 1, (--all.binaries - i) * sizeof *all.binary);
  free_binary(b);
  hashtab_free(&all.functions);
  hashtab_free(&all.variables);
  for (i = 0; i < all.binaries; i++) map_binary(all.binary[i]);
  if (all.binaries) return;
  free(all.binary);
  all.binary = NULL;
  all.room = 0;
}

static void add_variable(struct binary *b, const struct variable *v) {
  struct variable *copy = xmalloc(sizeof *copy);
  *copy = *v;
  copy->binary = b;
  VEC_PUSH(b->variable, b->variables, b->variable_room) = copy;
  map_address(&all.variables, v->managed ? (void *)v->managed : v->host, copy);
  b->has_managed |= v->managed != NULL;
}

API void **__cudaRegisterFatBinary(void *wrapper) {
  rt_lock();
  void **handle = register_binary(wrapper);
  rt_unlock();
  return handle;
}

API void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

API void __cudaUnregisterFatBinary(void **handle) {
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaUnregisterFatBinary");
  if (b) binary_unregister(b);
  rt_unlock();
}

API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                                void *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaRegisterFunction");
  if (b && host && name) {
    struct function *f = xcalloc(1, sizeof *f);
    *f = (struct function){.host = host, .name = name, .binary = b};
    VEC_PUSH(b->function, b->functions, b->function_room) = f;
    map_address(&all.functions, host, f);
    map_address(&all.functions, f, f);
  }
  rt_unlock();
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                           int constant, int global) {
  (void)device, (void)external, (void)constant, (void)global;
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaRegisterVar");
  if (b && host && name) add_variable(b, &(struct variable){.host = host, .name = name, .size = size});
  rt_unlock();
}

API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                                  int constant, int global) {
  (void)device, (void)external, (void)constant, (void)global;
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaRegisterManagedVar");
  if (b && host && name) add_variable(b, &(struct variable){.managed = host, .name = name, .size = size});
  rt_unlock();
}

API void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
                               int norm, int external) {
  (void)device, (void)dim, (void)external;
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaRegisterTexture");
  if (b && host && name) rt_add_reference(b, host, name, HANDLE_TEXTURE, norm != 0);
  rt_unlock();
}

API void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim,
                               int external) {
  (void)device, (void)dim, (void)external;
  rt_lock();
  struct binary *b = find_binary(handle, "__cudaRegisterSurface");
  if (b && host && name) rt_add_reference(b, host, name, HANDLE_SURFACE, false);
  rt_unlock();
}

API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
  (void)handle, (void)name, (void)host, (void)size;
}

/* Called before the host's first access to a managed variable; again until it gives something else than 0. */
API char __cudaInitModule(void **handle) {
  cudaError_t status = rt_begin(true);
  struct binary *b = find_binary(handle, __func__);
  if (!status && b && b->has_managed) status = binary_load(b);
  for (unsigned i = 0; b && i < b->variables; i++)
    if (b->variable[i]->managed && !*b->variable[i]->managed) stand_in(b->variable[i], NULL, 0);
  rt_end(status, NULL);
  return 1;
}
