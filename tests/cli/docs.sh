#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The numbers of ours in docs/use/kernels.md are those that the program prints, and all kernels are there.
# needs: binary lib host
. "$(dirname "$0")/../lib.sh"

agree() {   # name, what the page says, what the program says
  if [ -n "$3" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "docs/use/kernels.md: $2" "regtwin: $3"; fi
}
between() { sed -n "/^<!-- $1 -->\$/,/^<!-- end of $1 -->\$/{/^<!-- /!p}" docs/use/kernels.md; }

agree 'registers' "$(between registers)" "$(echo '```'; "$regtwin" analyze --registers; echo '```')"
agree 'the manifest' "$(between manifest)" "$(echo '```'; "$regtwin" list kernels --limits; echo '```')"
kernels=$("$regtwin" list kernels --names)
between characterize >"$tmp/page"
for k in $kernels; do   # sizes, machine, mix, reuse distances
  agree "$k: a line in each table" "$(grep -c "^| $k | " "$tmp/page")" 4
done
for k in vecadd sgemm; do   # the page's tables are of the default size; `make characterize` writes them again
  agree "$k, characterized" "$(grep "^| $k | " "$tmp/page")" "$("$regtwin" characterize "$k" --markdown | grep "^| $k | ")"
done

# The groups: all that need no run with timing, and two that do
mapfile -t quick < <("$regtwin" list kernels --limits | sed '1d;/^$/,$d' | grep -E ' (finereg|slices|ltrf) ' | grep -v ' linebacker ' | cut -d' ' -f1)
for k in "${quick[@]}" libor bfs; do
  rows() { grep -E "^$k +[a-z]" | tr -s ' '; }
  agree "$k, its groups" "$(between groups | rows)" "$("$regtwin" characterize "$k" --groups | rows)"
done

# The resources and relaxations of docs/use/bottleneck.md are the program's.
for t in resources relaxations; do
  # shellcheck disable=SC2016  # the backquotes are of the page
  sed -n "/^<!-- $t -->\$/,/^<!-- end of $t -->\$/p" docs/use/bottleneck.md | sed -n 's/^| `\(.*\)` | \(.*\) | \(.*\) |$/\1 \2: \3/p' >"$tmp/page"
  "$regtwin" list $t | awk '/^ / { line = line $0; next } { if (line) print line; line = $0 } END { print line }' | tr -s ' ' >"$tmp/found"
  same "docs/use/bottleneck.md: $t" "$tmp/found" "$tmp/page"
done

# docs/use/host.md names every function of OpenCL and CUDA that is there, and none that is not.
check 'the libraries of host programs are built' make -s host
names() { nm "$@" 2>/dev/null | awk '$2 == "T" && $3 ~ /^(cl[A-Z]|cuda)/ { print $3 }' | grep -vE '_pt(sz|ds)$' | sort -u; }
on_page() { grep -oE "\b($1)[A-Z][A-Za-z0-9_]+" docs/use/host.md | sort -u; }
names build/obj/cudart-*/*.o >"$tmp/there"
on_page cuda | grep -vxE 'cudaError[A-Z].*|cudaHostAllocMapped|cudaOccupancyMaxPotentialBlockSize' >"$tmp/page"
same 'docs/use/host.md: functions of the CUDA runtime' "$tmp/there" "$tmp/page"
names build/obj/host/opencl/unsupported.o >"$tmp/refused"
names build/obj/host/opencl/*.o | grep -vE 'EXT$|^clIcd' | grep -vxFf "$tmp/refused" >"$tmp/there"
on_page cl | grep -vxFf "$tmp/refused" >"$tmp/page"
same 'docs/use/host.md: functions of OpenCL' "$tmp/there" "$tmp/page"
for o in $("$regtwin" host --help | grep -oE '^ +(-., )?--[a-z]+' | grep -oE -- '--[a-z]+' | grep -vxE -- '--(help|usage|version)'); do
  check "docs/use/host.md: $o" grep -qE "^\| \`$o " docs/use/host.md
done

# The instructions of docs/reference/ptx.md are those of the reader (make ptx-page).
sed -n '/^<!-- instructions -->$/,/^<!-- end of instructions -->$/{/^<!-- /!p}' docs/reference/ptx.md >"$tmp/page"
"$regtwin" list ptx --markdown >"$tmp/found"
same 'docs/reference/ptx.md: instructions' "$tmp/found" "$tmp/page"

# How many kernels were run is printed by the command that writes a part of a page. What is written by hand has no number but today's; docs/results/ground.md
# says that its numbers are those of their measurements. A paper's group has less than 40 kernels.
counts() {   # number of kernels today, pages: FILE:LINE TEXT of a count that is another one
  awk '/^<!-- end of /{ made = 0 } /^<!-- [a-z]+ -->$/{ made = 1 } !made { print FILENAME ":" FNR " " $0 }' "${@:2}" |
    grep -E '\b([Aa]ll|[Tt]he|its|our|on) ([4-9][0-9]|1[0-9]{2}) kernels|([4-9][0-9]|1[0-9]{2}) kernels (of|in) (the|our) suite|suite (now )?has [0-9]{2,}' |
    grep -vE "\b$1 kernels|suite (now )?has $1\b|suite had then"
}
today=$(wc -w <<<"$kernels")
mapfile -t pages < <(find README.md CONTRIBUTING.md docs -name '*.md' ! -path docs/results/ground.md | sort)
counts "$today" "${pages[@]}" >"$tmp/counts"
check 'no page counts other kernels by hand than the suite has' diff /dev/null "$tmp/counts"
printf '%s\n' 'on all 53 kernels of the suite' "the $today kernels" 'the suite has 52 today' '<!-- x -->' 'all 51 kernels' '<!-- end of x -->' \
  '41 kernels in the suite' >"$tmp/planted.md"
counts "$today" "$tmp/planted.md" | sed 's/^[^ ]*:\([0-9]*\) .*/\1/' | xargs >"$tmp/seen"
equal 'planted counts are seen' "$(cat "$tmp/seen")" '1 3 7'
