#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What editors get: ctags finds every hook, every function by which a choice reaches its blocks, once, and every function of the program, those
# that macros make, too; compile_commands.json has a command for each source, which compiles it.
# needs: binary
. "$(dirname "$0")/../lib.sh"

# In copies of the two files: a developer's own stay as they are.
for f in tags compile_commands.json; do [ ! -f $f ] || cp -p $f "$tmp/kept-$f"; done
restore() { for f in tags compile_commands.json; do if [ -f "$tmp/kept-$f" ]; then cp -p "$tmp/kept-$f" $f; else rm -f $f; fi; done; rm -rf "$tmp"; }
trap restore EXIT
check 'make tags' make tags
cut -f 1,2 tags | grep -v '^!' | LC_ALL=C sort -u >"$tmp/tags"

# The names as the lists have them: SLOT_HOOK of slot.def, BLOCK_set, _load and _get of each TWIN line of a system.def.
awk -F '[(,]' '/^ *SLOT\(/ { slot = $2 } /^#define EVERY_SLOT/ { every = 1 }
  /^ *(HOOK|MUST)\(/ { gsub(/ /, "", $3); if (every) all[++n] = $3; else print slot "_" $3 }
  every && !/\\$/ { every = 0 } /^EVERY_SLOT\(/ { slot = $2; sub(/\).*/, "", slot); for (i = 1; i <= n; i++) print slot "_" all[i] }' cmodel/sm/slot.def >"$tmp/hooks"
sed -nE 's/^TWIN\([a-z]+, ([a-z0-9_]+), .*/\1/p' cmodel/systems/*/system.def | sort -u | sed -E 's/(.*)/\1_set\n\1_load\n\1_get/' >"$tmp/accessors"
check 'hooks are many' test "$(wc -l <"$tmp/hooks")" -gt 60
check 'accessors are many' test "$(wc -l <"$tmp/accessors")" -gt 50
missing() {   # file of names, folder in which each is found
  while read -r name; do grep -qP "^$name\t$2" "$tmp/tags" || echo "$name"; done <"$1"
}
none() { if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi; }
none 'every hook is found' "$(missing "$tmp/hooks" 'build/gen/hooks\.h')"
none 'every accessor is found' "$(missing "$tmp/accessors" 'build/gen/nets/')"
echo storage_no_such_hook >"$tmp/wrong"
equal 'and one that is none is not' "$(missing "$tmp/wrong" '')" storage_no_such_hook

# What the linker has; names with a point are parts that the compiler cut off. The C library's start files have functions of their own.
started='^(_init|_fini|_start|_dl_relocate_static_pie|(de)?register_tm_clones|__do_global_dtors_aux|frame_dummy|__libc_csu_(init|fini))$'
nm build/regtwin | awk '$2 ~ /^[tT]$/ { sub(/\..*/, "", $3); print $3 }' | grep -vE "$started" | sort -u >"$tmp/linked"
check 'functions are many' test "$(wc -l <"$tmp/linked")" -gt 3000
awk -F '\t' '!/^!/ && /;"\tf/ { print $1 }' tags | sort -u >"$tmp/functions"
none 'every function of the program is found' "$(comm -23 "$tmp/linked" "$tmp/functions")"
equal 'one that a macro makes' "$(grep -cP '^setp_f16_ftz_gtu\tcmodel/exec/alu_compare\.c\t[0-9]+;"\tf$' tags)" 1
for place in ctl_sim_begin:tb/linebacker rmu_accept_command:tb/finereg alu_pick_minmax:cmodel/exec/alu_minmax.c; do
  equal "one after a macro without ;: ${place%%:*}" "$(grep -cP "^${place%%:*}\t${place#*:}[^\t]*\t[0-9]+;\"\tf\$" tags)" 1
done
none 'the macro itself is no function' "$(grep -P '^(ALU_FN|ROW[123])\t.*;"\tf' tags)"

check 'make compile_commands.json' make compile_commands.json
check 'it is JSON' jq -e 'type == "array"' compile_commands.json
jq -r '.[].file' compile_commands.json | sort >"$tmp/listed"
none 'every source of the program is in it' "$(find cmodel -name '*.c' | sort | comm -23 - "$tmp/listed")"
none 'none twice' "$(uniq -d "$tmp/listed")"
command=$(jq -r '.[] | select(.file == "cmodel/sm/cycle.c") | .command' compile_commands.json)
command=${command/ -MMD -MP/}
check 'its commands compile' bash -c "cd \"\$1\" && ${command% -o *} -fsyntax-only" - "$(jq -r '.[0].directory' compile_commands.json)"
