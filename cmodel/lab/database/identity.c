/* SPDX-License-Identifier: Apache-2.0 */
/* identity: see identity.h. */
#include "lab/database/identity.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/io.h"
#include "config/keys.h"
#include "gen/program.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/traceg.h"

const char identity_program[IDENTITY] = RT_PROGRAM;

static void identity_finish(struct sha256_ctx *h, char id[IDENTITY]) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(h, sizeof digest, digest);
  for (unsigned i = 0; i < sizeof digest; i++) snprintf(id + (size_t)2 * i, 3, "%02x", digest[i]);
}

/* A text and its end. */
static void identity_add_text(struct sha256_ctx *h, const char *text) {
  sha256_update(h, strlen(text) + 1, (const uint8_t *)text);
}

/* Its contents as a hash of their own, so that no file runs into the next. */
static bool identity_add_file(struct sha256_ctx *h, const char *path, struct err *e) {
  uint8_t buf[65536];
  char why[IO_WHY], id[IDENTITY];
  struct sha256_ctx one;
  FILE *f = input_open(path, why);
  if (!f) return err_at(e, path, 0, 0, "cannot read: %s", why);
  sha256_init(&one);
  for (size_t n; (n = fread(buf, 1, sizeof buf, f));) sha256_update(&one, n, buf);
  const bool ok = !ferror(f);
  fclose(f);
  identity_finish(&one, id);
  identity_add_text(h, id);
  return ok || err_at(e, path, 0, 0, "cannot read: %s", strerror(EIO));
}

bool identity_config(const struct config *c, char id[IDENTITY], struct err *e) {
  struct sha256_ctx h;
  char *text = config_dump_text(c);
  sha256_init(&h);
  identity_add_text(&h, text);
  free(text);
  bool ok = true;
  for (unsigned i = 0; ok && i < config_nkeys; i++) { /* a file may get other contents under its name */
    const char *path = (const char *)c + config_keys[i].offset;
    if (config_keys[i].type == KEY_PATH && path[0]) ok = identity_add_file(&h, path, e);
  }
  identity_finish(&h, id);
  return ok;
}

/* ---- work ---- */

struct files {
  struct sha256_ctx *h;
  struct err *e;
};
static bool identity_add_data(void *ctx, const char *path) {
  struct files *f = ctx;
  identity_add_text(f->h, "data");
  return identity_add_file(f->h, path, f->e);
}

static int dirent_by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}
static int dirent_is_beside(const struct dirent *d) {
  return !strcmp(d->d_name, "about.yaml") || text_ends_with(d->d_name, ".widths");
}

/* The manifest and the files of widths in the launch file's directory. */
static bool identity_add_beside(struct sha256_ctx *h, const char *launch_file, struct err *e) {
  char dir[PATH_MAX], path[2 * PATH_MAX];
  struct dirent **d = NULL;
  snprintf(dir, sizeof dir, "%s", launch_file);
  char *slash = strrchr(dir, '/');
  if (slash) slash[1] = 0;
  else snprintf(dir, sizeof dir, "./");
  const int n = scandir(dir, &d, dirent_is_beside, dirent_by_name);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%s%s", dir, d[i]->d_name);
    identity_add_text(h, d[i]->d_name);
    ok = ok && identity_add_file(h, path, e);
    free(d[i]);
  }
  free(d);
  return ok;
}

static bool identity_add_launch(struct sha256_ctx *h, const char *path, struct err *e) {
  struct script *s = script_read(path, e);
  if (!s) return false;
  struct files files = {h, e};
  identity_add_text(h, "launch");
  bool ok = identity_add_file(h, path, e);
  identity_add_text(h, "ptx");
  ok = ok && (identity_add_file(h, script_ptx(s), e) || script_ptx_unread(s, e)) &&
       script_files(s, identity_add_data, &files) && identity_add_beside(h, path, e);
  script_free(s);
  return ok;
}

/* Accel-Sim's files: the list, all that it names, and a user's opcode map. */
static bool identity_add_foreign(struct sha256_ctx *h, const char *path, struct err *e) {
  struct traceg_list list = {0};
  const char *opcodes = opmap_user();
  bool ok = identity_add_file(h, path, e) && (!opcodes || identity_add_file(h, opcodes, e));
  if (!ok || !traceg_is_list(path)) return ok;
  ok = traceg_list(path, &list, e);
  for (uint32_t k = 0; ok && k < list.n; k++) ok = identity_add_file(h, list.path[k], e);
  traceg_list_free(&list);
  return ok;
}

bool identity_work(const struct workload *w, char id[IDENTITY], struct err *e) {
  struct sha256_ctx h;
  sha256_init(&h);
  if (w->is_trace) identity_add_text(&h, "trace");
  const bool ok = traceg_is(w->path) ? identity_add_foreign(&h, w->path, e)
                  : w->is_trace      ? identity_add_file(&h, w->path, e)
                                     : identity_add_launch(&h, w->path, e);
  identity_finish(&h, id);
  return ok;
}

void identity_run(const char *what, const char *config, const char *work, const char *size, uint64_t seed,
                  char id[IDENTITY]) {
  struct sha256_ctx h;
  char text[32];
  sha256_init(&h);
  identity_add_text(&h, identity_program);
  identity_add_text(&h, config);
  identity_add_text(&h, work);
  snprintf(text, sizeof text, "%" PRIu64, seed);
  identity_add_text(&h, text);
  identity_add_text(&h, size);
  identity_add_text(&h, what);
  identity_finish(&h, id);
}
