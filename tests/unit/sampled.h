/* SPDX-License-Identifier: Apache-2.0 */
/* sampled: which of many alike inputs a test takes: all of them, but under sanitizers, where each takes four times as long, every third. */
#ifndef RT_UNIT_SAMPLED_H
#define RT_UNIT_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>

#if defined __SANITIZE_ADDRESS__ /* gcc */
enum { ONE_OF = 3 };
#elif defined __has_feature
#if __has_feature(address_sanitizer) /* clang */
enum { ONE_OF = 3 };
#else
enum { ONE_OF = 1 };
#endif
#else
enum { ONE_OF = 1 };
#endif

static inline bool sampled(size_t i) { return i % ONE_OF == 0; }

#endif
