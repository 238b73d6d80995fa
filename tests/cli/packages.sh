#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which packages, which LLVM and which kernels: cmodel/make/deps.sh, cmodel/make/llvm.sh and cmodel/make/kernels.sh in a tree of their own, with programs in
# place of dpkg-query, apt-cache, apt-get and clang.
# needs: none
. "$(dirname "$0")/../lib.sh"

tree=$tmp/tree bin=$tmp/bin
mkdir -p "$tree/cmodel/make" "$bin"
cp cmodel/make/{deps,llvm,kernels,progress}.sh "$tree/cmodel/make"
program() { { echo '#!/bin/bash'; cat; } >"$bin/$1" && chmod +x "$bin/$1"; }
export have=$tmp/have offer=$tmp/offer calls=$tmp/calls
program dpkg-query <<'E2'
for name in "${@:4}"; do grep -qx -- "$name" "$have" && echo "$name installed"; done
E2
program apt-cache <<'E2'
for name in "${@:2}"; do if grep -qx -- "$name" "$offer"; then printf '%s:\n  Installed: (none)\n  Candidate: 1\n' "$name"; fi; done
E2
program apt-get <<'E2'
echo "$*" >>"$calls"
if [ "$1" = install ]; then for name in "$@"; do grep -x -- "$name" "$offer" >>"$have"; done; fi
exit 0
E2
program id <<'E2'
echo 0
E2
in_tree() { (cd "$tree" && PATH=$bin:$PATH "$@"); }

# ---- cmodel/make/deps.sh --list: alternatives A|B, and - for none
printf '%s\n' '# a comment' 'g one' 'g two-14|two-19' 'g three|-' 'h four' >"$tree/cmodel/make/packages.txt"
lists() {   # name, expected, installed, offered
  tr ' ' '\n' <<<"$3" >"$have"
  tr ' ' '\n' <<<"$4" >"$offer"
  equal "$1" "$(in_tree cmodel/make/deps.sh --list g | xargs)" "$2"
}
lists 'the first of alternatives that all could be installed' 'one three two-14' '' 'gcc one two-14 two-19 three'
lists 'the one that could be' 'one three two-19' '' 'gcc one two-19 three'
lists 'the first that could be, before another that is installed' 'one three two-14' 'two-19' 'gcc one two-14 two-19 three'
lists 'the one that is installed, when no other could be' 'one three two-19' 'two-19 three' 'gcc one'
lists 'the first of those that are installed' 'one three two-14' 'two-14 two-19 three' 'gcc one'
lists 'a release that has no such package' 'one two-14' '' 'gcc one two-14'
lists 'no package lists: the first names' 'one three two-14' '' ''
lists 'no package lists: what is installed' 'one three two-19' 'two-19 three' ''
equal 'without dpkg, the first names' "$(mkdir "$tmp/few" && ln -s "$(command -v bash)" "$(command -v dirname)" "$(command -v sort)" "$(command -v grep)" "$tmp/few" &&
  cd "$tree" && PATH=$tmp/few cmodel/make/deps.sh --list g | xargs)" 'one three two-14'
in_tree cmodel/make/deps.sh g typo >"$tmp/out" 2>&1
equal 'an unknown group: exit status' $? 2
has 'and its message' "^cmodel/make/deps.sh: found group typo, expected one of: g h *$" "$tmp/out"

# ---- cmodel/make/deps.sh: what is missing is installed, once
printf '%s\n' one >"$have"
printf '%s\n' gcc one two-19 four >"$offer"
rm -f "$calls"
in_tree cmodel/make/deps.sh g h >"$tmp/out" 2>&1
equal 'packages are installed' $? 0
equal 'what it says last' "$(tail -n 1 "$tmp/out")" 'make deps: 2 packages installed'
equal 'those that are missing' "$(sed -n 's/.*Timeout=500 //p' "$calls" | xargs)" 'four two-19'
rm "$calls"
check 'then nothing is missing' in_tree cmodel/make/deps.sh g h
check 'and nothing is installed' test ! -e "$calls"

# ---- cmodel/make/llvm.sh
few=$tmp/llvm
mkdir "$few" && ln -s "$(command -v bash)" "$(command -v dirname)" "$(command -v sed)" "$few"
printf '%s\n' 'test clang-14|clang-19' 'test clang-format-14|clang-format-19' >"$tree/cmodel/make/packages.txt"
llvm() { (cd "$tree" && PATH=$few cmodel/make/llvm.sh "$@" 2>&1; echo " $?"); }
equal 'no clang: the reference' "$(llvm clang)" $'clang-14\n 0'
equal 'no clang: why a check is skipped' "$(llvm --reference clang)" $'found no clang, the reference is clang-14\n 1'
ln -s "$(type -P true)" "$few/clang-19"
equal 'another clang' "$(llvm clang)" $'clang-19\n 0'
equal 'another clang: why a check is skipped' "$(llvm --reference clang)" $'found clang-19, the reference is clang-14\n 1'
equal 'clang is not clang-format' "$(llvm --reference clang-format)" $'found no clang-format, the reference is clang-format-14\n 1'
ln -s "$(type -P true)" "$few/clang-14"
equal 'both: the reference' "$(llvm clang)" $'clang-14\n 0'
equal 'both: no check is skipped' "$(llvm --reference clang)" ' 0'
has 'a program that no line names' 'found no line .test nothing-N.' <(llvm nothing)

# ---- cmodel/make/kernels.sh: contents count, not times
mkdir -p "$tree/traces/kernels/"{include,a,b}
echo h >"$tree/traces/kernels/include/h.h"
for k in a b; do echo "$k" >"$tree/traces/kernels/$k/$k.cl"; echo "$k" >"$tree/traces/kernels/$k/$k.ptx"; done
flags=(-O2 -O2)
kernels_sh() { printf '%s\n' "a ${flags[0]}" "b ${flags[1]}" | in_tree cmodel/make/kernels.sh "$@"; }
edited() { equal "edited: $1" "=$(kernels_sh edited | xargs)" "=$2"; }   # what, kernels
edited 'all, when none is recorded' 'a b'
kernels_sh record a b
edited 'none, when they are' ''
cp -r "$tree/traces" "$tmp/traces"
touch -d 2001-01-01 "$tree"/traces/kernels/*/*.ptx
edited 'none, of other times' ''
back() { rm -r "$tree/traces" && cp -r "$tmp/traces" "$tree/traces"; }
for f in a/a.cl b/b.ptx include/h.h; do
  echo more >>"$tree/traces/kernels/$f"
  case $f in include/*) edited "a header" 'a b' ;; *) edited "$f" "${f%/*}" ;; esac
  back
done
flags[1]=-O3
edited 'other flags' b
flags[1]=-O2
rm "$tree/traces/kernels/a/a.ptx"
edited 'no PTX' a
back
for k in a b; do echo more >>"$tree/traces/kernels/$k/$k.cl"; done
kernels_sh record b
edited 'what is not recorded again' a
