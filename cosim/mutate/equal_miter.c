/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal_miter: the module "top" that the solver gets. It holds the block without registers twice, `good` without a fault and
 * `bad` with one, and its output "differ" is 1 where an output or a next state differs. Inputs and registers have any value
 * that the rule allows, the same on both sides. What a memory is read as is any value, too, the same on both sides if the
 * addresses are. g3 and b3 are the wires at port 3 of the two.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"
#include "equal.h"

struct miter {
  const struct ports *ports;
  const struct legal *legal;
  char **plain; /* name of each port without a backslash: "count_q__d", or "count_q$ff__d" of a register with a name */
  char **reg;   /* the same without "$ff" */
  bool *free;   /* of a register that may differ */
  struct dictionary reached;
  FILE *wires, *good, *bad, *differ;
};

static bool name_ends(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n >= m && !strcmp(name + n - m, end);
}

/* "count_q", "count_q[3]" */
static bool name_is_register(const char *name) {
  size_t n = strlen(name);
  if (n && name[n - 1] == ']') {
    size_t from = n - 1;
    while (from && isdigit((unsigned char)name[from - 1])) from--;
    if (from == n - 1 || !from || name[from - 1] != '[') return false;
    n = from - 1;
  }
  return n >= 2 && !memcmp(name + n - 2, "_q", 2);
}

static bool name_is_in(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; *at;) {
    size_t m = strcspn(at, " ");
    if (m == n && !memcmp(at, name, n)) return true;
    at += m + (at[m] == ' ');
  }
  return false;
}

static void miter_name_ports(struct miter *m) {
  size_t n = m->ports->n;
  m->plain = xcalloc(n, sizeof *m->plain);
  m->reg = xcalloc(n, sizeof *m->reg);
  m->free = xcalloc(n, sizeof *m->free);
  for (size_t i = 0; i < n; i++) {
    const char *name = m->ports->port[i].name;
    name += *name == '\\';
    m->plain[i] = text_copy(name, strlen(name));
    char *reg = m->reg[i] = text_copy(name, strlen(name)), *ff = strstr(reg, "$ff__");
    if (ff) memmove(ff, ff + 3, strlen(ff + 3) + 1);
    if (!name_ends(reg, "__d") && !name_ends(reg, "__q")) continue;
    char *bare = text_copy(reg, strlen(reg) - 3);
    m->free[i] = name_is_in(m->legal->apart, bare);
    free(bare);
  }
}

/* The number of the port of that name, or of a named register's port of that name without "$ff"; 0: none. */
static size_t miter_port(const struct miter *m, const char *name, const char *end) {
  size_t n = strlen(name);
  for (size_t i = m->ports->n; i-- > 0;) {
    const char *names[] = {m->ports->port[i].name, m->reg[i]};
    for (int k = 0; k < (strcmp(m->plain[i], m->reg[i]) ? 2 : 1); k++)
      if (!strncmp(names[k], name, n) && !strcmp(names[k] + n, end)) return i + 1;
  }
  return 0;
}

/* The same for a memory's port; that there is none is an error. */
static size_t miter_need_port(const struct miter *m, const char *memory, const char *end) {
  size_t k = miter_port(m, memory, end);
  if (k) return k;
  fprintf(stderr, "equal: found a memory %s without %s, expected a port\n", SHOWN(memory), end);
  exit(2);
}

static bool miter_reaches(struct miter *m, const char *name) {
  name += *name == '\\';
  return dictionary_find(&m->reached, "*") || dictionary_find(&m->reached, name);
}

/* Prints the relation of the registers that may differ: with x_q for the block's and x_q' for that with the fault. `next`:
 * of their values in the next cycle. */
static void miter_print_relation(const struct miter *m, bool next, FILE *f) {
  const char *s = m->legal->same;
  while (*s) {
    const char *end = s;
    while (isalnum((unsigned char)*end) || *end == '_' || *end == '.') end++;
    size_t n = (size_t)(end - s);
    /* the longest name that ends in _q, with one character at least before that */
    while (n >= 3 && memcmp(s + n - 2, "_q", 2)) n--;
    if (n < 3 || !(isalpha((unsigned char)*s) || *s == '_')) {
      putc(*s++, f);
      continue;
    }
    char *name = text_copy(s, n);
    bool other = s[n] == '\'';
    size_t k = miter_port(m, name, next ? "__d" : "__q");
    if (!k) {
      fprintf(stderr, "equal: while: found %s, expected a register\n", SHOWN(name));
      exit(2);
    }
    if (other) fprintf(f, "b%zu", k);
    else if (next) fprintf(f, "g%zu", k);
    else fprintf(f, "\\%s ", m->plain[k - 1]);
    s += n + other;
    free(name);
  }
}

enum port_kind { PORT_SELECT, PORT_READ, PORT_FREE, PORT_SAME, PORT_RULE, PORT_COMPARED };

static enum port_kind miter_kind(const struct miter *m, size_t i) {
  const struct port *p = &m->ports->port[i];
  if (!strcmp(p->name, "mutsel_i")) return PORT_SELECT;
  if (p->input) return name_ends(p->name, "__rd") ? PORT_READ : m->free[i] ? PORT_FREE : PORT_SAME;
  return name_is_register(p->name) && strstr(m->legal->rule, p->name) ? PORT_RULE : PORT_COMPARED;
}

