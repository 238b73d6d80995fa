#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No function of cmodel/ is there for tests alone, or for nothing: another object of the program or of its libraries refers to it, or its own
# file uses it. Not looked at: what the libraries export, and the blocks, whose functions are called by the benches that compare them.
# needs: binary lib host
. "$(dirname "$0")/../lib.sh"

# NAME SOURCE of each global function that no object below the first directory refers to.
unreferenced() {   # directory of objects, directory of sources
  find "$1" -name '*.o' -print0 | xargs -0 nm -A 2>/dev/null | awk -v o="$1/" -v s="$2/" '
    { file = $1; sub(/:.*/, "", file) }
    $(NF - 1) == "U" { used[$NF] = 1 }
    $(NF - 1) == "T" { sub(o, s, file); sub(/\.o$/, ".c", file); sub(/\/cudart-[0-9.]+\//, "/cudart/", file); of[$NF] = file }
    END { for (n in of) if (!(n in used)) print n, of[n] }' | sort
}
# Of these, what its own file names once, where it is defined. SOURCE: NAME
unused() {   # directory of objects, directory of sources
  local name file
  unreferenced "$@" | grep -vE '^((cl|cu|cuda|__cuda)[A-Z]|rt_|main )|/(blocks|gen)/|/unsupported.c$' | while read -r name file; do
    [ -f "$file" ] || continue   # an object of a source that is gone
    [ "$(gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null | grep -ow "$name" | wc -l)" -gt 1 ] || echo "$file: $name"
  done
}

# The SystemC model of memory calls mem_*, and the system of docs/start/your-idea.md, which cosim/your_idea builds, calls unit_*. Texts in memory are
# read for tests and fuzzers alone; near_size tells tests what a record takes.
grep -ohE '\b(mem|unit)_[a-z_]+' cosim/systemc/*.cpp docs/start/your-idea.md | sort -u | paste -sd'|' >"$tmp/called"
unused build/obj cmodel | grep -vE ": ($(cat "$tmp/called")|lines_text|opmap_text|near_size)\$" >"$tmp/found"
check "none of $(unreferenced build/obj cmodel | wc -l) functions that only their own files could use is unused" diff /dev/null "$tmp/found"

mkdir -p "$tmp/obj" "$tmp/src"
printf '%s\n' '/* planted, planted */' 'int planted(void) { return 1; }' 'int kept(int x) { return x ? kept(x - 1) : 0; }' 'int called(void) { return 2; }' >"$tmp/src/a.c"
printf '%s\n' 'int called(void);' 'int main(void) { return called(); }' >"$tmp/src/b.c"
for f in a b; do gcc -c "$tmp/src/$f.c" -o "$tmp/obj/$f.o"; done
equal 'a planted one is seen' "$(unused "$tmp/obj" "$tmp/src" | sed 's|.*/||')" 'a.c: planted'
