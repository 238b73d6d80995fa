# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions shared by the lockstep scripts. Called by make, from the root, with the variables of COSIM_ENV.
set -uo pipefail
export LC_ALL=C
. cmodel/make/progress.sh
for name in BLOCK SETS SEED CYCLES WAVES SHRINK SHRINK_SECONDS REPLAY RECORD BINS; do export "$name=${!name-}"; done

die() { printf 'cosim: %s\n' "${*//[![:print:]]/?}" >&2; exit 2; }   # on one line, whatever is in a name

tools() {   # the programs that must be there
  local t
  for t in "$@"; do
    command -v "$t" >/dev/null || die "$t: not found; make deps-cosim installs what is needed (cmodel/make/packages.txt)"
  done
}

# Narrows `blocks` to the parameter sets of SETS: "all", or names, each of which some block has; a block at a set that is not its
# first is BLOCK@SET.
choose_sets() {
  local s u sets there all=()
  read -ra sets <<<"$SETS"
  there=$(sets_of "${blocks[@]}")
  for s in "${sets[@]:-}"; do
    [[ -n $s && " all $there " == *" $s "* ]] || die "SETS=$s: no ${BLOCK:-block} has such a set; there are: all, $there"
  done
  for b in "${blocks[@]}"; do
    read -ra units <<<"$b $(tr ' ' '\n' <<<"$COSIM_UNITS" | grep "^$b@" | tr '\n' ' ')"
    for u in "${units[@]}"; do
      for s in "${sets[@]}"; do
        if [ "$s" = all ] || [ "${u#*@}" = "$s" ] || { [ "$u" = "$b" ] && [ "$s" = "$(first_set "$b")" ]; }; then all+=("$u"); break; fi
      done
    done
  done
  blocks=("${all[@]}")
}
# Leaves out of `blocks`, if all sets were asked for, those that only complete the pairs of values (cosim/pairs.awk): no system has
# these sizes, so nobody maps them to cells.
without_pairs() {
  [[ " $SETS " != *' all '* ]] || mapfile -t blocks < <(printf '%s\n' "${blocks[@]}" | grep -v '@pair[0-9]*$')
}
first_set() { awk -f cosim/sets.awk "$COSIM_C/blocks/$1.def" | awk 'NR == 1 { print $2 }'; }
sets_of() { local b; for b in "$@"; do awk -f cosim/sets.awk "$COSIM_C/blocks/$b.def"; done | awk '$2 != "-" { print $2 }' | sort -u | xargs; }

