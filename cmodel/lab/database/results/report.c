/* SPDX-License-Identifier: Apache-2.0 */
/* report: the page around its parts, and what ran; see report.h. */
#include "lab/database/results/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/html.h"
#include "lab/report/table.h"

/* ---- colours and style ---- */

int report_shade(double ratio, bool less_is_better) {
  if (isnan(ratio)) return -1;
  double x = ratio > 0 ? log2(ratio) : -9;
  if (less_is_better) x = -x;
  const double at = REPORT_ONE + (x < 0 ? x * REPORT_ONE : x / 1.585 * (REPORT_SHADES - 1 - REPORT_ONE));
  const int shade = (int)floor(at + 0.5);
  return shade < 0 ? 0 : shade >= REPORT_SHADES ? REPORT_SHADES - 1 : shade;
}

/* Orange below one, white at it, blue above, as in lab/report/heat.h's maps. */
static void report_put_shades(FILE *f) {
  static const struct {
    int at, rgb[3];
  } point[] = {{0, {0xb3, 0x47, 0x00}},
               {4, {0xf0, 0xa8, 0x68}},
               {8, {255, 255, 255}},
               {11, {0x7f, 0xb8, 0xe0}},
               {16, {0x00, 0x42, 0x6b}}};
  for (int i = 0, p = 0; i < REPORT_SHADES; i++) {
    int rgb[3];
    if (i > point[p + 1].at) p++;
    const int from = point[p].at, to = point[p + 1].at;
    for (int k = 0; k < 3; k++)
      rgb[k] = point[p].rgb[k] + (point[p + 1].rgb[k] - point[p].rgb[k]) * (i - from) / (to - from);
    const bool dark = 3 * rgb[0] + 6 * rgb[1] + rgb[2] < 1250;
    fprintf(f, ".h%d{background:#%02x%02x%02x%s}\n", i, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2],
            dark ? ";color:#fff" : "");
  }
}

/* The content of <style>. */
static void report_style(FILE *f) {
  fputs(
      "html{color-scheme:light}\n"
      "body{font:15px/1.5 'DejaVu "
      "Sans',Verdana,Arial,sans-serif;color:#1b1b1b;background:#fff;max-width:1120px;margin:2em "
      "auto;padding:0 1em}\n"
      "h1{font-size:25px}h2{font-size:20px;margin-top:2em;border-bottom:2px solid "
      "#1b1b1b}h3{font-size:16px;margin:1.8em 0 .4em}\n"
      "p{max-width:860px}figure{margin:0;overflow-x:auto;break-inside:avoid}\n"
      "svg{max-width:100%;height:auto;font-size:12px}svg text{fill:#1b1b1b}\n"
      ".e{text-anchor:end}.m{text-anchor:middle}svg .w{fill:#fff}\n"
      ".g{stroke:#dcdcdc;fill:none}.a{stroke:#1b1b1b;fill:none}.l{stroke:#1b1b1b;stroke-dasharray:4 "
      "3;fill:none}.b{stroke:#fff}\n"
      ".s{fill:none;stroke-width:2}.p{stroke:#1b1b1b;stroke-width:.7}\n"
      ".d{fill:#1b1b1b;fill-opacity:.6;stroke:#fff;stroke-width:.6}.d.o{fill:#fff;fill-opacity:1;stroke:#1b1b1b;stroke-"
      "width:1}\n"
      "table{border-collapse:collapse;font-size:13px;margin:.5em "
      "0}caption,figcaption,.c{text-align:left;color:#3d3d3d;font-size:13px;"
      "margin:.3em 0;max-width:860px}\n"
      "th,td{text-align:left;padding:2px 8px;border-bottom:1px solid #ddd;vertical-align:top}th{border-bottom:1px "
      "solid #1b1b1b}\n"
      ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
      ".map td{text-align:center;min-width:38px;padding:3px 4px;border:1px solid "
      "#fff;font-variant-numeric:tabular-nums}\n"
      ".map thead th{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;padding:6px "
      "4px;max-height:220px;border:0}\n"
      ".map thead th:first-child{writing-mode:horizontal-tb;transform:none;vertical-align:bottom}\n"
      ".map tbody th{font-weight:normal;border:0;white-space:nowrap}.map .t td,.map .t th{border-top:2px solid "
      "#1b1b1b;font-weight:bold}\n"
      ".map .f{background:repeating-linear-gradient(45deg,#fff,#fff 3px,#e3e3e3 3px,#e3e3e3 6px)}\n"
      ".map .q{outline:2px dotted #1b1b1b;outline-offset:-3px;background:#fff;color:#1b1b1b}\n"
      "code{font:12px 'DejaVu Sans "
      "Mono',Consolas,monospace;overflow-wrap:anywhere}.runs{font-size:12px;width:100%}.runs "
      "td{padding:1px 6px}\n"
      "@media "
      "print{body{margin:0;max-width:none;font-size:11px}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
      "h2{break-after:avoid}h3{break-after:avoid}tr{break-inside:avoid}figure{overflow:visible}}\n",
      f);
  report_put_shades(f);
}

/* ---- groups ---- */

unsigned report_groups(const struct outcome_set *s, struct report_group **out) {
  struct report_group *all = NULL;
  unsigned n = 0, cap = 0;
  for (unsigned i = 0; i < s->n; i++) {
    const struct outcome *o = &s->row[i];
    unsigned g = 0;
    while (g < n && (strcmp(all[g].machine, o->machine) || strcmp(all[g].size, o->size))) g++;
    if (g == n) VEC_PUSH(all, n, cap) = (struct report_group){.machine = o->machine, .size = o->size};
    VEC_PUSH(all[g].run, all[g].n, all[g].cap) = o;
  }
  *out = all;
  return n;
}

