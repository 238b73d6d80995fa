/* SPDX-License-Identifier: Apache-2.0 */
/* load: see load.h. */
#include "lab/run/load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/regalloc/regalloc.h"
#include "lab/run/compile.h"
#include "lab/run/trace.h"
#include "compiler/ptx/ptx.h"

static bool path_is_directory(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool path_is_file(const char *path) {
  struct stat st;
  return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/* True if this is a regular file, and no other name of standard input. */
static bool path_is_own_file(const char *path) {
  struct stat st;
  return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 && !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool name_has_ending(const char *name, const char *with) {
  const size_t n = strlen(name), m = strlen(with);
  return n > m && !strcmp(name + n - m, with);
}

/* The error of a file that is neither a launch file nor a trace by its name; always false. */
static bool load_refuse_file(const char *name, struct err *e) {
  if (name_has_ending(name, ".cl") || name_has_ending(name, ".cu"))
    return err_at(e, name, 0, 0,
                  "found a kernel's source, expected a launch file: docs/use/launch-files.md shows how its PTX is made "
                  "and what to write; a whole program runs by 'regtwin host'");
  return err_at(e, name, 0, 0,
                "found a file of another name, expected a launch file, whose name ends in .launch, or a trace (.trf): "
                "docs/use/launch-files.md");
}

/* bin/regtwin, build/regtwin, build/VARIANT/regtwin: traces/kernels or share/regtwin/kernels in one of the folders
 * above it. */
static bool beside_program(char *buf, size_t size) {
  static const char *const beside[] = {"traces/kernels", "share/regtwin/kernels"};
  char exe[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0) return false;
  exe[n] = 0;
  for (int up = 0; up < 3; up++) {
    char *slash = strrchr(exe, '/');
    if (!slash) return false;
    *slash = 0;
    for (unsigned i = 0; i < 2; i++)
      if ((size_t)snprintf(buf, size, "%s/%s", exe, beside[i]) < size && path_is_directory(buf)) return true;
  }
  return false;
}

bool traces_root(char *buf, size_t size) {
  const char *env = getenv("REGTWIN_TRACES");
  if (env && env[0]) return (size_t)snprintf(buf, size, "%s", env) < size && path_is_directory(buf);
  if ((size_t)snprintf(buf, size, "traces/kernels") < size && path_is_directory(buf)) return true;
  if (beside_program(buf, size)) return true;
  return traces_installed[0] && (size_t)snprintf(buf, size, "%s", traces_installed) < size && path_is_directory(buf);
}

bool suite_open(struct suite *s, struct err *e) {
  char root[PATH_MAX];
  memset(s, 0, sizeof *s);
  if (!traces_root(root, sizeof root))
    return err_at(e, NULL, 0, 0, "found no directory of kernels, expected ./traces/kernels or $REGTWIN_TRACES");
  return suite_read(s, root, e);
}

static bool in_suite(const char *root, const char *name, struct workload *w) {
  memset(w, 0, sizeof *w);
  if (!name[0] || strlen(name) >= sizeof w->name ||
      (size_t)snprintf(w->path, sizeof w->path, "%s/%s/%s.launch", root, name, name) >= sizeof w->path ||
      !path_is_file(w->path))
    return false;
  snprintf(w->name, sizeof w->name, "%s", name);
  return w->suite = true;
}

bool workload_find(const char *name, struct workload *w, struct err *e) {
  size_t n = strlen(name);
  memset(w, 0, sizeof *w);
  if (name_has_ending(name, ".ptx"))
    return err_at(e, name, 0, 0,
                  "found a PTX file, expected a launch file, which says what the buffers hold and what to launch: "
                  "'regtwin analyze --launch %.200s' prints one to complete; see docs/use/launch-files.md",
                  name);
  w->is_trace = trace_named(name);
  const bool named = w->is_trace || name_has_ending(name, ".launch");
  if (!named && strchr(name, '/') && path_is_own_file(name)) return load_refuse_file(name, e);
  if (!strcmp(name, "-") || strchr(name, '/') || named) {
    const char *slash = strrchr(name, '/');
    if (n >= sizeof w->path) return err_at(e, NULL, 0, 0, "found a path of %zu bytes, expected a launch file", n);
    snprintf(w->path, sizeof w->path, "%s", name);
    snprintf(w->name, sizeof w->name, "%s", slash ? slash + 1 : name);
    n = strlen(w->name);
    if (name_has_ending(w->name, ".launch")) w->name[n - 7] = 0;
    trace_short(w->name);
    return true;
  }
  char root[PATH_MAX];
  if (!traces_root(root, sizeof root))
    return err_at(
        e, NULL, 0, 0,
        "found no directory of kernels, expected ./traces/kernels, $REGTWIN_TRACES or the path of a launch file");
  if (in_suite(root, name, w)) return true;
  /* not a kernel's own name: one that a paper gives it? */
  static const char otherwise[] = ", expected one of 'regtwin list kernels' or the path of a launch file";
  char near[400];
  snprintf(near, sizeof near, "%s", otherwise);
  if (n && n < sizeof w->name) {
    struct suite s;
    bool ok = suite_read(&s, root, e);
    const struct suite_kernel *k = ok ? suite_alias(&s, name, e) : NULL;
    bool found = k && in_suite(root, k->name, w);
    if (ok && !found) suite_suggest(&s, name, otherwise, near, sizeof near);
    suite_free(&s);
    if (found) return true;
    if (e->set) return false;
  }
  if (path_is_file(name)) return load_refuse_file(name, e);
  if (config_has_system(name))
    return err_at(e, NULL, 0, 0,
                  "found no kernel '%.100s', but a system of this name, expected systems after --system or --systems, "
                  "with commas between them and no blanks",
                  name);
  return err_at(e, NULL, 0, 0, "found no kernel '%.100s' in %.200s%s", name, root, near);
}

struct host_limits workload_limits(const struct config *c) {
  return (struct host_limits){(uint64_t)c->sim_max_insns, (uint64_t)c->sim_max_statements};
}

bool workload_read(const char *name, const char *size, struct workload *w, struct err *e) {
  struct config defaults;
  if (!workload_find(name, w, e)) return false;
  if (w->is_trace)
    return err_at(e, w->path, 0, 0, "found a trace, expected a launch file or a kernel's name: it is executed here");
  config_defaults(&defaults);
  w->limits = workload_limits(&defaults);
  w->script = script_read(w->path, e);
  bool ok = w->script && script_choose(w->script, size, e);
  if (ok) snprintf(w->size, sizeof w->size, "%s", script_size(w->script));
  if (ok) w->module = ptx_load(script_ptx(w->script), e);
  if (w->module && script_resolve(w->script, w->module, e)) return true;
  if (ok && !w->module) script_ptx_unread(w->script, e);
  workload_close(w);
  return false;
}

bool workload_alloc(struct workload *w, bool need, struct err *e) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < w->module->nkernel; i++) {
    struct code *c = &w->module->kernel[i];
    if (!workload_has_kernel(w, c->name)) continue; /* its errors do not matter: it is not launched */
    ok = alloc_kernel(w->module, c, need ? 0 : script_regs(w->script, c->name), e);
  }
  return ok;
}

bool workload_open(const char *name, const char *size, struct workload *w, struct err *e) {
  if (!workload_read(name, size, w, e)) return false;
  bool ok = workload_alloc(w, false, e);
  if (!ok) workload_close(w);
  return ok;
}

void workload_close(struct workload *w) {
  compiled_free(w->compiled, w->module);
  w->compiled = NULL;
  module_free(w->module);
  if (w->script) script_free(w->script);
  trace_close(w);
  w->module = NULL;
  w->script = NULL;
}
