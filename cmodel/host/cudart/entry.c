/* SPDX-License-Identifier: Apache-2.0 */
/* entry: calls that ask for what lies below the runtime, which is not here: the driver's functions, and private tables. */
#include "host/cudart/runtime.h"

static cudaError_t no_driver(const char *symbol, void **function) {
  if (function) *function = NULL;
  return rt_error(cudaErrorNotSupported, rt_call(),
                  "no driver function '%s': there is no CUDA driver below this runtime", symbol ? symbol : "");
}

#if CUDART_VERSION >= 12000
enum { ENTRY_NOT_FOUND = 1 }; /* cudaDriverEntryPointSymbolNotFound */

API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *found) {
  (void)flags;
  if (found) *found = ENTRY_NOT_FOUND;
  return RT_HOST(no_driver(symbol, function));
}
API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                 unsigned long long flags, int *found) {
  (void)version, (void)flags;
  if (found) *found = ENTRY_NOT_FOUND;
  return RT_HOST(no_driver(symbol, function));
}
ALIAS(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz)
#else
API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags) {
  (void)flags;
  return RT_HOST(no_driver(symbol, function));
}
#endif
ALIAS(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz)

static cudaError_t no_table(const void **table) {
  if (table) *table = NULL;
  return rt_error(cudaErrorNotSupported, rt_call(), "the runtime's private tables are not there");
}
API cudaError_t cudaGetExportTable(const void **table, const void *id) {
  (void)id;
  return RT_HOST(no_table(table));
}
