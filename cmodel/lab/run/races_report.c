/* SPDX-License-Identifier: Apache-2.0 */
/* races_report: see races_report.h. */
#include "lab/run/races_report.h"

#include <inttypes.h>

#include "base/show.h"
#include "lab/report/json.h"
#include "lab/run/result.h"

bool races_matter(const struct races *r) {
  for (unsigned i = 0; i < races_count(r); i++)
    if (!races_at(r, i)->same_value) return true;
  return races_lost(r) != 0;
}

static void print_side(const char *file, const struct race_side *s, FILE *f) {
  fprintf(f,
          "  %s:%" PRIu32 ":%" PRIu32 ": %s by thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of CTA (%" PRIu32
          ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32 ", lane %" PRIu32 "\n",
          SHOWN(file), s->line, s->col, s->op, s->thread[0], s->thread[1], s->thread[2], s->cta[0], s->cta[1],
          s->cta[2], s->warp, s->lane);
}

static void print_pair(const struct race *r, FILE *f) {
  fprintf(f, "%s in kernel '%s', ", r->same_value ? "race of the same value" : "race", SHOWN(r->kernel));
  if (r->shared) fprintf(f, "shared memory + 0x%" PRIx64, r->address);
  else fprintf(f, "buffer '%s' + 0x%" PRIx64 " (address 0x%" PRIx64 ")", SHOWN(r->buffer), r->offset, r->address);
  fprintf(f, ", launch %" PRIu32 ", met %" PRIu64 " time%s\n", r->launch, r->count, r->count == 1 ? "" : "s");
  print_side(r->file, &r->first, f);
  print_side(r->file, &r->second, f);
}

void races_print(const struct races *r, const char *name, FILE *f) {
  const unsigned n = races_count(r);
  unsigned same = 0;
  for (unsigned i = 0; i < n; i++) same += races_at(r, i)->same_value;
  fprintf(f, "%s: pairs of instructions that race: %u; that store the same value in either order: %u\n", SHOWN(name),
          n - same, same);
  for (int class = 0; class < 2; class ++)
    for (unsigned i = 0; i < n; i++)
      if (races_at(r, i)->same_value == class) print_pair(races_at(r, i), f);
  if (races_lost(r)) fprintf(f, "%" PRIu64 " more were met than are kept\n", races_lost(r));
}

static json_t *side_json(const struct race_side *s) {
  json_t *o = json_object();
  json_put(o, "line", json_whole(s->line));
  json_put(o, "column", json_whole(s->col));
  json_put(o, "access", json_text(s->op));
  json_put(o, "writes", json_boolean(s->write));
  json_put(o, "cta", result_triple(s->cta));
  json_put(o, "thread", result_triple(s->thread));
  json_put(o, "warp", json_whole(s->warp));
  json_put(o, "lane", json_whole(s->lane));
  return o;
}

json_t *races_json(const struct races *r) {
  json_t *a = json_array();
  for (unsigned i = 0; i < races_count(r); i++) {
    const struct race *p = races_at(r, i);
    json_t *o = json_object();
    json_put(o, "kernel", json_text(p->kernel));
    json_put(o, "file", json_text(p->file));
    json_put(o, "memory", json_text(p->shared ? "shared" : "global"));
    json_put(o, "buffer", p->shared ? json_null() : json_text(p->buffer));
    json_put(o, "offset", json_whole(p->offset));
    json_put(o, "address", json_whole(p->address));
    json_put(o, "launch", json_whole(p->launch));
    json_put(o, "times", json_whole(p->count));
    json_put(o, "same_value", json_boolean(p->same_value));
    json_put(o, "first", side_json(&p->first));
    json_put(o, "second", side_json(&p->second));
    json_array_append_new(a, o);
  }
  return a;
}
