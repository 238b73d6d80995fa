#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What editors get: ctags finds every hook and every function by which a choice reaches its blocks as one function, and every function of the
# program, those that macros make, too; compile_commands.json has one command for each source of the tree. Of each folder, the first one's compiles it.
# needs: binary
. "$(dirname "$0")/../lib.sh"

# In copies of the two files: a developer's own stay as they are.
for f in tags compile_commands.json; do [ ! -f $f ] || cp -p $f "$tmp/kept-$f"; done
restore() { for f in tags compile_commands.json; do if [ -f "$tmp/kept-$f" ]; then cp -p "$tmp/kept-$f" $f; else rm -f $f; fi; done; rm -rf "$tmp"; }
trap restore EXIT
check 'make tags' make tags

# The names as the lists have them: SLOT_HOOK of slot.def, BLOCK_set, _load and _get of each TWIN line of a system.def.
awk -F '[(,]' '/^ *SLOT\(/ { slot = $2 } /^#define EVERY_SLOT/ { every = 1 }
  /^ *(HOOK|MUST)\(/ { gsub(/ /, "", $3); if (every) all[++n] = $3; else print slot "_" $3 }
  every && !/\\$/ { every = 0 } /^EVERY_SLOT\(/ { slot = $2; sub(/\).*/, "", slot); for (i = 1; i <= n; i++) print slot "_" all[i] }' cmodel/sm/slot.def >"$tmp/hooks"
sed -nE 's/^TWIN\([a-z]+, ([a-z0-9_]+), .*/\1/p' cmodel/systems/*/system.def | sort -u | sed -E 's/(.*)/\1_set\n\1_load\n\1_get/' >"$tmp/accessors"
check 'hooks are many' test "$(wc -l <"$tmp/hooks")" -gt 60
check 'accessors are many' test "$(wc -l <"$tmp/accessors")" -gt 50
missing() {   # file of names, folder: those that are not the name of one function, which is there
  awk -F '\t' -v names="$1" -v folder="^$2" 'BEGIN { while ((getline name <names) > 0) wanted[name] }
    /;"\tf/ && $1 in wanted { n[$1]++; if ($2 ~ folder) here[$1] }
    END { for (name in wanted) if (n[name] != 1 || !(name in here)) print name }' tags | sort
}
none() { if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi; }
none 'every hook is found, once' "$(missing "$tmp/hooks" 'build/gen/hooks.h')"
none 'every accessor is found, once' "$(missing "$tmp/accessors" 'build/gen/nets/')"
printf '%s\n' storage_no_such_hook main storage_result >"$tmp/wrong"
equal 'one that is none is not, nor one that there are several of' "$(missing "$tmp/wrong" build/gen/ | xargs)" 'main storage_no_such_hook'

# What the compiler has made of the program's sources; names with a point are parts that it cut off. With other options (make coverage-c) there are
# functions of its own and of jansson's header, too.
find build/obj/cli -name '*.o' -print0 | xargs -0 nm build/libregtwin.a |
  awk '$2 ~ /^[tT]$/ { sub(/\..*/, "", $3); print $3 }' | grep -vE '^(_sub_[DI]_[0-9_]+|json_(inc|dec)ref)$' | sort -u >"$tmp/linked"
check 'functions are many' test "$(wc -l <"$tmp/linked")" -gt 3000
awk -F '\t' '!/^!/ && /;"\tf/ { print $1 }' tags | sort -u >"$tmp/functions"
none 'every function of the program is found' "$(comm -23 "$tmp/linked" "$tmp/functions")"
equal 'one that a macro makes' "$(grep -cP '^setp_f16_ftz_gtu\tcmodel/exec/alu_compare\.c\t[0-9]+;"\tf$' tags)" 1
equal 'one that declare.h makes for a block' "$(grep -cP '^ccu_defaults\tcmodel/blocks/declare\.h\t[0-9]+;"\tf$' tags)" 1
for place in ctl_sim_begin:tb/linebacker rmu_accept_command:tb/finereg alu_pick_minmax:cmodel/exec/alu_minmax.c; do
  equal "one after a macro without ;: ${place%%:*}" "$(grep -cP "^${place%%:*}\t${place#*:}[^\t]*\t[0-9]+;\"\tf\$" tags)" 1
done
none 'the macro itself is no function' "$(grep -P '^(ALU_FN|ROW[123])\t.*;"\tf' tags)"

check 'make compile_commands.json' make compile_commands.json
check 'it is JSON' jq -e 'type == "array"' compile_commands.json
jq -r '.[].file' compile_commands.json | sort >"$tmp/listed"
# Not in it: a program that tests/cli/traceg.sh compiles, and the block demo, a tree of its own. Elsewhere: other languages.
sources() { find "$@" \( -name '*.c' -o -name '*.cpp' \) ! -path tests/cli/traceg_check.c ! -path 'tests/cosim/*/demo/*' | sort; }
twins='cosim synth tb tests/cosim'
check 'sources are many' test "$(sources cmodel tests/unit tests/fuzz tests/host | wc -l)" -gt 600
none 'every source of the program and of its tests is in it' "$(sources cmodel tests/unit tests/fuzz tests/host | comm -23 - "$tmp/listed")"
if command -v "${VERILATOR:-verilator}" >/dev/null; then
  # shellcheck disable=SC2086
  none 'every source of the twins is in it' "$(sources $twins | comm -23 - "$tmp/listed")"
else
  skip 'every source of the twins is in it' 'no Verilator'
fi
none 'none twice' "$(uniq -d "$tmp/listed")"
none 'and no file that is not there' "$(while read -r f; do [ -f "$f" ] || echo "$f"; done <"$tmp/listed")"
# Of each folder the first source, without writing anything.
jq -r 'group_by(.file | sub("/[^/]*$"; ""))[] | min_by(.file) | .directory, .file, .command' compile_commands.json >"$tmp/first"
check 'folders are many' test "$(wc -l <"$tmp/first")" -gt $((3 * 40))
none 'their commands compile' "$(while read -r directory && read -r file && read -r command; do
  command=$(sed -E 's/ -MMD| -MP| -MF [^ ]+| -o [^ ]+| --coverage//g; s/ -c( |$)/ -fsyntax-only\1/' <<<"$command")
  (cd "$directory" && eval "$command") >"$tmp/out" 2>&1 </dev/null || echo "$file: $(head -n 1 "$tmp/out")"
done <"$tmp/first")"
