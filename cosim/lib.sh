# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts of the twins share. Called by make, from the root, with the variables of COSIM_ENV.
set -uo pipefail
export LC_ALL=C

die() { echo "cosim: $*" >&2; exit 2; }

tools() {   # the programs that must be there
  local t
  for t in "$@"; do
    command -v "$t" >/dev/null || die "$t: not found; make deps-cosim installs what is needed (tests/packages.txt)"
  done
}

# The blocks of this call, into the array `blocks`.
choose_blocks() {
  local b=$BLOCK
  blocks=()
  if [ -z "$b" ]; then
    read -ra blocks <<<"$COSIM_BLOCKS"
    [ ${#blocks[@]} -gt 0 ] || die "no block has all of .def, .h, .c, .sv and bench"
    return
  fi
  [[ " $COSIM_DEFS " == *" $b "* ]] || die "BLOCK=$b: no $COSIM_C/blocks/$b.def; there are: $COSIM_DEFS"
  local f
  for f in "$COSIM_C/blocks/$b.c" "$COSIM_RTL/$b.sv" "$COSIM_TB/${b}_tb.c"; do
    [ -f "$f" ] || die "BLOCK=$b: $f is missing"
  done
  blocks=("$b")
}

is_number() { [[ $2 =~ ^(0x[0-9a-fA-F]+|[0-9]+)$ ]] || die "$1: found \"$2\", expected a number"; }

# make of one or more targets; what it says is shown when it fails
build() {   # name, targets...
  local log=$COSIM_OUT/log-${1//\//-}
  shift
  mkdir -p "$COSIM_OUT"
  # shellcheck disable=SC2086
  if ! $MAKE --no-print-directory -k -j"${JOBS:-2}" BLOCK= SEED= $COSIM_PLACES "$@" >"$log" 2>&1; then
    grep -vE '^  [A-Z]+ |^make' "$log" | tail -n 30 >&2
    return 2
  fi
}

# The sources of a block, one file per line: what the C compiler and Verilator said they read.
sources() {   # block
  local o=$COSIM_OUT/obj/$1 v rtl=
  for v in plain cov trace; do [ -n "$rtl" ] || [ ! -f "$o/$v/V${1##*/}__ver.d" ] || rtl=$o/$v/V${1##*/}__ver.d; done
  { sed -e 's/\\$//' "$o/twin.d" "$o/tb.d" 2>/dev/null | tr ' ' '\n' | grep -E '\.(c|h|def)$'
    [ -z "$rtl" ] || tr ' ' '\n' <"$rtl" | grep -E '\.sv$'
  } | grep -vE '^/|^(\.\./)*usr/|cosim/describe' | sort -u
}

hash_of() {   # block: "-" before its first build
  local list
  mapfile -t list < <(sources "$1")
  local f there=()
  for f in "${list[@]}"; do [ -f "$f" ] && there+=("$f"); done
  if [ ${#there[@]} -eq 0 ]; then echo -; else cat "${there[@]}" | sha256sum | cut -c1-16; fi
}

# Of what make formal reads for a block.
proof_hash() {   # block
  { find "${COSIM_RTL:-rtl}"/{common,"${1%/*}"} "synth/formal/${1%/*}" -name '*.sv' -print0 2>/dev/null | sort -z | xargs -0 cat
    grep "^$1"$'\t' synth/formal/proofs.tsv
  } | sha256sum | cut -c1-16
}

# Lines that say something: no blank lines, no comment lines, no assertions.
code_lines() {
  awk 'FNR == 1 { proof = 0 } /^`/ { proof = /^`ifdef FORMAL/; next } !proof && !/^[[:space:]]*($|\/\/|\/\*|\*)/ { n++ }
    END { print n + 0 }' "$@" 2>/dev/null
}
