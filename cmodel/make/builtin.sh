#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints a C file that holds the configuration files given, as the tables of config/builtin.h: MACHINE.conf... -- SYSTEM.conf...
set -euo pipefail
export LC_ALL=C

table() {   # machine or system, files
  local kind=$1 f
  shift
  printf '\nconst struct builtin builtin_%ss[] = {\n' "$kind"
  for f in "$@"; do
    printf '  {"%s",\n' "$(basename "$f" .conf)"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/   "&\\n"/' "$f"
    printf '  },\n'
  done
  printf '  {0, 0},\n};\n'
  printf '\nconst struct config_name builtin_%s_names[] = {\n' "$kind"
  for f in "$@"; do   # the first line of a file describes it
    printf '  {"%s", "%s", "%s"},\n' "$(basename "$f" .conf)" "$(sed -n -e 's/["\\]//g' -e '1s/^# *//p' "$f")" "$(basename "$(dirname "$f")")"
  done
  printf '  {0, 0, 0},\n};\n'
}

printf '/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by cmodel/make/builtin.sh; not to be edited. */\n'
printf '#include "config/builtin.h"\n'
machines=()
while [ "$1" != -- ]; do
  machines+=("$1")
  shift
done
shift
twice=$(for f in "$@"; do basename "$f" .conf; done | sort -f | uniq -id)
if [ "$twice" ]; then
  printf 'builtin.sh: found two files named %s.conf, expected a name of its own for each system\n' "$twice" >&2
  exit 2
fi
table machine "${machines[@]}"
table system "$@"
