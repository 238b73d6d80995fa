#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make coverage-c [COVERAGE_TESTS="unit/ cli/ kernels/"]: which lines, branches and functions of cmodel/ the tests reach, by gcov. The tests run in a copy of the
# committed files below build/coverage-c, compiled by gcc with few optimisations and with counters. Ends with exit status 1 if a test fails there, or if a
# line of the systems' wiring (cmodel/systems/*/*.c, but experiments.c) is never run and does not stand, with a reason, in tests/coverage_c.waive.
#   tests/coverage_c.sh           runs the tests, then reports
#   tests/coverage_c.sh report    reports from the counters that are there
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C
out=$PWD/build/coverage-c tree=$PWD/build/coverage-c/tree waived=$PWD/tests/coverage_c.waive
read -ra tests <<<"${COVERAGE_TESTS:-unit/ cli/ kernels/}"
command -v lcov >/dev/null || { echo 'coverage-c: found no lcov; make deps-cosim installs it' >&2; exit 2; }
status=0

case ${1-run} in
  run)
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +   # a file that is committed no more
    git ls-files -z | tar --null -T - -cf - | tar -C "$tree" -xf - || exit 2
    find "$tree/build" -name '*.gcda' -delete 2>/dev/null
    echo "coverage-c: the tests run in $tree, slower than in make test: little is optimised"
    # Counters that threads add at once may be too small, never zero; those of processes are added under a lock of the file.
    # libgcov is linked last and frees memory: programs that have no free() of base/image.h by then need it, too. Clang, which builds with sanitizers
    # for some tests, warns of this where nothing is linked; gcc does not know the last option and says nothing.
    (cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL CC=gcc CFLAGS='-Og -g --coverage -fprofile-update=single -Wl,--undefined=__wrap_free -Wno-unused-command-line-argument' tests/run.sh "${tests[@]}") || status=1
    ;;
  report) ;;
  *) echo "tests/coverage_c.sh: found $1, expected run or report" >&2; exit 2 ;;
esac

objects=$tree/build/obj
[ -n "$(find "$objects" -name '*.gcda' -print -quit 2>/dev/null)" ] || { echo "coverage-c: found no counters in $objects" >&2; exit 2; }
lcov() { command lcov --quiet --rc lcov_branch_coverage=1 "$@" >>"$out/log" 2>&1 || { tail -n 5 "$out/log" >&2; exit 2; }; }
: >"$out/log"
lcov --capture --initial --directory "$objects" --base-directory "$tree" -o "$out/none.info"
lcov --capture --directory "$objects" --base-directory "$tree" -o "$out/some.info"
lcov -a "$out/none.info" -a "$out/some.info" -o "$out/both.info"
lcov --extract "$out/both.info" "$tree/cmodel/*" -o "$out/all.info"
rm -f "$out"/{none,some,both}.info
sed -i "s|^SF:$tree/|SF:|" "$out/all.info"
genhtml --quiet --branch-coverage --prefix "$PWD" --output-directory "$out/html" "$out/all.info" >>"$out/log" 2>&1 ||
  { tail -n 5 "$out/log" >&2; status=2; }

# ---- by folder
awk -F '[:,]' '
  /^SF:/ { n = split($2, p, "/"); folder = p[2]; if (folder ~ /^(systems|blocks|compiler|trace|host|lab)$/ && n > 3) folder = folder "/" p[3]; if (n < 3) folder = "."; seen[folder] }
  /^DA:/ { lines[folder]++; hit[folder] += $3 > 0 }
  /^BRDA:/ { branches[folder]++; taken[folder] += $5 != "-" && $5 > 0 }
  /^FNDA:/ { functions[folder]++; entered[folder] += $2 > 0 }
  function row(order, name, a, b, c, d, e, f) {
    printf "%s\t%-24s %7d %6.1f %%  %8d %6.1f %%  %9d %6.1f %%\n", order, name, b, b ? 100 * a / b : 100, d, d ? 100 * c / d : 100, f, f ? 100 * e / f : 100
  }
  END {
    printf "0\t%-24s %7s %8s  %8s %8s  %9s %8s\n", "folder of cmodel", "lines", "run", "branches", "taken", "functions", "entered"
    for (k in seen) {
      row(1, k, hit[k], lines[k], taken[k], branches[k], entered[k], functions[k])
      a += hit[k]; b += lines[k]; c += taken[k]; d += branches[k]; e += entered[k]; f += functions[k]
    }
    row(2, "all", a, b, c, d, e, f)
  }' "$out/all.info" | sort | cut -f 2- | tee "$out/folders.txt"

# ---- the systems' wiring: what runs in the SM, so neither the experiments nor the lists
wiring='^cmodel/systems/.*[.][ch]$' other='/experiments[.]c$'
awk -F '[:,]' -v wiring="$wiring" -v other="$other" '
  /^SF:/ { file = $2 }
  /^FN:/ { at[file, $NF] = $2 }
  /^FNDA:/ && file ~ wiring && file !~ other && $2 == 0 { printf "%s:%d: %s\n", file, at[file, $3], $3 }' "$out/all.info" | sort -t : -k1,1 -k2,2n >"$out/functions.txt"
echo
echo "functions of the wiring in cmodel/systems/ that no test enters: $(wc -l <"$out/functions.txt")"
sed 's/^/  /' "$out/functions.txt"
awk -F '[:,]' -v wiring="$wiring" -v other="$other" '/^SF:/ { file = $2 } /^DA:/ && file ~ wiring && file !~ other && $3 == 0 { print file ":" $2 }' "$out/all.info" | sort -t : -k1,1 -k2,2n |
  while IFS=: read -r file line; do printf '%s\t%s\t%s\n' "$file" "$line" "$(sed -n "${line}{s/^[[:space:]]*//;p}" "$tree/$file")"; done >"$out/lines.tsv"
# A waiver: file, the line's text, reason, for one line; one that waives nothing is an error too.
awk -F '\t' -v list="$out/lines.txt" '
  FILENAME == ARGV[1] { if (!/^#/ && NF) { if (NF != 3 || $3 == "") { print FILENAME ":" FNR ": found " NF " columns, expected file, text, reason" > "/dev/stderr"; bad = 1 } why[$1, $2] = FNR; left[$1, $2]++ } next }
  left[$1, $3] > 0 { left[$1, $3]--; waived++; next }
  { printf "%s:%s: %s\n", $1, $2, $3 > list; n++ }
  END {
    for (k in why) if (left[k] > 0) { split(k, p, SUBSEP); printf "%s:%d: waives a line that is run, or is not there: %s: %s\n", ARGV[1], why[k], p[1], p[2] > "/dev/stderr"; bad = 1 }
    printf "lines of the wiring that no test runs: %d, and %d waived with a reason\n", n, waived
    if (n || bad) exit 1
  }' "$waived" "$out/lines.tsv" || { status=1; [ ! -s "$out/lines.txt" ] || sed 's/^/  /' "$out/lines.txt"; }
echo "HTML: $out/html/index.html"
exit $status
