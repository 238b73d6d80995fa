/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_files: see slurm_files.h; and slurm_task, which reads the one and writes the other. */
#include "lab/campaign/slurm_files.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/io.h"
#include "lab/report/json.h"
#include "lab/run/columns.h"

enum { FILE_MOST = 1 << 30, LAUNCHES_MOST = 1 << 20 };

static bool slurm_write_json(const char *path, const json_t *j, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_replace(path, why);
  const bool ok = o && !json_dumpf(j, output_stream(o), JSON_COMPACT);
  return (o && output_close(o, ok, why) && ok) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

static json_t *slurm_read_json(const char *path, struct err *e) {
  char why[IO_WHY];
  size_t n;
  json_error_t bad;
  char *text = input_read(path, FILE_MOST, &n, why);
  if (!text) return err_at(e, path, 0, 0, "cannot read: %s", why), NULL;
  json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &bad);
  free(text);
  if (!j) err_at(e, path, bad.line, bad.column, "found broken JSON (%s), expected a file of a sweep", bad.text);
  return j;
}

/* Members as texts and numbers; "" and 0 when they are not there. */
static const char *slurm_member_text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}
static bool slurm_wrong_file(const char *path, const char *what, struct err *e) {
  return err_at(e, path, 0, 0, "found no %s, expected a file of a sweep", what);
}

/* ---- tasks ---- */

static json_t *slurm_config_json(const struct config *c) {
  char *text = config_dump_text(c);
  json_t *j = json_text(text);
  free(text);
  return j;
}

bool slurm_write_task(const struct sweep *s, const unsigned *run, unsigned n, const char *path, struct err *e) {
  json_t *all = json_object(), *runs = json_array(), *configs = json_object();
  char seed[24];
  for (unsigned i = 0; i < n; i++) {
    const struct sweep_run *r = &s->run[run[i]];
    const struct config *c = s->config[r->config];
    const char *id = s->config_id[r->config];
    json_t *o = json_object();
    json_put(o, "key", json_text(r->run.key));
    json_put(o, "kernel", json_text(s->kernels.kernel[r->kernel].name));
    json_put(o, "size", json_text(s->plan->size));
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    json_put(o, "seed", json_text(seed));
    json_put(o, "machine", json_text(c->machine));
    json_put(o, "system", json_text(c->system));
    json_put(o, "config", json_text(id));
    json_array_append_new(runs, o);
    if (!json_object_get(configs, id)) json_put(configs, id, slurm_config_json(c));
  }
  json_put(all, "seconds", json_real(s->plan->seconds));
  json_put(all, "memory_mb", json_whole(s->plan->memory_mb));
  json_put(all, "configs", configs);
  json_put(all, "runs", runs);
  const bool ok = slurm_write_json(path, all, e);
  json_decref(all);
  return ok;
}

static bool slurm_read_task(const json_t *all, const json_t *o, const char *path, struct task *t, struct err *e) {
  const char *config = slurm_member_text(json_object_get(all, "configs"), slurm_member_text(o, "config"));
  memset(t, 0, sizeof *t);
  if (!config[0] || !slurm_member_text(o, "kernel")[0])
    return slurm_wrong_file(path, "configuration or kernel of a run", e);
  snprintf(t->name, sizeof t->name, "%s", slurm_member_text(o, "kernel"));
  snprintf(t->size, sizeof t->size, "%s", slurm_member_text(o, "size"));
  t->seed = strtoull(slurm_member_text(o, "seed"), NULL, 10);
  config_defaults(&t->cfg);
  if (!config_text(&t->cfg, path, config, strlen(config), e)) return false;
  snprintf(t->cfg.machine, sizeof t->cfg.machine, "%s", slurm_member_text(o, "machine"));
  snprintf(t->cfg.system, sizeof t->cfg.system, "%s", slurm_member_text(o, "system"));
  return true;
}