# The nearest of some names, or nothing if none is near. What follows the last slash decides first: at most a third of its letters, and one,
# are other ones. So malekeh/fsmon and fsmn are near to finereg/fsmon. Of names that are as near in that, the whole name decides.
similar_name() {   # name, names...
  printf '%s\n' "${@:2}" | awk -v a="$1" '
    function distance(a, b,   i, j, d, m, n, x) {
      m = length(a); n = length(b)
      for (j = 0; j <= n; j++) d[0, j] = j
      for (i = 1; i <= m; i++) {
        d[i, 0] = i
        for (j = 1; j <= n; j++) {
          x = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
          if (d[i - 1, j] + 1 < x) x = d[i - 1, j] + 1
          if (d[i, j - 1] + 1 < x) x = d[i, j - 1] + 1
          d[i, j] = x
        }
      }
      return d[m, n]
    }
    function last(name) { sub(/.*\//, "", name); return name }
    BEGIN { own = last(a); most = int(length(own) / 3) + 1; least = 1000 * (most + 1) }
    length(a) < 64 && (x = distance(own, last($0))) <= most && (x = 1000 * x + distance(a, $0)) < least { best = $0; least = x }
    END { if (best != "") print best }'
}
# "did you mean NAME? " for a message, or nothing.
did_you_mean() { similar_name "$@" | sed 's/.*/did you mean &? /'; }

# The blocks of this call, into the array `blocks`: those of BLOCK and SETS.
choose_blocks() {
  local b=$BLOCK
  blocks=()
  if [ -z "$b" ]; then
    read -ra blocks <<<"$COSIM_BLOCKS"
    [ ${#blocks[@]} -gt 0 ] || die "no block has all of .def, .h, .c, .sv and bench"
    [ -z "$SETS" ] || choose_sets
    return
  fi
  local f
  if [[ " $COSIM_DEFS " != *" $b "* ]]; then
    [[ $b != *@* || " $COSIM_DEFS " != *" ${b%@*} "* ]] || die "BLOCK=$b: found a block with a set, expected BLOCK=${b%@*} SETS=${b#*@}"
    # shellcheck disable=SC2086
    die "BLOCK=$b: no $COSIM_C/blocks/$b.def; $(did_you_mean "$b" $COSIM_DEFS)there are: $COSIM_DEFS"
  fi
  for f in "$COSIM_C/blocks/$b.c" "$COSIM_RTL/$b.sv" "$COSIM_TB/${b}_tb.c"; do
    [ -f "$f" ] || die "BLOCK=$b: $f is missing"
  done
  blocks=("$b")
  [ -z "$SETS" ] || choose_sets
}

is_number() { [[ $2 =~ ^(0x[0-9a-fA-F]+|[0-9]+)$ ]] || die "$1: found \"$2\", expected a number"; }

# make of one or more targets; what it says is shown when it fails
build() {   # name, targets...
  local what=$1 log=$COSIM_OUT/log-${1//\//-}
  shift
  mkdir -p "$COSIM_OUT"
  # shellcheck disable=SC2086
  if ! $MAKE --no-print-directory -k -j"${JOBS:-2}" BLOCK= SETS= SEED= $COSIM_PLACES "$@" 2>&1 | tee "$log" | progress "building $what"; then
    grep -vE '^  [A-Z]+ |^make' "$log" | head -n 30 >&2   # the first ones: of C the later ones follow from them
    return 2
  fi
}

# The files that a column of the twin matrix depends on, one per line: `run` (the cycles of lockstep) and bins, coverage,
# mutants, proofs; storage (the declarations alone) and whole (lockstep on the whole SM: without the bench). Found from
# their text alone, so a tree that has built nothing finds the same. The stored streams are of the first set; another set has
# a folder of failures of its own.
sources() {   # block, column
  local b=${1%@*} system=${1%/*} c=${COSIM_C:-cmodel} tb=${COSIM_TB:-tb} f stored=()
  case $1:$2 in
    *@*:run | *@*:bins) stored=("$tb/$system/regress/${1#*@}/${b#*/}"-*.stim) ;;
    *:run | *:bins) stored=("$tb/$system/regress/${b#*/}"-*.stim "traces/streams/$b"-*.stim) ;;
    *:coverage) stored=("$tb/$system/regress/${b#*/}"-*.stim "$tb/$b.waive") ;;
    *:mutants) stored=("$tb/$b".{survivors,legal,one}) ;;
  esac
  { [ -n "${text_sources["$b $2"]-}" ] || find_sources "$b" "$2"
    [ -z "${text_sources["$b $2"]}" ] || printf '%s\n' "${text_sources["$b $2"]}"   # of a block without proofs
    for f in "${stored[@]}"; do [ ! -f "$f" ] || echo "$f"; done
  } | sort
}
# Those of them that other files name, into text_sources: whoever asks for many sets of a block calls this first.
declare -A text_sources=()
find_sources() {   # block, column
  local b=$1 system=${1%/*} c=${COSIM_C:-cmodel} rtl=${COSIM_RTL:-rtl} tb=${COSIM_TB:-tb} modules top start=()
  modules=$(find "$rtl/common" "$rtl/$system" "synth/formal/$system" -name '*.sv' 2>/dev/null | tr '\n' ' ')
  if [ "$2" = proofs ]; then
    while read -r top; do start+=("$rtl/$system/$top.sv" "synth/formal/$system/$top.sv"); done \
      < <(awk -F'\t' -v b="$b" '$1 == b { print $2 }' synth/formal/proofs.tsv | sort -u)
  elif [ "$2" = storage ]; then
    mapfile -t start < <({ echo "$b"; sed -n "s,^PART(\\(.*\\))\$,$system/\\1,p" "$c/blocks/$b.def"; } | sed "s,.*,$c/blocks/&.def,")
  else
    start=("$c/blocks/$b".{c,def} "$rtl/$b.sv")
    [ "$2" = whole ] || start+=("$tb/${b}_tb.c")
  fi
  text_sources["$b $2"]=$(awk -v dirs="$c cmodel $rtl/common rtl/common" -v modules="$modules" -f cosim/sources.awk "${start[@]}")
}

# A file as the block at this set sees it: of a .def's SET lines the first set's, whose parameters are the defaults, and its own alone,
# and no line that is about pairs of sets (cosim/pairs.awk).
text_of() {   # block, file
  case $2 in
    *.def) awk -v own="SET(${1#*@}," '/^\/\* (LEGAL|FOLLOWS|PAIRS)\(/ { next } !/^SET\(/ || !sets++ || index($0, own) == 1' "$2" ;;
    *) cat "$2" ;;
  esac
}
# A block: its C model; its Verilog, with submodules and what they include.
c_of() { find "${COSIM_C:-cmodel}/blocks/${1%/*}" -name "${1#*/}.c" -o -name "${1#*/}_*.c"; }
rtl_of() { sources "$1" whole | grep -E '\.svh?$' | grep -v /assert.svh; }

hash_of() {   # block, column
  local f plain=()
  { while IFS= read -r f; do   # one cat for all files between two .def
      [[ $f = *.def ]] || { plain+=("$f"); continue; }
      [ ${#plain[@]} -eq 0 ] || cat "${plain[@]}"
      plain=()
      text_of "$1" "$f"
    done < <(sources "$@")
    [ ${#plain[@]} -eq 0 ] || cat "${plain[@]}"
    [ "$2" != proofs ] || grep "^$1"$'\t' synth/formal/proofs.tsv
    [ "$1" = "${1%@*}" ] || echo "${1#*@}"
  } | sha256sum | cut -c1-16
}

# What a block's run in lockstep depends on: its own files at this set; the engine, the shim, how make builds a block and make cosim runs
# it, and Verilator (cosim/sets.sh leaves its version out). Needs tests/kept.sh.
twins_hash() {   # block [, hash of the engine]
  kept_hash -- "${2:-$(engine_hash "$(verilator_version)")}" "$(hash_of "$1" run)"
}
verilator_version() { "${VERILATOR:-verilator}" --version; }
engine_files() {   # tests/cosim/lockstep.sh holds it to be all that the compiler reads
  printf '%s\n' cosim/engine/*.[ch] cosim/engine/*.cpp | grep -v '/exhaustive\.c$'
  printf '%s\n' cosim/{cosim.sh,sets.awk} cmodel/blocks/*.[ch] cmodel/base/{bits,err,image_heap,text}.h cmodel/base/{alloc,clock,image,io,show}.[ch]
}
engine_hash() {   # [version of Verilator]
  local files
  mapfile -t files < <(engine_files)
  kept_hash "${files[@]}" -- ${1+"$1"} \
    "$(sed -n '/^# ---- compile/,/^# the whole SM/p' cosim/cosim.mk)"
}

# Lines of code: no blank lines, no comment lines, no assertions.
code_lines() {
  awk 'FNR == 1 { depth = skip = 0 }
    /^`ifn?def/ { depth++; if (!skip && /^`ifdef (FORMAL|ASSERT_ON)/) skip = depth }
    /^`(else|endif)/ { if (skip == depth) skip = 0 }
    /^`endif/ { depth-- }
    !skip && !/^(`|[[:space:]]*($|\/\/|\/\*|\*))/ { n++ }
    END { print n + 0 }' "$@" 2>/dev/null
}

# ---- results, and whether they are of these sources

# A result: as measured if the sources are unchanged, with a ~ if they have changed since, - if there is none.
aged() {   # text, its hash, hash now
  if [ -z "$1" ]; then echo -; elif [ "$2" = "$3" ]; then echo "$1"; else echo "$1~"; fi
}

recorded_results() { [ ! -f cosim/records/twins.tsv ] || grep -v '^#' cosim/records/twins.tsv; }

# What was measured last, here (build/) or, in a tree that has not run it, when it was recorded (cosim/records/twins.tsv, made by
# make twins-record): rows of block, hash of its sources, column, text. Of the proofs: proven of stated.
last_results() {
  recorded_results
  awk -F'\t' -v OFS='\t' '$8 == "agree" || $8 == "bins" { print $1, $2, "bins", $6 "/" $7 }' "$COSIM_OUT"/results/*.tsv 2>/dev/null || true
  cat "$COSIM_OUT/results/storage" 2>/dev/null || true
  [ ! -f build/coverage/results.tsv ] || awk -F'\t' -v OFS='\t' '{ print $1, $2, "coverage", $3 "/" $4 }' build/coverage/results.tsv
  [ ! -f build/mutate/results.tsv ] || awk -F'\t' -v OFS='\t' '{ print $1, $2, "mutants", $3 "/" $4 }' build/mutate/results.tsv
  [ ! -f build/formal/results.tsv ] || awk -F'\t' -v OFS='\t' 'FNR == NR { stated[$1]++; next }
    { ok[$1] += $5 != "FAILED"; if (!($1 in hash)) hash[$1] = $8; if (hash[$1] != $8) hash[$1] = "mixed" }
    END { for (b in ok) print b, hash[b], "proofs", ok[b] "/" stated[b] }' synth/formal/proofs.tsv build/formal/results.tsv
}

# A result of the rows in $tmp: "-" when it was never run; with a ~ when the sources have changed since.
# shellcheck disable=SC2154
column() {   # block, column; tmp: file of rows
  local now text
  now=$(hash_of "$1" "$2")
  text=$(awk -F'\t' -v b="$1" -v c="$2" -v now="$now" '$1 == b && $3 == c { row = $2 "\t" $4; if ($2 == now) fresh = row }
    END { print fresh != "" ? fresh : row }' "$tmp")
  aged "${text#*$'\t'}" "${text%%$'\t'*}" "$now"
}
