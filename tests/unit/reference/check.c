/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: every kernel of the suite, functionally, against the plain-C references, from the command line.
 *
 *   check [--size NAME] [--hash] [KERNEL...]     all kernels in size default, if nothing is said
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/reference/ref.h"

static bool wanted(int argc, char **argv, const char *name) {
  bool any = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--size")) i++;
    else if (argv[i][0] != '-') {
      any = true;
      if (!strcmp(argv[i], name)) return true;
    }
  }
  return !any;
}

int main(int argc, char **argv) {
  bool hashes = false;
  const char *size = "default";
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--hash")) hashes = true;
    if (!strcmp(argv[i], "--size") && i + 1 < argc) size = argv[i + 1];
  }
  unsigned bad = 0, done = 0;
  for (const struct ref_kernel *k = ref_suite; k; k = k->next) {
    if (!wanted(argc, argv, k->name)) continue;
    char why[1100] = "";
    struct ref_counts c;
    bool ok = ref_run(k, size, hashes, &c, why, sizeof why);
    char quality[80];
    quality_text(&c.quality, quality, sizeof quality);
    printf("%-22s %s  %2" PRIu64 " launches  %9" PRIu64 " warp instructions  %10" PRIu64 " thread instructions  %s%s\n",
           k->name, ok ? "ok  " : "FAIL", c.launches, c.warp_insns, c.thread_insns, ok ? quality : "\n  ",
           ok ? "" : why);
    fflush(stdout);
    bad += !ok;
    done++;
  }
  if (!done) fprintf(stderr, "check: no kernel of that name\n");
  return bad || !done;
}