/* Is it the run that the sweep meant? The files of a node could be others. */
static bool slurm_same_key(const struct task *t, const char *key, struct err *e) {
  struct workload w;
  char config[IDENTITY], work[IDENTITY], id[IDENTITY];
  if (!workload_find(t->name, &w, e) || !identity_config(&t->cfg, config, e) || !identity_work(&w, work, e))
    return false;
  identity_run(work_run.name, config, work, t->size, t->seed, id);
  return !strcmp(id, key) ||
         err_at(e, NULL, 0, 0, "found other files on this node than where the plan was read, expected the same");
}

static json_t *slurm_row_json(const void *row, const struct column *c, unsigned n) {
  json_t *o = json_object();
  char text[COLUMN_TEXT_MOST];
  for (unsigned i = 0; i < n; i++) json_put(o, c[i].name, json_text(column_text(row, &c[i], text)));
  return o;
}

static json_t *slurm_answer_json(const char *key, const struct answer *a, const struct run_result *r) {
  json_t *o = json_object(), *launches = json_array();
  char text[1200];
  json_put(o, "key", json_text(key));
  json_put(o, "ok", json_boolean(a->ok));
  json_put(o, "lost", json_whole(a->lost));
  json_put(o, "seconds", json_real(a->seconds));
  json_put(o, "memory", json_whole(a->peak_rss_bytes));
  err_format(&a->e, text, sizeof text);
  json_put(o, "error", json_text(a->ok ? "" : text));
  if (a->ok) {
    snprintf(text, sizeof text, "%016" PRIx64, columns_sum(r, run_columns, run_ncolumns));
    json_put(o, "sum", json_text(text));
    json_put(o, "result", slurm_row_json(r, run_columns, run_ncolumns));
  }
  for (size_t i = 0; a->ok && (i + 1) * sizeof(struct run_launch) <= a->more.n; i++) {
    struct run_launch l;
    memcpy(&l, (const char *)a->more.data + i * sizeof l, sizeof l);
    json_array_append_new(launches, slurm_row_json(&l, launch_columns, launch_ncolumns));
  }
  json_put(o, "launches", launches);
  return o;
}

struct task_file {
  const char *path;
  json_t *all, *runs, *answers;
  size_t next;
  struct task task;
};

static const char *task_file_key(const struct task_file *f, size_t i) {
  return slurm_member_text(json_array_get(f->runs, i), "key");
}

static const void *slurm_next_task(void *ctx, unsigned *id) {
  struct task_file *f = ctx;
  while (f->next < json_array_size(f->runs)) {
    const size_t i = f->next++;
    struct answer a = {.lost = LOST_DIED};
    *id = (unsigned)i;
    if (slurm_read_task(f->all, json_array_get(f->runs, i), f->path, &f->task, &a.e) &&
        slurm_same_key(&f->task, task_file_key(f, i), &a.e))
      return &f->task;
    json_array_append_new(f->answers, slurm_answer_json(task_file_key(f, i), &a, NULL));
  }
  return NULL;
}
static bool slurm_task_ended(void *ctx, unsigned id, const struct answer *a, const void *out) {
  struct task_file *f = ctx;
  json_array_append_new(f->answers, slurm_answer_json(task_file_key(f, id), a, out));
  return true;
}

/* DIR/task-N.json: DIR/out-N.json. */
static bool slurm_out_name(const char *path, char *out, size_t size, struct err *e) {
  const char *name = path_name(path);
  return (!strncmp(name, "task-", 5) &&
          (size_t)snprintf(out, size, "%.*sout-%s", (int)(name - path), path, name + 5) < size) ||
         err_at(e, path, 0, 0, "found this name, expected task-N.json in the spool of a sweep");
}

