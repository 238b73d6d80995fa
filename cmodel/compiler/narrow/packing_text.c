/* SPDX-License-Identifier: Apache-2.0 */
/* packing_text: packed code as readable text: the table, and each operand with its web, kind, width and place. */
#include <inttypes.h>
#include <string.h>

#include "compiler/narrow/packing.h"
#include "base/bits.h"
#include "base/show.h"
#include "blocks/slice/entry.h"

/* "row7[3..0]", or in runs "row7[7,3..1]"; the slices from the highest nibble down. */
static int packing_put_part(char *to, size_t size, uint32_t e, bool part) {
  unsigned m = entry_m(e, part);
  int n = snprintf(to, size, "row%u[", entry_r(e, part));
  for (int s = 7, low; s >= 0; s = low - 1) {
    for (low = s; low > 0 && m >> s & 1 && m >> (low - 1) & 1;) low--;
    if (!(m >> s & 1)) continue;
    bool more = m & ((1u << low) - 1);
    if (low < s) n += snprintf(to + n, size - (size_t)n, "%d..%d%s", s, low, more ? "," : "]");
    else n += snprintf(to + n, size - (size_t)n, "%d%s", s, more ? "," : "]");
  }
  return n;
}

static const char *packing_show_place(uint32_t e, char *to,
                                      size_t size) { /* the high part first, as numbers are written */
  int n = 0;
  if (entry_m(e, true)) {
    n = packing_put_part(to, size, e, true);
    to[n++] = '+';
  }
  packing_put_part(to + n, size - (size_t)n, e, false);
  return to;
}

static const char *web_kind(const struct web *w) { return w->fp ? "float" : w->sgn ? "signed" : "unsigned"; }

static void packing_put_web(const struct code *c, uint32_t web, FILE *f) {
  const struct web *w = &c->packing->web[web];
  char at[64];
  static const char *const half[] = {"", " low", " high"};
  fprintf(f, "  %s%s %s n%u %s", w->name, half[w->words == 2 ? 1 + w->word : 0], web_kind(w), w->n,
          packing_show_place(c->packing->entry[w->reg], at, sizeof at));
}

static void packing_put_table(const struct code *c, FILE *f) {
  const struct packing *p = c->packing;
  uint32_t webs[256] = {0};
  for (uint32_t k = 0; k < p->nweb; k++) webs[p->web[k].reg]++;
  fprintf(f, "\nindex  entry     place                          webs\n");
  for (uint32_t a = 0; a < c->nreg; a++) {
    char at[64];
    fprintf(f, "%5" PRIu32 "  %08" PRIx32 "  %-30s %4" PRIu32 "\n", a, p->entry[a],
            packing_show_place(p->entry[a], at, sizeof at), webs[a]);
  }
}

void analyze_slices(const struct code *c, FILE *f) {
  const struct packing *p = c->packing;
  uint32_t split = 0, narrow = 0;
  for (uint32_t k = 0; k < p->nweb; k++) {
    narrow += p->web[k].n < 8;
    split += entry_m(p->entry[p->web[k].reg], true) != 0;
  }
  fprintf(f, "kernel %s (%s:%" PRIu32 ")\n", c->name, SHOWN(c->file ? c->file : "?"), c->line);
  fprintf(f, "  instructions  %" PRIu32 "\n", c->n);
  fprintf(f,
          "  rows          %" PRIu32 " physical registers (32-bit, per thread); at most %" PRIu32
          " slices of 4 bits are taken at once: %" PRIu32 " could do\n",
          p->rows, p->slices, (p->slices + 7) / 8);
  fprintf(f, "  indices       %" PRIu32 " of the table: architectural registers\n", c->nreg);
  fprintf(
      f, "  webs          %" PRIu32 " values of 32 bits, %" PRIu32 " of them narrow, %" PRIu32 " split over two rows\n",
      p->nweb, narrow, split);
  packing_put_table(c, f);
  fputc('\n', f);
  for (uint32_t i = 0; i < c->n; i++) {
    char text[256];
    insn_print(c, i, text, sizeof text);
    fprintf(f, "%6" PRIu32 "  %s\n", i, text);
    for (unsigned k = 0; k < c->op[i].ndst; k++) {
      fprintf(f, "%*s", 12, k ? "" : "to");
      packing_put_web(c, p->insn[i].dst[k], f);
      fputc('\n', f);
    }
    for (unsigned k = 0; k < c->op[i].nsrc; k++) {
      fprintf(f, "%*s", 12, k ? "" : "from");
      packing_put_web(c, p->insn[i].src[k], f);
      fputc('\n', f);
    }
  }
}
