#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install installs a program, a library and a header that work there, for C and C++; uninstall removes everything.
# needs: binary lib host
. "$(dirname "$0")/../lib.sh"
root=$tmp/root
check 'make install' make -s install PREFIX="$root"
for f in bin/regtwin lib/libregtwin.a include/regtwin.h lib/pkgconfig/regtwin.pc share/man/man1/regtwin.1 \
         share/bash-completion/completions/regtwin share/regtwin/kernels/sgemm/sgemm.launch \
         share/regtwin/kernels/ssao/ssao.widths share/regtwin/opcodes/ampere.map share/regtwin/kernels/include/own_cl.h share/doc/regtwin/results/finereg.md \
         share/doc/regtwin/use/host.md share/regtwin/opencl/regtwin.icd lib/regtwin/libregtwin-opencl.so lib/regtwin/libcudart.so.11.0 \
         lib/regtwin/libcudart.so.12 lib/regtwin/libcudart.so.13 lib/regtwin/libcuda.so.1; do
  check "installed: $f" test -s "$root/$f"
done
check 'no README of a folder of the tree' test -z "$(find "$root" -name README.md)"
check 'one header' test "$(find "$root/include" -type f | wc -l)" -eq 1
check 'the installed program finds its kernels' env -C / "$root/bin/regtwin" run vecadd --size small

# ---- host programs
gcc tests/host/opencl/vecadd.c -o "$tmp/vecadd" -lOpenCL
check 'the installed program runs OpenCL programs, from anywhere' env -C / -u REGTWIN_CLANG "$root/bin/regtwin" host --system FineReg --json "$tmp/host.json" -- "$tmp/vecadd"
has 'with its options' '"system": "FineReg"' "$tmp/host.json"
equal 'by the installed driver' "$(cat "$root/share/regtwin/opencl/regtwin.icd")" "$root/lib/regtwin/libregtwin-opencl.so"
check 'by its path alone' env -C / OCL_ICD_VENDORS="$root/share/regtwin/opencl" "$tmp/vecadd"
for f in "$root"/lib/regtwin/*.so*; do
  case $f in
    *opencl*) names='^(cl[A-Z].*|clIcdGetPlatformIDsKHR)$' ;;
    *libcuda.so*) names='^cu[A-Za-z].*' ;;
    *) names='^(__)?cuda.*' ;;
  esac
  check "only names of the interface: ${f##*/}" test -z "$(nm -D --defined-only "$f" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | grep -vE "$names")"
done

# ---- what the library exports
nm -g --defined-only "$root/lib/libregtwin.a" | awk 'NF == 3 { print $3 }' | sort >"$tmp/exported"
grep -oE '\brt_[a-z_]+\(' cmodel/regtwin.h | tr -d '(' | sort -u >"$tmp/declared"
same 'it exports what the header declares, and nothing else' "$tmp/declared" "$tmp/exported"

