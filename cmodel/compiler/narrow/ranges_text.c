/* SPDX-License-Identifier: Apache-2.0 */
/* ranges_text: the results of the range analysis as text, with the names of webs: see analyze_ranges in ranges.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "compiler/narrow/ranges.h"

#include "compiler/regalloc/work.h"
#include "base/show.h"

struct shown {
  const struct code *c;
  const struct register_ranges *r;
  const uint8_t *words; /* per web: of its register */
  const bool *fp;
  FILE *f;
};

enum { TEXT = 64 };

/* A number of at most 65 bits. */
static int ranges_show_number(char *buf, __int128 x) {
  return snprintf(buf, TEXT / 2, "%s%" PRIu64, x < 0 ? "-" : "", (uint64_t)(x < 0 ? -x : x));
}

static const char *ranges_show(char buf[TEXT], const struct value_bounds *r, unsigned words) {
  if (r->hi - r->lo >= ((__int128)1 << 32 * words) - 1) return "any";
  int n = ranges_show_number(buf, r->lo);
  if (r->lo == r->hi) return buf;
  n += snprintf(buf + n, 3, "..");
  ranges_show_number(buf + n, r->hi);
  return buf;
}

static const char *ranges_show_nibbles(char buf[TEXT], const struct value_bounds *r, unsigned words) {
  int at = 0;
  for (unsigned w = words; w-- > 0;) {
    uint8_t n, sgn;
    range_nibbles(r, words, w, &n, &sgn);
    at += snprintf(buf + at, 8, "%u%c%s", n, sgn ? 's' : 'u', w ? ":" : "");
  }
  return buf;
}

static void ranges_put_why(const struct shown *s, const struct insn *i, const struct range_why *w) {
  char text[TEXT];
  if (w->never) {
    fputs("no thread comes here", s->f);
    return;
  }
  fputs(w->rule, s->f);
  if (i->op == OP_LD) fprintf(s->f, " of %s", dtype_name((enum dtype)i->type));
  if (w->loop) fputs(", grows in a loop", s->f);
  if (!w->line) return;
  const struct opnd *o = &i->src[w->operand];
  fprintf(s->f, "; %s is %s by the branch in line %" PRIu32, s->c->vreg[o->reg].name,
          ranges_show(text, &w->in, o->words), w->line);
}

static void ranges_put_insn(const struct shown *s, uint32_t n) {
  const struct insn *i = &s->c->insn[n];
  char text[256], bounds[TEXT], taken[TEXT];
  bool more = false;
  insn_print(s->c, n, text, sizeof text);
  fprintf(s->f, "%6" PRIu32 "  %-58s", n, text);
  for (unsigned k = 0; k < i->ndst; k++) {
    const struct opnd *d = &i->dst[k];
    if (d->kind != O_REG) continue;
    fputs(more ? "  | " : "  ", s->f);
    more = true;
    if (s->fp[d->reg]) {
      fputs("float", s->f);
      continue;
    }
    fprintf(s->f, "%-20s  %-5s  ", ranges_show(bounds, &s->r->dst[n][k], d->words),
            ranges_show_nibbles(taken, &s->r->reg[d->reg], d->words));
    ranges_put_why(s, i, &s->r->why[n][k]);
  }
  putc('\n', s->f);
}

static void ranges_put_bounds(FILE *f, const char *name, const struct bounds *b) {
  bool sign = bounds_signed(b);
  const struct value_bounds is = {sign ? b->slo : (__int128)b->lo, sign ? b->shi : (__int128)b->hi};
  char text[TEXT];
  fprintf(f, " %s %s", name, ranges_show(text, &is, 2));
}

static void ranges_put_facts(const struct code *c, const struct launch_facts *f, FILE *out) {
  static const char *const axis[] = {"ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z"};
  fputs("  launches     ", out);
  if (!f || !f->any) {
    fputs(" nothing is known of them\n", out);
    return;
  }
  for (unsigned k = 0; k < 6; k++) ranges_put_bounds(out, axis[k], k < 3 ? &f->ntid[k] : &f->nctaid[k - 3]);
  fputs("\n", out);
  for (uint32_t p = 0; p < c->nparam; p++) {
    if (c->param[p].array) continue;
    fprintf(out, "  %-13s", p ? "" : "parameters");
    ranges_put_bounds(out, c->param[p].name, &f->param[p]);
    fputs("\n", out);
  }
}

static void ranges_put_counts(const struct shown *s) {
  unsigned count[9] = {0}, words = 0, floats = 0;
  for (uint32_t v = 0; v < s->r->nreg; v++)
    for (unsigned w = 0; w < s->words[v]; w++) {
      uint8_t n, sgn;
      range_nibbles(&s->r->reg[v], s->words[v], w, &n, &sgn);
      if (s->fp[v]) floats++;
      else words++, count[n]++;
    }
  fprintf(s->f, "  webs          %u floats, %u words of integers:", floats, words);
  for (unsigned n = 1; n < 9; n++)
    if (count[n]) fprintf(s->f, " %u of %u bits%s", count[n], 4 * n, n < 8 ? "," : "");
  fputs(
      "\n  range         of what is written; nibbles of its web, u or s if sign-extended (high word : low word); the "
      "rule\n\n",
      s->f);
}

void analyze_ranges(struct module *m, struct code *c, const struct launch_facts *f, FILE *out) {
  struct work w;
  struct code copy;
  struct register_ranges r;
  work_begin(&w, m, c, &copy);
  uint32_t *origin = webs_split(&w);
  register_ranges_build(w.c, w.nv, f, &r);
  const char **name = webs_names(&w, origin, w.nv);
  bool *fp = xcalloc((size_t)w.nv + 1, sizeof *fp);
  struct vreg *vreg = xcalloc((size_t)w.nv + 1, sizeof *vreg);
  webs_floats(&w, fp);
  for (uint32_t v = 0; v < w.nv; v++) vreg[v] = (struct vreg){w.words[v], name[v]};
  copy.vreg = vreg;
  copy.nvreg = w.nv;
  struct shown s = {&copy, &r, w.words, fp, out};
  fprintf(out, "kernel %s (%s:%" PRIu32 ")\n", c->name, SHOWN(c->file), c->line);
  ranges_put_facts(c, f, out);
  ranges_put_counts(&s);
  for (uint32_t i = 0; i < copy.n; i++) ranges_put_insn(&s, i);
  free(vreg);
  free(fp);
  free(name);
  free(origin);
  register_ranges_free(&r);
  work_end(&w);
}
