#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The name of a program of LLVM on this machine: cmodel/make/llvm.sh clang prints clang-14, or what is here of its other versions in
# cmodel/make/packages.txt; the first one where none is. The first is the reference (CONTRIBUTING.md): cmodel/make/llvm.sh --reference clang prints
# nothing if it is here, else a reason why a check that needs it is skipped, with status 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
reference=
if [ "$1" = --reference ]; then reference=1 && shift; fi
line=$(sed -n "s/^test \($1-[0-9].*\)/\1/p" cmodel/make/packages.txt)
[ -n "$line" ] || { echo "cmodel/make/llvm.sh: cmodel/make/packages.txt: found no line 'test $1-N'" >&2; exit 2; }
first=${line%%|*} found=
for name in ${line//|/ }; do
  if [ -z "$found" ] && command -v "$name" >/dev/null; then found=$name; fi
done
if [ -z "$reference" ]; then echo "${found:-$first}" && exit 0; fi
if [ "$found" != "$first" ]; then echo "found ${found:-no $1}, the reference is $first" && exit 1; fi