void report_groups_free(struct report_group *g, unsigned n) {
  for (unsigned i = 0; i < n; i++) free(g[i].run);
  free(g);
}

/* ---- what ran ---- */

static const char *const state_text[OUTCOME_STATES] = {
    [OUTCOME_WAITING] = "waiting", [OUTCOME_RUNNING] = "running", [OUTCOME_DONE] = "done",
    [OUTCOME_FAILED] = "failed",   [OUTCOME_LOST] = "lost",       [OUTCOME_REFUSED] = "refused"};

static void count_row(FILE *f, const char *name, const char *size, const struct outcome *const *run, unsigned n) {
  char buf[CELL];
  unsigned of[OUTCOME_STATES] = {0}, partial = 0, runs = 0;
  double seconds = 0;
  for (unsigned i = 0; i < n; i++) {
    if (run[i]->again) continue;
    runs++;
    of[run[i]->state]++;
    partial += run[i]->run && run[i]->partial[0];
    seconds += run[i]->seconds;
  }
  fputs("<tr><td>", f);
  html_text(f, name);
  fputs("</td><td>", f);
  html_text(f, size);
  fprintf(f, "</td><td class=\"n\">%s</td>", text_count(buf, runs));
  for (unsigned s = 0; s < OUTCOME_STATES; s++) fprintf(f, "<td class=\"n\">%s</td>", text_count(buf, of[s]));
  fprintf(f, "<td class=\"n\">%s</td><td class=\"n\">%.1f</td></tr>\n", text_count(buf, partial), seconds / 60);
}

/* What ran, what did not. */
static void report_counts(const struct report *r, FILE *f) {
  struct report_group *g;
  const unsigned n = report_groups(r->set, &g);
  const struct outcome **all = xcalloc(r->set->n, sizeof *all);
  for (unsigned i = 0; i < r->set->n; i++) all[i] = &r->set->row[i];
  fputs(
      "<table><caption>Runs by machine and size of the inputs. Failed: the simulation gave an error. Lost: the run "
      "ended without a "
      "result (memory, time, its host). Refused: the configuration does not fit, it never ran. Partial: done, but cut "
      "short.</caption>\n"
      "<tr><th>machine</th><th>size</th><th class=\"n\">runs</th>",
      f);
  for (unsigned s = 0; s < OUTCOME_STATES; s++) fprintf(f, "<th class=\"n\">%s</th>", state_text[s]);
  fputs("<th class=\"n\">partial</th><th class=\"n\">minutes</th></tr>\n", f);
  for (unsigned i = 0; i < n; i++) count_row(f, g[i].machine, g[i].size, g[i].run, g[i].n);
  if (n != 1) count_row(f, "all", "", all, r->set->n);
  fputs("</table>\n", f);
  free(all);
  report_groups_free(g, n);
}

/* ---- the page ---- */

static void report_put_list(FILE *f, const char *const *name, unsigned n, size_t most) {
  for (unsigned i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    html_short(f, name[i], most);
  }
}

static void report_put_head(const struct report *r, FILE *f) {
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width\"/>\n<title>",
      f);
  html_text(f, r->title);
  fputs("</title>\n<style>\n", f);
  report_style(f);
  fputs("</style>\n</head>\n<body>\n<h1>", f);
  html_text(f, r->title);
  fputs("</h1>\n<p>", f);
  if (r->set->campaigns) {
    fputs(r->set->campaigns == 1 ? "Campaign " : "Campaigns ", f);
    report_put_list(f, r->set->campaign, r->set->campaigns, 60);
    fputs(". ", f);
  }
  if (r->set->n) {
    fputs("Program <code>", f);
    html_short(f, r->set->row[0].program, 13);
    fputs("</code> (a hash of the simulator's sources). ", f);
  }
  if (r->set->other)
    fprintf(f, "The database has %u more runs of other programs, which are not in this report.", r->set->other);
  fputs("</p>\n", f);
}

static void report_put_contents(const struct report_group *g, unsigned n, FILE *f) {
  fputs("<p><a href=\"#ran\">What ran</a>", f);
  for (unsigned i = 0; i < n; i++) {
    fprintf(f, " &#183; <a href=\"#v%u\">", i + 1);
    html_print(f, "%.60s%s%.30s", g[i].machine, g[i].size[0] ? ", " : "", g[i].size);
    fputs("</a>", f);
  }
  fputs(
      " &#183; <a href=\"#papers\">Papers</a> &#183; <a href=\"#runs\">Runs</a> &#183; <a href=\"#csv\">CSV</a></p>\n",
      f);
}

void report_html(const struct report *r, FILE *f) {
  struct report_group *g;
  const unsigned n = report_groups(r->set, &g);
  report_put_head(r, f);
  report_put_contents(g, n, f);
  fputs("<h2 id=\"ran\">What ran</h2>\n", f);
  report_counts(r, f);
  report_failures(r, f);
  for (unsigned i = 0; i < n; i++) {
    struct view v;
    view_make(&v, g[i].run, g[i].n, r->base);
    report_view(r, &v, i + 1, f);
    view_free(&v);
  }
  report_papers(r, f);
  report_runs(r, f);
  report_csv(r, f);
  fputs("</body>\n</html>\n", f);
  report_groups_free(g, n);
}