bool slurm_task(const char *path, struct err *e) {
  char out[4096];
  struct task_file *f = xcalloc(1, sizeof *f);
  f->path = path;
  f->all = slurm_out_name(path, out, sizeof out, e) ? slurm_read_json(path, e) : NULL;
  f->runs = json_object_get(f->all, "runs");
  bool ok = f->all && (json_is_array(f->runs) || slurm_wrong_file(path, "runs", e));
  f->answers = json_array();
  const struct pool_feed feed = {.work = &work_run,
                                 .jobs = 1,
                                 .more = true,
                                 .limits = {json_number_value(json_object_get(f->all, "seconds")),
                                            (uint64_t)json_number_value(json_object_get(f->all, "memory_mb")) << 20},
                                 .next = slurm_next_task,
                                 .ended = slurm_task_ended,
                                 .ctx = f};
  if (ok) pool_feed(&feed);
  json_t *told = json_object();
  json_put(told, "runs", json_incref(f->answers));
  ok = ok && slurm_write_json(out, told, e);
  json_decref(told), json_decref(f->answers), json_decref(f->all);
  free(f);
  return ok;
}

/* ---- answers ---- */

static bool slurm_read_row(const json_t *o, void *row, const struct column *c, unsigned n) {
  bool ok = json_is_object(o);
  for (unsigned i = 0; ok && i < n; i++) {
    const char *text = json_string_value(json_object_get(o, c[i].name));
    ok = text && column_read(row, &c[i], text);
  }
  return ok;
}

static bool slurm_read_result(const json_t *o, struct slurm_answer *a) {
  char sum[17];
  a->result = xcalloc(1, sizeof *a->result);
  if (!slurm_read_row(json_object_get(o, "result"), a->result, run_columns, run_ncolumns)) return false;
  snprintf(sum, sizeof sum, "%016" PRIx64, columns_sum(a->result, run_columns, run_ncolumns));
  if (strcmp(sum, slurm_member_text(o, "sum")) != 0) return false;
  const json_t *launches = json_object_get(o, "launches");
  const size_t n = json_array_size(launches);
  if (n > LAUNCHES_MOST) return false;
  struct run_launch *l = xcalloc(n, sizeof *l);
  a->answer.more = (struct blob){l, n * sizeof *l};
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++)
    ok = slurm_read_row(json_array_get(launches, i), &l[i], launch_columns, launch_ncolumns);
  return ok;
}

static bool slurm_read_answer(const json_t *o, struct slurm_answer *a) {
  const char *key = slurm_member_text(o, "key");
  const json_int_t lost = json_integer_value(json_object_get(o, "lost"));
  if (strlen(key) != IDENTITY - 1 || lost < LOST_NO || lost > LOST_DIED) return false;
  memcpy(a->key, key, IDENTITY);
  a->answer.ok = json_is_true(json_object_get(o, "ok"));
  a->answer.lost = (enum lost)lost;
  a->answer.seconds = json_number_value(json_object_get(o, "seconds"));
  a->answer.peak_rss_bytes = (uint64_t)json_integer_value(json_object_get(o, "memory"));
  if (!a->answer.ok) err_at(&a->answer.e, NULL, 0, 0, "%s", slurm_member_text(o, "error"));
  return !a->answer.ok || slurm_read_result(o, a);
}

bool slurm_read_answers(const char *path, struct slurm_answers *a, struct err *e) {
  memset(a, 0, sizeof *a);
  json_t *j = slurm_read_json(path, e);
  if (!j) return false;
  const json_t *runs = json_object_get(j, "runs");
  bool ok = json_is_array(runs) || slurm_wrong_file(path, "runs", e);
  for (size_t i = 0; ok && i < json_array_size(runs); i++) {
    VEC_PUSH(a->of, a->n, a->cap) = (struct slurm_answer){0};
    ok = slurm_read_answer(json_array_get(runs, i), &a->of[a->n - 1]) ||
         slurm_wrong_file(path, "complete result of a run", e);
  }
  json_decref(j);
  return ok;
}

void slurm_answers_free(struct slurm_answers *a) {
  for (unsigned i = 0; i < a->n; i++) free(a->of[i].result), free(a->of[i].answer.more.data);
  free(a->of);
  memset(a, 0, sizeof *a);
}
