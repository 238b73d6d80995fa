/* SPDX-License-Identifier: Apache-2.0 */
/* launch: what a function's attributes allow a launch. */
#ifndef RT_CUDART_LAUNCH_H
#define RT_CUDART_LAUNCH_H

#include "host/cudart/runtime.h"

/* Most bytes of dynamic shared memory of a launch: what the program has set, or what 48 KB leave beside the static ones (function.c). */
uint64_t rt_max_dynamic(const struct function *f, const struct device_about *about);

#endif
