#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The names that the CUDA runtime and the driver's stub export: all of them, with their versions, and what those do that are not supported.
# needs: binary host
. "$(dirname "$0")/../lib.sh"
check 'the libraries are built' make -s host
lib=$PWD/build/host

names() { sed -n 's/^NAME(\(.*\))$/\1/p' "$1"; }
# Names that a library defines, without their versions: nm's letters, library.
exported() { nm -D --defined-only "$2" | awk -v of="$1" 'index(of, $2) { sub("@.*", "", $3); print $3 }' | sort; }
call() { cc -o "$tmp/call" "$tmp/call.c" -ldl && "$tmp/call" "$@" >"$tmp/out" 2>"$tmp/err"; }

# ---- libcudart.so
names cmodel/host/cudart/exports.def >"$tmp/want"
for v in 11.0 12 13; do
  so=$lib/libcudart.so.$v
  exported TW "$so" >"$tmp/found"
  same "libcudart.so.$v: every name, and no other" "$tmp/want" "$tmp/found"
  equal "libcudart.so.$v: its own name" "$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" "libcudart.so.$v"
  equal "libcudart.so.$v: the version of every name" "$(nm -D --defined-only "$so" | sed -n 's/.*@@//p' | sort -u)" "libcudart.so.$v"
done

cat >"$tmp/call.c" <<'END' # library, names...: calls each of them twice
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **arg) {
  void *lib = dlopen(arg[1], RTLD_NOW);
  int (*last)(void) = (int (*)(void))dlsym(lib, "cudaGetLastError");
  for (int i = 2; i < n; i++) {
    int (*f)(void) = (int (*)(void))dlsym(lib, arg[i]);
    int first = f(), second = f(), kept = last(), cleared = last();
    printf("%s %d %d %d %d\n", arg[i], first, second, kept, cleared);
  }
  return 0;
}
END
for v in 11.0 12 13; do
  so=$lib/libcudart.so.$v
  mapfile -t rest < <(exported W "$so")
  check "libcudart.so.$v: calls of those that are not supported" call "$so" "${rest[@]}"
  equal "libcudart.so.$v: cudaErrorNotSupported, as the last error, too" "$(grep -c ' 801 801 801 0$' "$tmp/out")" "${#rest[@]}"
  printf 'regtwin: %s: not supported here, gives cudaErrorNotSupported\n' "${rest[@]}" >"$tmp/lines"
  same "libcudart.so.$v: a line for each" "$tmp/lines" "$tmp/err"
done

# ---- libcuda.so.1
exported TW "$lib/libcuda.so.1" >"$tmp/found"
names cmodel/host/cuda/exports.def >"$tmp/want"
same 'libcuda.so.1: every name, and no other' "$tmp/want" "$tmp/found"
cat >"$tmp/call.c" <<'END'
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
int main(int n, char **arg) {
  void *lib = dlopen(arg[1], RTLD_NOW);
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit"), version = -1, status;
  int (*get)(int *) = (int (*)(int *))dlsym(lib, "cuDriverGetVersion");
  int (*find)(const char *, void **, int, unsigned long, int *) = (int (*)(const char *, void **, int, unsigned long, int *))dlsym(lib, "cuGetProcAddress_v2");
  int (*text)(int, const char **) = (int (*)(int, const char **))dlsym(lib, "cuGetErrorName");
  status = get(&version);
  printf("%d %d %d\n", status, version, get(NULL));
  const char *name;
  text(34, &name);
  printf("%d %d %s\n", init(0), init(0), name);
  void *f = NULL;
  status = find("cuCtxCreate", &f, 3020, 0, NULL);
  printf("%d %d\n", status, ((int (*)(void))f)());
  status = find("cuGetProcAddress", &f, 12000, 0, NULL);
  printf("%d %d %d\n", status, f == (void *)find, find(NULL, &f, 0, 0, NULL));
  return 0;
}
END
check 'libcuda.so.1: calls' call "$lib/libcuda.so.1"
printf '%s\n' '0 13000 1' '34 34 CUDA_ERROR_STUB_LIBRARY' '0 34' '0 1 1' >"$tmp/want"
same 'libcuda.so.1: what they return' "$tmp/want" "$tmp/out"
equal 'libcuda.so.1: one line' "$(grep -c 'regtwin: .*nvcc -cudart shared' "$tmp/err")" "$(wc -l <"$tmp/err")"

# ---- nvcc's own libraries, where they are
nvcc=$(nvcc_path)
real=$(ls "${nvcc%/bin/nvcc}"/lib64/libcudart.so.13 2>/dev/null)
if [ -n "$nvcc" ] && [ -n "$real" ]; then
  exported T "$real" >"$tmp/real"
  names cmodel/host/cudart/exports.def | comm -13 - "$tmp/real" >"$tmp/missing"
  equal 'no name of nvcc'"'"'s libcudart.so.13 is missing' "$(wc -l <"$tmp/missing") $(tr '\n' ' ' <"$tmp/missing")" '0 '
  equal '... and their versions are ours' "$(nm -D --defined-only "$real" | sed -n 's/.* T .*@@//p' | sort -u)" libcudart.so.13
  cat >"$tmp/static.cu" <<'END'
#include <cstdio>
__global__ void k(int *p) { *p = 1; }
int main() {
  int n = -1, *p = nullptr;
  puts(cudaGetErrorName(cudaGetDeviceCount(&n)));
  puts(cudaGetErrorName(cudaMalloc(&p, 4)));
  k<<<1, 1>>>(p);
  puts(cudaGetErrorName(cudaGetLastError()));
}
END
  check 'a program with the runtime in it is built' "$nvcc" -arch=sm_75 -o "$tmp/static" "$tmp/static.cu"
  "$regtwin" host "$tmp/static" >"$tmp/out" 2>"$tmp/err"
  equal 'it ends by itself' $? 0
  equal 'its calls fail' "$(sort -u "$tmp/out")" cudaErrorStubLibrary
  equal 'and it is told why, once' "$(cat "$tmp/err")" "$(grep -E '^regtwin: this program has the CUDA runtime linked in statically.*nvcc -cudart shared' "$tmp/err")"
else
  skip "the names of nvcc's libraries" 'no nvcc here'
fi
