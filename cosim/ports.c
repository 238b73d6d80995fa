/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports: compares a block's .def with its RTL as Yosys read it (write_json): direction, width and order of the ports,
 * and that every STATE is a register of that width there. ports FILE.json DEF-NAME RTL-NAME: exit status 2 with one
 * line per disagreement. Linked with the block's describe.o.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"

static const char *def, *rtl;
static int wrong;

static const char *direction(enum item_kind k) { return k == ITEM_IN ? "input" : "output"; }

static void bad(const char *name) {
  wrong++;
  fprintf(stderr, "%s and %s disagree on %s: ", def, rtl, name);
}

static void port(json_t *ports, const struct item *i) {
  json_t *p = json_object_get(ports, i->name);
  if (!p) {
    bad(i->name);
    fprintf(stderr, "%s [%u] in the .def, no such port in the RTL\n", direction(i->kind), i->width);
    return;
  }
  const char *d = json_string_value(json_object_get(p, "direction"));
  size_t width = json_array_size(json_object_get(p, "bits"));
  if (!d || strcmp(d, direction(i->kind)) || width != i->width) {
    bad(i->name);
    fprintf(stderr, "%s [%u] in the .def, %s [%zu] in the RTL\n", direction(i->kind), i->width, d ? d : "?", width);
  }
}

/* Is this bit the output of a flip-flop? */
static int driven_by_ff(json_t *cells, json_int_t bit) {
  const char *name;
  json_t *cell;
  json_object_foreach(cells, name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    if (!type || (!strstr(type, "dff") && !strstr(type, "sdff"))) continue;
    json_t *q = json_object_get(json_object_get(cell, "connections"), "Q");
    size_t k;
    json_t *b;
    json_array_foreach(q, k, b) if (json_is_integer(b) && json_integer_value(b) == bit) return 1;
  }
  return 0;
}

static void reg(json_t *module, const struct item *i, const char *name) {
  json_t *net = json_object_get(json_object_get(module, "netnames"), name);
  if (!net) {
    bad(name);
    fprintf(stderr, "STATE [%u] in the .def, no such register in the RTL\n", i->width);
    return;
  }
  json_t *bits = json_object_get(net, "bits");
  if (json_array_size(bits) != i->width) {
    bad(name);
    fprintf(stderr, "STATE [%u] in the .def, [%zu] in the RTL\n", i->width, json_array_size(bits));
    return;
  }
  json_t *first = json_array_get(bits, 0);
  if (json_is_integer(first) && !driven_by_ff(json_object_get(module, "cells"), json_integer_value(first))) {
    bad(name);
    fprintf(stderr, "STATE [%u] in the .def, no flip-flop in the RTL\n", i->width);
  }
}

static void state(json_t *module, const struct item *i) {
  json_t *memory = json_object_get(json_object_get(module, "memories"), i->name);
  if (!i->n) {
    reg(module, i, i->name);
  } else if (memory) {
    json_int_t width = json_integer_value(json_object_get(memory, "width"));
    json_int_t size = json_integer_value(json_object_get(memory, "size"));
    if (width != i->width || size != i->n) {
      bad(i->name);
      fprintf(stderr, "STATE [%u] x %u in the .def, [%lld] x %lld in the RTL\n", i->width, i->n, (long long)width,
              (long long)size);
    }
  } else {
    for (unsigned n = 0; n < i->n; n++) {
      char name[96];
      snprintf(name, sizeof name, "%s[%u]", i->name, n);
      reg(module, i, name);
    }
    char past[96];
    snprintf(past, sizeof past, "%s[%u]", i->name, i->n);
    if (json_object_get(json_object_get(module, "netnames"), past)) {
      bad(i->name);
      fprintf(stderr, "STATE x %u in the .def, more than that in the RTL\n", i->n);
    }
  }
}

static int declared(const char *name) {
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if ((i->kind == ITEM_IN || i->kind == ITEM_OUT) && !strcmp(i->name, name)) return 1;
  }
  return 0;
}

/* Ports of the RTL that the .def does not have. */
static void extra(json_t *ports) {
  const char *name;
  json_t *p;
  int clock = 0, reset = 0;
  json_object_foreach(ports, name, p) {
    if (!strcmp(name, "clk_i")) clock = 1;
    else if (!strcmp(name, "rst_ni")) reset = 1;
    else if (!declared(name)) {
      bad(name);
      fprintf(stderr, "no such port in the .def, %s [%zu] in the RTL\n",
              json_string_value(json_object_get(p, "direction")), json_array_size(json_object_get(p, "bits")));
    }
  }
  if (clock == block_golden.combinational || reset == block_golden.combinational) {
    bad("clk_i, rst_ni");
    fprintf(stderr, "%s in the .def, %s in the RTL\n", block_golden.combinational ? "COMBINATIONAL" : "a clocked block",
            clock && reset ? "both ports there" : "not both there");
  }
}

/* A port of the .def, of one of two kinds. */
static int is_port(const char *name, size_t n, enum item_kind a, enum item_kind b) {
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if ((i->kind == a || i->kind == b) && !strncmp(i->name, name, n) && !i->name[n]) return 1;
  }
  return 0;
}

/* A line of names, each of which must be such a port. */
static void named(const char *line, const char *names, enum item_kind a, enum item_kind b, const char *expected) {
  for (const char *p = names; *p;) {
    size_t n = strcspn(p, " ");
    if (!is_port(p, n, a, b))
      wrong++, fprintf(stderr, "%s: %s names %.*s, expected an %s\n", def, line, (int)n, p, expected);
    p += n + strspn(p + n, " ");
  }
}

/* The lines that name ports. What idle and skip hold under are QUIET lines of inputs. */
static void lines_of_names(void) {
  int lines = 0;
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    lines += i->kind == ITEM_QUIET;
    if (i->kind == ITEM_QUIET) named("QUIET", i->name, ITEM_IN, ITEM_IN, "input");
    if (i->kind == ITEM_LOOSE) named("LOOSE", i->name, ITEM_OUT, ITEM_OUT, "output");
    if (i->kind == ITEM_DATA) named("DATA", i->name, ITEM_IN, ITEM_OUT, "input or output");
  }
  if ((lines == 0) != block_golden.combinational) {
    wrong++;
    fprintf(stderr, "%s: found %d QUIET lines, expected %s\n", def, lines,
            lines ? "none, as it has no clock" : "at least one");
  }
}

int main(int argc, char **argv) {
  json_error_t error;
  if (argc != 4) return fprintf(stderr, "usage: ports FILE.json DEF RTL\n"), 2;
  def = argv[2];
  rtl = argv[3];
  json_t *root = json_load_file(argv[1], 0, &error);
  if (!root) return fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text), 2;
  json_t *module = json_object_get(json_object_get(root, "modules"), block_golden.name);
  if (!module) return fprintf(stderr, "%s: no module %s\n", rtl, block_golden.name), 2;
  json_t *ports = json_object_get(module, "ports");
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if (i->kind == ITEM_IN || i->kind == ITEM_OUT) port(ports, i);
    if (i->kind == ITEM_STATE) state(module, i);
  }
  extra(ports);
  lines_of_names();
  json_decref(root);
  return wrong ? 2 : 0;
}