# ---- the example of its page, as C and as C++, against the installed library only
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/{/^```/!p}' docs/use/library.md >"$tmp/example.c"
flags() { PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config "$@" regtwin; }
strict='-Wall -Wextra -Werror -pedantic'
counts=''
case ${CFLAGS-} in *--coverage*) counts=--coverage ;; esac   # make coverage-c: the library counts, and needs libgcov
echo '#include <regtwin.h>' >"$tmp/only.c"
for s in 'gcc -std=c99' 'gcc -std=c11' 'g++ -x c++ -std=c++11' 'g++ -x c++ -std=c++20'; do
  # shellcheck disable=SC2046,SC2086
  check "the header alone: $s" $s $strict -fsyntax-only $(flags --cflags) "$tmp/only.c"
done
# shellcheck disable=SC2046,SC2086
check 'the example as C' gcc -std=c11 $strict "$tmp/example.c" $(flags --cflags --libs) $counts -o "$tmp/c"
# shellcheck disable=SC2046,SC2086
check 'the example as C++' g++ -std=c++17 $strict -x c++ "$tmp/example.c" -x none $(flags --cflags --libs) $counts -o "$tmp/c++"
mkdir "$tmp/elsewhere"
(cd "$tmp/elsewhere" && "$tmp/c" bfs >"$tmp/c.out" && "$tmp/c++" bfs >"$tmp/c++.out")
equal 'both run, and find the installed kernels' $? 0
same 'and say the same' "$tmp/c.out" "$tmp/c++.out"
"$regtwin" run bfs --size small --system FineReg --set l1.bytes=16384 --json "$tmp/j" >/dev/null
equal 'what the program says, too' "$(sed -n '1s/.*: \([0-9]*\) cycles.*/\1/p' "$tmp/c.out")" "$(get cycles "$tmp/j")"
REGTWIN_TRACES=$tmp/elsewhere "$tmp/c" bfs >"$tmp/out" 2>"$tmp/err"
equal 'REGTWIN_TRACES goes first' $? 1
has 'an error is a sentence' "^error: found no kernel 'bfs' in .*elsewhere" "$tmp/err"
cat >"$tmp/user.c" <<'END2'
#include <regtwin.h>
#include <stdio.h>
#include <string.h>
#define HOLDS(x) ((x) ? (void)0 : (void)(printf("not so: %s\n", #x), wrong = 1))
int main(int argc, char **argv) {
  int wrong = 0;
  char value[64], text[1200];
  double n = 0, again = 0;
  rt_error e;
  rt_options o;
  memset(&o, 0, sizeof o);
  rt_config *c = rt_config_new(NULL, NULL, &e);
  rt_workload *w = rt_open(argv[argc - 1], NULL, &e);
  HOLDS(c && w && rt_workload_path(w) && !strcmp(rt_workload_path(w), argv[argc - 1]));
  HOLDS(rt_config_get(c, "l1.bytes", value, sizeof value) && !strcmp(value, "49152"));
  HOLDS(rt_config_set(c, "l1.bytes", "x2", &e) && rt_config_get(c, "l1.bytes", value, sizeof value) && !strcmp(value, "98304"));
  HOLDS(!rt_config_set(c, "l1.bytes", "many", &e) && strstr(e.text, "l1.bytes: found 'many'") && !e.file[0]);
  HOLDS(!rt_config_set(c, "l1.bites", "1", &e) && !rt_config_get(c, "l1.bites", value, sizeof value));
  HOLDS(!rt_config_new("gtx1", NULL, &e) && strstr(e.text, "expected common, gtx480, gtx980"));
  HOLDS(!rt_open("no/such.launch", NULL, &e) && !strcmp(e.file, "no/such.launch"));
  rt_error_format(&e, text, sizeof text);
  HOLDS(strstr(text, "no/such.launch: error: ") == text);
  HOLDS(!rt_open("vecadd", "huge", &e) && strstr(e.text, ": small, default"));
  for (int i = 0; i < 2; i++) { /* twice: the first run has not changed the workload */
    rt_result *r = rt_run(w, c, &o, &e);
    HOLDS(r && rt_statistic(r, "cycles", i ? &again : &n) && rt_text(r, "stream_hash") && rt_json(r)[0] == '{');
    HOLDS(rt_statistic(r, "counters.cycles", &again) || 1);
    HOLDS(!rt_statistic(r, "kernel", &again) && !rt_statistic(r, "no.such", &again) && !rt_text(r, "cycles"));
    size_t names = 0;
    for (; rt_statistic_name(r, names); names++) HOLDS(rt_statistic(r, rt_statistic_name(r, names), &again));
    HOLDS(names > 100 && rt_statistic(r, "cycles", &again) && again == n && n > 0);
    rt_result_free(r);
  }
  o.functional = true;
  rt_result *r = rt_run(w, c, &o, &e);
  HOLDS(r && !rt_statistic(r, "cycles", &n) && rt_statistic(r, "warp_instructions", &n) && n > 0);
  rt_result_free(r), rt_result_free(NULL), rt_close(w), rt_close(NULL), rt_config_free(c), rt_config_free(NULL);
  return wrong;
}
END2
# shellcheck disable=SC2046,SC2086
check 'a program that uses all of it' gcc -std=c11 $strict "$tmp/user.c" $(flags --cflags --libs) $counts -o "$tmp/user"
check 'does what the header says' "$tmp/user" traces/kernels/vecadd/vecadd.launch
check 'make uninstall' make -s uninstall PREFIX="$root"
check 'uninstall leaves no file' test -z "$(find "$root" -type f)"
check 'make install below DESTDIR' make -s install DESTDIR="$tmp/package" PREFIX=/usr
check 'goes there' test -s "$tmp/package/usr/lib/libregtwin.a"
equal 'and its places are those of PREFIX' "$(PKG_CONFIG_PATH=$tmp/package/usr/lib/pkgconfig pkg-config --variable=kernels regtwin)" \
  /usr/share/regtwin/kernels
