/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_env: the settings of a thread on which arithmetic and text depend: the control words of the floating-point unit
 * (rounding, subnormals as zero, traps) and the locale. The thread of a host program may have them in any state, e.g. by
 * -ffast-math, fesetround, feenableexcept or setlocale. A library's results must not depend on them.
 *
 * Every function that a host program calls enters first and leaves last. In between, arithmetic is IEEE 754's, rounded to
 * nearest even, without traps, and strtod, printf and all libraries read and write numbers as in the locale "C". Around
 * a callback of the host program a function leaves and enters again, so that the callback finds its own settings, and
 * can change them. Entries nest: only the outermost pair saves and restores. A new thread enters before it works.
 */
#ifndef RT_BASE_HOST_ENV_H
#define RT_BASE_HOST_ENV_H

/* Saves the settings of this thread and sets ours. */
void host_env_enter(void);
/* Restores them, with the exception flags as they were. */
void host_env_leave(void);

/* From here to the end of the block. */
#define HOST_ENV_ENTERED() \
  __attribute__((cleanup(host_env_end), unused)) const char host_env_entered_ = (host_env_enter(), 0)
static inline void host_env_end(const char *entered) {
  (void)entered;
  host_env_leave();
}

#endif
