/* SPDX-License-Identifier: Apache-2.0 */
/* experiment_report: findings as text, Markdown and JSON. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/show.h"
#include "lab/campaign/experiment.h"
#include "cost/papers.h"
#include "lab/report/json.h"

static const char *claim_ours_text(char buf[CELL], const struct claim *c) {
  if (isnan(c->ours)) snprintf(buf, CELL, "-");
  else snprintf(buf, CELL, "%.*f%s", (int)c->decimals, c->ours, c->earlier ? "~" : "");
  return buf;
}

void findings_print(const struct findings *f, FILE *out) {
  const struct experiment *x = f->experiment;
  char buf[CELL];
  fprintf(out, "%s   %s (%.*s, %s)\n", x->id, x->title, (int)strcspn(papers[x->paper].source, ","),
          papers[x->paper].source, x->where);
  if (x->note[0]) fprintf(out, "%s\n", x->note);
  if (x->kernels[0]) fprintf(out, "%s of %s, size %s, %u runs\n\n", f->sms, SHOWN(f->machine), f->size, f->runs);
  for (unsigned i = 0; i < f->nsheet; i++) {
    struct table *t = table_new(f->sheet[i].columns);
    for (unsigned c = 0; c < f->sheet[i].columns; c++) table_head(t, c, f->sheet[i].column[c]);
    sheet_section(&f->sheet[i], t);
    table_print(t, out);
    table_free(t);
    fputc('\n', out);
  }
  for (unsigned i = 0; i < f->nremark; i++) fprintf(out, "%s\n", SHOWN(f->remark[i]));
  if (f->nremark) fputc('\n', out);
  if (!f->nclaim) return;
  struct table *t = table_new(2);
  table_head(t, 0, "ours");
  table_head(t, 1, "paper");
  for (unsigned i = 0; i < f->nclaim; i++) {
    table_row(t, f->claim[i].what, "");
    table_cell(t, 0, claim_ours_text(buf, &f->claim[i]));
    table_cell(t, 1, f->claim[i].paper);
  }
  table_print(t, out);
  table_free(t);
  fputc('\n', out);
}

void findings_markdown(const struct findings *f, const char *images, FILE *out) {
  const struct experiment *x = f->experiment;
  char buf[CELL];
  fprintf(out, "## %s: %s (%s)\n\n", x->id, x->title, x->where);
  if (x->note[0])
    fprintf(out, "%c%s.%s", toupper((unsigned char)x->note[0]), x->note + 1, x->kernels[0] ? " " : "\n\n");
  if (x->kernels[0])
    fprintf(out, "%c%s of %s, size %s, %u runs.\n\n", toupper(f->sms[0]), f->sms + 1, MARKDOWN(f->machine), f->size,
            f->runs);
  if (f->nclaim) {
    fprintf(out, "|  | ours | paper |\n|---|--:|--:|\n");
    for (unsigned i = 0; i < f->nclaim; i++)
      fprintf(out, "| %s | %s | %s |\n", MARKDOWN(f->claim[i].what), claim_ours_text(buf, &f->claim[i]),
              f->claim[i].paper);
    fputc('\n', out);
  }
  if (f->nsheet && images) fprintf(out, "![%s](%s/%s.png)\n\n", x->id, images, x->id);
  for (unsigned i = 0; i < f->nsheet; i++) sheet_markdown(&f->sheet[i], out);
  for (unsigned i = 0; i < f->nremark; i++) fprintf(out, "- %s\n", MARKDOWN(f->remark[i]));
  for (unsigned i = 0; i < f->ncomplaint; i++) fprintf(out, "- %s\n", MARKDOWN(f->complaint[i]));
  if (f->nremark || f->ncomplaint) fputc('\n', out);
}

json_t *findings_json(const struct findings *f) {
  const struct experiment *x = f->experiment;
  json_t *o = json_object(), *sheets = json_array(), *claims = json_array(), *complaints = json_array(),
         *remarks = json_array();
  json_put(o, "regtwin", json_text(RT_VERSION));
  json_put(o, "experiment", json_text(x->id));
  json_put(o, "paper", json_text(papers[x->paper].source));
  json_put(o, "where", json_text(x->where));
  json_put(o, "title", json_text(x->title));
  json_put(o, "note", json_text(x->note));
  json_put(o, "config", json_text(f->machine));
  json_put(o, "size", json_text(f->size));
  json_put(o, "runs", json_whole(f->runs));
  for (unsigned i = 0; i < f->nsheet; i++) json_array_append_new(sheets, sheet_json(&f->sheet[i]));
  for (unsigned i = 0; i < f->nclaim; i++) {
    json_t *c = json_object();
    json_put(c, "what", json_text(f->claim[i].what));
    json_put(c, "ours", isnan(f->claim[i].ours) ? json_null() : json_real(f->claim[i].ours));
    json_put(c, "paper", json_text(f->claim[i].paper));
    if (f->claim[i].earlier) json_put(c, "earlier_verilog", json_boolean(true));
    json_array_append_new(claims, c);
  }
  for (unsigned i = 0; i < f->ncomplaint; i++) json_array_append_new(complaints, json_text(f->complaint[i]));
  for (unsigned i = 0; i < f->nremark; i++) json_array_append_new(remarks, json_text(SHOWN(f->remark[i])));
  json_put(o, "tables", sheets);
  json_put(o, "numbers", claims);
  json_put(o, "remarks", remarks);
  json_put(o, "complaints", complaints);
  return o;
}

void findings_items(struct findings *f, const char *system) {
  unsigned n, first = 0;
  const struct cost_item *item = cost_items(&n);
  while (first < n && strcmp(item[first].system, system)) first++;
  if (first == n) die("%s: no ITEM line", system);
  struct sheet *s = findings_sheet(f, 2, 0, item[first].unit);
  snprintf(s->column[0], sizeof s->column[0], "the paper's counts");
  snprintf(s->column[1], sizeof s->column[1], "built");
  for (unsigned i = first; i < n && !strcmp(item[i].system, system); i++) {
    char what[160];
    double *v = sheet_row(s, item[i].item, "");
    v[0] = item[i].items > 0 ? item[i].items : NAN;
    v[1] = item[i].built;
    if (item[i].earlier) sheet_mark(s, 1);
    snprintf(what, sizeof what, "%s, %s", item[i].item, item[i].unit);
    findings_claim(f, what, item[i].stated, item[i].built, 0);
    f->claim[f->nclaim - 1].earlier = item[i].earlier;
    (void)VEC_PUSH(f->remark, f->nremark, f->remarks_cap);
    snprintf(f->remark[f->nremark - 1], sizeof *f->remark, "%s: %s", item[i].item, item[i].note);
  }
}
