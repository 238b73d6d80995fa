#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install gives a program, a library and headers that work from there; uninstall leaves nothing.
. "$(dirname "$0")/../lib.sh"
check 'make install' make -s install DESTDIR="$tmp/root" PREFIX=/usr
root=$tmp/root/usr
for f in bin/regtwin lib/libregtwin.a include/regtwin/regtwin.h lib/pkgconfig/regtwin.pc share/man/man1/regtwin.1 \
         share/bash-completion/completions/regtwin share/regtwin/traces/sgemm/small.launch \
         share/regtwin/traces/ssao/perfect.widths; do
  check "installed: $f" test -s "$root/$f"
done
check 'the installed program finds its kernels' env -C / "$root/bin/regtwin" run vecadd --size small
cat >"$tmp/user.c" <<'END'
#include <regtwin.h>
#include <regtwin/regtwin.h>
int main(int argc, char **argv) {
  struct workload w;
  struct config c;
  struct run_result r;
  struct err e = {0};
  config_defaults(&c);
  if (argc != 2 || !config_machine(&c, "gtx980", &e) || !workload_open(argv[1], "", &w, &e)) return 1;
  bool ok = run_workload(&w, &c, 0, false, NULL, &r, &e);
  workload_close(&w);
  return ok && r.sm.cycles > 0 ? 0 : 1;
}
END
flags() { PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root pkg-config "$@" regtwin; }
# shellcheck disable=SC2046
check 'a program builds against the installed library' \
  gcc -std=gnu11 -Wall -Werror "$tmp/user.c" $(flags --cflags) $(flags --libs) -o "$tmp/user"
check 'and runs' "$tmp/user" traces/vecadd/small.launch
check 'make uninstall' make -s uninstall DESTDIR="$tmp/root" PREFIX=/usr
check 'uninstall leaves no file' test -z "$(find "$tmp/root" -type f)"
