/* SPDX-License-Identifier: Apache-2.0 */
/* builtin: the .conf files of machines/ and systems/, as text inside the program (made by cmodel/make/builtin.sh).
 */
#ifndef RT_CONFIG_BUILTIN_H
#define RT_CONFIG_BUILTIN_H

#include "config/config.h"

struct builtin {
  const char *name, *text;
};
extern const struct builtin builtin_machines[], builtin_systems[]; /* in the order of config.h; end with a NULL name */
extern const struct config_name builtin_machine_names[], builtin_system_names[];

#endif