/* Declares the wires at a port, and connects them. */
static void miter_connect(struct miter *m, size_t i) {
  const struct port *p = &m->ports->port[i];
  const char *blank = *p->name == '\\' ? " " : "", *range = p->range;
  enum port_kind kind = miter_kind(m, i);
  size_t k = i + 1;
  bool named =
      kind == PORT_FREE || kind == PORT_SAME || kind == PORT_RULE; /* the good side's wire has the port's name */
  if (kind == PORT_SELECT) return;
  if (kind == PORT_READ)
    fprintf(m->wires, "  (* anyseq, keep *) wire %s g%zu, other%zu;\n  wire %s b%zu;\n", range, k, k, range, k);
  if (kind == PORT_COMPARED) fprintf(m->wires, "  wire %s g%zu, b%zu;\n", range, k, k);
  if (named)
    fprintf(m->wires, "  %swire %s %s%s;\n", kind == PORT_RULE ? "" : "(* anyseq, keep *) ", range, p->name, blank);
  if (kind == PORT_FREE) fprintf(m->wires, "  (* anyseq, keep *) wire %s b%zu;\n", range, k);
  fprintf(m->good, ", .%s%s(", p->name, blank);
  if (named) fprintf(m->good, "%s%s)", p->name, blank);
  else fprintf(m->good, "g%zu)", k);
  if (kind == PORT_RULE) return;
  fprintf(m->bad, ", .%s%s(", p->name, blank);
  if (kind == PORT_SAME) fprintf(m->bad, "%s%s)", p->name, blank);
  else fprintf(m->bad, "b%zu)", k);
}

/* Collects the terms of "differ", and what memories are read as. */
static void miter_compare(struct miter *m) {
  const struct port *port = m->ports->port;
  for (size_t i = 0; i < m->ports->n; i++) {
    const char *name = port[i].name;
    enum port_kind kind = miter_kind(m, i);
    size_t k = i + 1;
    if (kind == PORT_READ) {
      size_t ra = miter_need_port(m, text_copy(name, strlen(name) - 4), "__ra");
      fprintf(m->wires, "  assign b%zu = g%zu == b%zu ? g%zu : other%zu;\n", k, ra, ra, k, k);
    }
    if (kind != PORT_COMPARED) continue;
    if (name_ends(name, "__we")) {
      const char *memory = text_copy(name, strlen(name) - 4);
      size_t wa = miter_need_port(m, memory, "__wa"), wd = miter_need_port(m, memory, "__wd");
      if (miter_reaches(m, name) || miter_reaches(m, port[wa - 1].name) || miter_reaches(m, port[wd - 1].name))
        fprintf(m->differ, " || (|g%zu && g%zu != b%zu) || ((g%zu ^ b%zu) & g%zu) != 0", k, wa, wa, wd, wd, k);
    }
    if (m->free[i] || !miter_reaches(m, name)) continue;
    if (name_ends(name, "__ra") || name_ends(name, "__wa") || name_ends(name, "__wd")) continue;
    fprintf(m->differ, " || g%zu != b%zu", k, k);
  }
}

void miter_print(const char *number, const char *module, const struct ports *p, const struct legal *l,
                 const char *reach, bool related) {
  struct legal own = *l;
  struct miter m = {.ports = p, .legal = &own};
  char *text[4];
  size_t size[4];
  FILE **stream[] = {&m.wires, &m.good, &m.bad, &m.differ};
  struct textfile t;
  unsigned bits = 0;
  if (!related) own.apart = own.same = "";
  for (int i = 0; i < 4; i++)
    if (!(*stream[i] = open_memstream(&text[i], &size[i]))) no_memory(1, 1);
  textfile_open(&t, reach);
  for (char *line; (line = textfile_next(&t));) *dictionary_slot(&m.reached, line) = line;
  miter_name_ports(&m);
  for (size_t i = 0; i < p->n; i++) {
    miter_connect(&m, i);
    if (miter_kind(&m, i) == PORT_SELECT) bits = 1 + (*p->port[i].range ? (unsigned)atoi(p->port[i].range + 1) : 0);
  }
  if (!bits) {
    fprintf(stderr, "equal: found no port mutsel_i of %s, expected the netlist with the faults\n", SHOWN(module));
    exit(2);
  }
  miter_compare(&m);
  if (*own.same) {
    fputs(" || !(", m.differ);
    miter_print_relation(&m, true, m.differ);
    fputs(")", m.differ);
  }
  for (int i = 0; i < 4; i++) fclose(*stream[i]);
  printf("module top(differ);\n  output differ;\n%s\n", text[0]);
  printf("  %s good(.mutsel_i(%u'd0)%s);\n", module, bits, text[1]);
  printf("  %s bad(.mutsel_i(%u'd%s)%s);\n", module, bits, number, text[2]);
  printf("  assign differ = 1'b0%s;\n  always @* assume((%s)", text[3], own.rule);
  if (*own.same) {
    fputs(" && (!rst_ni || (", stdout);
    miter_print_relation(&m, false, stdout);
    fputs("))", stdout);
  }
  puts(");\nendmodule");
}
