#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints a C file that holds the configuration files given, as the tables of config/builtin.h.
set -euo pipefail
export LC_ALL=C

table() {   # machine or system, files
  local kind=$1 f
  shift
  printf '\nconst struct builtin builtin_%ss[] = {\n' "$kind"
  for f in "$@"; do
    [[ $f == */"$kind"s/*.conf ]] || continue
    printf '  {"%s",\n' "$(basename "$f" .conf)"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/   "&\\n"/' "$f"
    printf '  },\n'
  done
  printf '  {0, 0},\n};\n'
  printf '\nconst struct config_name builtin_%s_names[] = {\n' "$kind"
  for f in "$@"; do   # the first line of a file describes it
    [[ $f == */"$kind"s/*.conf ]] || continue
    printf '  {"%s", "%s"},\n' "$(basename "$f" .conf)" "$(sed -n -e 's/["\\]//g' -e '1s/^# *//p' "$f")"
  done
  printf '  {0, 0},\n};\n'
}

printf '/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tests/builtin.sh; not to be edited. */\n'
printf '#include "config/builtin.h"\n'
table machine "$@"
table system "$@"
