/* SPDX-License-Identifier: Apache-2.0 */
/* bytes: see bytes.h. */
#define _GNU_SOURCE /* mincore, process_vm_readv */
#include "host/cudart/bytes.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "host/cudart/chunks.h"
#include "host/cudart/managed.h"

/* ---- constant variables ---- */

/* The 64 KB of each module's bank, at addresses that no x86-64 or AArch64 program has (bit 56 alone): 2^56 + the module's number here
 * x 65536 + the offset. */
enum { BANK_SHIFT = 16, BANK = 1 << BANK_SHIFT };
#define CONSTANT_BASE ((uintptr_t)1 << 56)

static struct {
  struct device_module **module;
  unsigned n, cap, generation;
} banks;

static void renew_banks(void) {
  if (banks.generation != rt_generation()) banks.n = 0;
  banks.generation = rt_generation();
}

static unsigned bank_of_module(struct device_module *m) {
  renew_banks();
  for (unsigned i = 0; i < banks.n; i++)
    if (banks.module[i] == m) return i;
  VEC_PUSH(banks.module, banks.n, banks.cap) = m;
  return banks.n - 1;
}

void rt_forget(const struct device_module *m) {
  for (unsigned i = 0; i < banks.n; i++)
    if (banks.module[i] == m) banks.module[i] = NULL;
}

void *rt_address(const struct rt_place *v) {
  if (!v->constant) return (void *)(uintptr_t)v->addr;
  return (void *)(CONSTANT_BASE + ((uintptr_t)bank_of_module(v->module) << BANK_SHIFT) + v->addr);
}

static uint8_t *constant_bytes(uintptr_t a, size_t n) {
  renew_banks();
  uintptr_t bank = (a - CONSTANT_BASE) >> BANK_SHIFT;
  if (a < CONSTANT_BASE || bank >= banks.n || !banks.module[bank] || n > BANK) return NULL;
  return device_constant(banks.module[bank], (uint32_t)(a & (BANK - 1)), (uint32_t)n);
}

/* ---- pointers ---- */

static uint8_t *device_bytes(uintptr_t a, size_t n) {
  uint8_t *constant = constant_bytes(a, n);
  return constant ? constant : device_at(rt_device(), a, n);
}

/* The byte can be read. Where a sandbox forbids the first call, a page that is there counts, even one without rights. */
static bool byte_is_readable(uintptr_t a) {
  uint8_t byte, resident;
  const struct iovec to = {&byte, 1}, from = {(void *)a, 1}; /* NOLINT(performance-no-int-to-ptr) */
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1) return true;
  if (errno == EFAULT) return false;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return mincore((void *)(a & ~(page - 1)), 1, &resident) == 0;
}

/* Only the ends are looked at: that finds device pointers and rubbish, and costs little. */
static uint8_t *host_bytes(uintptr_t a, size_t n) {
  if (a + n - 1 < a || !byte_is_readable(a) || !byte_is_readable(a + n - 1)) return NULL;
  return (uint8_t *)a; /* NOLINT(performance-no-int-to-ptr): the program's own pointer */
}

bool rt_on_device(const void *p) {
  uintptr_t a = (uintptr_t)p;
  uint32_t base, bytes;
  return constant_bytes(a, 1) || device_span(rt_device(), a, &base, &bytes);
}

uint8_t *rt_bytes(const void *p, size_t n, enum side side) {
  uintptr_t a = (uintptr_t)p;
  uint8_t *device = device_bytes(a, n);
  if (device && side != SIDE_HOST)
    return device; /* first, since without a mapped image the host may have the same address */
  const struct chunk *c = chunk_of(p);
  if (c && (c->kind == CHUNK_MANAGED || c->kind == CHUNK_MAPPED)) return device;
  bool all = c && n <= c->bytes - (a - c->at);
  if (c && c->kind == CHUNK_HOST) return all ? (uint8_t *)a : NULL;
  if (side == SIDE_DEVICE) return all ? (uint8_t *)a : NULL; /* registered memory: kernels may get it, on a GPU */
  if (side == SIDE_ANY && rt_on_device(p)) return NULL;
  if (device_is_mapped(rt_device()) && rt_on_device(p)) return managed_range(p, n) ? device : NULL;
  return host_bytes(a, n);
}

/* Addresses of the host are not printed: they differ from run to run. */
cudaError_t rt_no_bytes(const char *what, const void *p, size_t n, enum side side) {
  const cudaError_t e = cudaErrorInvalidValue;
  uint32_t base, bytes;
  if (!p) return rt_error(e, rt_call(), "the %s is NULL", what);
  bool buffer = device_span(rt_device(), (uintptr_t)p, &base, &bytes);
  if (buffer && n > bytes - ((uintptr_t)p - base))
    return rt_error(e, rt_call(),
                    "the %s: found %zu bytes from device address 0x%lx, expected up to %lu: the buffer at 0x%x has %u",
                    what, n, (unsigned long)(uintptr_t)p, (unsigned long)(bytes - ((uintptr_t)p - base)), base, bytes);
  if (buffer || rt_on_device(p))
    return rt_error(e, rt_call(), "the %s: found a device address, expected a host address", what);
  if (side != SIDE_DEVICE)
    return rt_error(e, rt_call(), "the %s: found an address at which the program has no memory for %zu bytes", what, n);
  if ((uintptr_t)p > UINT32_MAX)
    return rt_error(e, rt_call(), "the %s: found a host address, expected a device address", what);
  return rt_error(e, rt_call(), "the %s: found device address 0x%lx, where there is no buffer", what,
                  (unsigned long)(uintptr_t)p);
}

cudaError_t rt_sides(unsigned kind, enum side *dst, enum side *src) {
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  bool any = kind == cudaMemcpyDefault;
  *dst = any ? SIDE_ANY : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? SIDE_DEVICE : SIDE_HOST;
  *src = any ? SIDE_ANY : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? SIDE_DEVICE : SIDE_HOST;
  return cudaSuccess;
}

cudaError_t rt_other_side(unsigned kind, unsigned wrong, enum side *out) {
  if (kind > cudaMemcpyDefault || kind == wrong || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  *out = kind == cudaMemcpyDefault ? SIDE_ANY : kind == cudaMemcpyDeviceToDevice ? SIDE_DEVICE : SIDE_HOST;
  return cudaSuccess;
}

cudaError_t rt_area(size_t pitch, size_t width, size_t rows, size_t *whole) {
  if (width > pitch && rows > 1) return cudaErrorInvalidPitchValue;
  size_t before;
  if (__builtin_mul_overflow(pitch, rows - 1, &before) || __builtin_add_overflow(before, width, whole))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t rt_allocate(size_t bytes, void **out) {
  enum { ALIGN = 256 };
  struct err e = {0};
  uint32_t addr = 0;
  enum device_status status = device_alloc(rt_device(), bytes, ALIGN, &addr, &e);
  if (status) return rt_status(status, rt_call(), &e);
  *out = (void *)(uintptr_t)addr;
  return cudaSuccess;
}
