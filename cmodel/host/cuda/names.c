/* SPDX-License-Identifier: Apache-2.0 */
/* names: every function of the driver's interface, so that nothing fails for want of a symbol. Weak: those of stub.c take their place. */
#include "host/cuda/stub.h"

#define NAME(name)    \
  API int name(void); \
  __attribute__((weak)) int name(void) { return stub_tell(); }
#include "host/cuda/exports.def"
