/* SPDX-License-Identifier: Apache-2.0 */
/* list: regtwin list kernels|systems|configs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **what = state->input;
  if (key == ARGP_KEY_NO_ARGS)
    argp_error(state, "found nothing to list, expected kernels, systems or configs");
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (*what) argp_error(state, "found a second argument '%s', expected one", arg);
  if (strcmp(arg, "kernels") && strcmp(arg, "systems") && strcmp(arg, "configs"))
    argp_error(state, "found '%s', expected kernels, systems or configs", arg);
  *what = arg;
  return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The first line of a launch file, without its "# ". */
static void describe(const char *path, char *buf, size_t size) {
  buf[0] = 0;
  FILE *f = fopen(path, "r");
  if (!f) return;
  if (fgets(buf, (int)size, f)) {
    buf[strcspn(buf, "\n")] = 0;
    size_t skip = strspn(buf, "# ");
    memmove(buf, buf + skip, strlen(buf + skip) + 1);
  }
  fclose(f);
}

static bool one_kernel(const char *name, struct err *e) {
  static const char *const sizes[] = {"small", "default"};
  for (unsigned i = 0; i < 2; i++) {
    struct workload w;
    struct err missing = {0};
    char text[200];
    if (!workload_find(name, sizes[i], &w, &missing)) continue;
    describe(w.path, text, sizeof text);
    w.script = script_read(w.path, e);
    if (!w.script) return false;
    printf("%-22s %-8s %s\n", i ? "" : name, sizes[i], text);
    if (i) {
      printf("%-22s %-8s launches", "", "");
      for (unsigned k = 0; script_kernel(w.script, k); k++) printf(" %s", script_kernel(w.script, k));
      putchar('\n');
    }
    script_free(w.script);
  }
  return true;
}

static int list_kernels(void) {
  char root[4096];
  struct err e = {0};
  DIR *d = traces_root(root, sizeof root) ? opendir(root) : NULL;
  if (!d) {
    err_at(&e, NULL, 0, 0, "found no directory of kernels, expected ./traces or $REGTWIN_TRACES");
    return complain(&e);
  }
  char **name = NULL;
  unsigned n = 0, cap = 0;
  for (struct dirent *f; (f = readdir(d));) {
    struct workload w;
    struct err none = {0};
    if (f->d_name[0] == '.' || !workload_find(f->d_name, "small", &w, &none) || !w.size[0]) continue;
    VEC_PUSH(name, n, cap) = strdup(f->d_name);
  }
  closedir(d);
  if (n) qsort(name, n, sizeof *name, by_name);
  bool ok = true;
  for (unsigned i = 0; i < n; i++) {
    ok = ok && one_kernel(name[i], &e);
    free(name[i]);
  }
  free(name);
  return ok ? 0 : complain(&e);
}

int cmd_list(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse, .args_doc = "kernels|systems|configs", .doc = "What is there."};
  const char *what = NULL;
  if (argp_parse(&argp, argc, argv, 0, NULL, &what)) return EXIT_INPUT;
  if (!strcmp(what, "kernels")) return list_kernels();
  for (const struct config_name *n = strcmp(what, "systems") ? config_machines() : config_systems(); n->name;
       n++)
    printf("%-12s %s\n", n->name, n->text);
  return 0;
}
