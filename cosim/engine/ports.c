/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports: compares a block's .def with its RTL as Yosys read it (write_json): direction, width and order of the ports; that
 * every STATE is a register of that width there; and that the registers and memories of the RTL are those of the .def, name
 * by name, bit for bit, each memory with at most one read and one write port. Linked with the block's twin.o.
 *   ports FILE.json DEF-NAME RTL-NAME   exit status 2 with one line per disagreement
 *   ports --list                        the ports and registers, one a line: kind, name, width, elements
 *   ports --parameters                  the parameters, one a line: param, name, value
 *   ports --enums                       the ENUMs as SystemVerilog, for B_enum.svh
 *   ports --storage                     bits of its own flip-flops, of its own memories
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "item.h"

static const char *def, *rtl;
static int wrong;

static const char *port_direction(enum item_kind k) { return k == ITEM_IN ? "input" : "output"; }

static void ports_disagree(const char *name) {
  wrong++;
  fprintf(stderr, "%s and %s disagree on %s: ", def, rtl, name);
}

/* [96], or with a shape [96] = 2 x 6 x 8. */
static const char *port_bits(const struct item *i, char text[static ITEM_NAME]) {
  size_t n = (size_t)snprintf(text, ITEM_NAME, "[%u]", item_bits(i));
  for (unsigned r = 0; r < i->shape.rank; r++)
    n += (size_t)snprintf(text + n, ITEM_NAME - n, " %s %u", r ? "x" : "=", i->shape.dim[r]);
  if (i->shape.rank) snprintf(text + n, ITEM_NAME - n, " x %u", i->width);
  return text;
}

static void port_check(json_t *ports, const struct item *i) {
  json_t *p = json_object_get(ports, i->name);
  char shape[ITEM_NAME];
  if (!p) {
    ports_disagree(i->name);
    fprintf(stderr, "%s %s in the .def, no such port in the RTL\n", port_direction(i->kind), port_bits(i, shape));
    return;
  }
  const char *d = json_string_value(json_object_get(p, "direction"));
  size_t width = json_array_size(json_object_get(p, "bits"));
  if (!d || strcmp(d, port_direction(i->kind)) || width != item_bits(i)) {
    ports_disagree(i->name);
    fprintf(stderr, "%s %s in the .def, %s [%zu] in the RTL\n", port_direction(i->kind), port_bits(i, shape),
            d ? d : "?", width);
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

/* A register of `width` bits. */
static void register_check(json_t *module, const char *name, unsigned width) {
  json_t *net = json_object_get(json_object_get(module, "netnames"), name);
  if (!net) {
    ports_disagree(name);
    fprintf(stderr, "STATE [%u] in the .def, no such register in the RTL\n", width);
    return;
  }
  json_t *bits = json_object_get(net, "bits");
  if (json_array_size(bits) != width) {
    ports_disagree(name);
    fprintf(stderr, "STATE [%u] in the .def, [%zu] in the RTL\n", width, json_array_size(bits));
    return;
  }
  json_t *first = json_array_get(bits, 0);
  if (json_is_integer(first) && !driven_by_ff(json_object_get(module, "cells"), json_integer_value(first))) {
    ports_disagree(name);
    fprintf(stderr, "STATE [%u] in the .def, no flip-flop in the RTL\n", width);
  }
}

static void state_check(json_t *module, const struct item *i) {
  json_t *memory = json_object_get(json_object_get(module, "memories"), i->name);
  if (!i->array) {
    register_check(module, i->name, item_bits(i));
  } else if (memory) {
    json_int_t width = json_integer_value(json_object_get(memory, "width"));
    json_int_t size = json_integer_value(json_object_get(memory, "size"));
    if (width != i->width || size != i->n) {
      ports_disagree(i->name);
      fprintf(stderr, "STATE [%u] x %u in the .def, [%lld] x %lld in the RTL\n", i->width, i->n, (long long)width,
              (long long)size);
    }
  } else {
    for (unsigned n = 0; n < i->n; n++) {
      char name[96];
      snprintf(name, sizeof name, "%s[%u]", i->name, n);
      register_check(module, name, i->width);
    }
    char past[96];
    snprintf(past, sizeof past, "%s[%u]", i->name, i->n);
    if (json_object_get(json_object_get(module, "netnames"), past)) {
      ports_disagree(i->name);
      fprintf(stderr, "STATE x %u in the .def, more than that in the RTL\n", i->n);
    }
  }
}

static int port_is_declared(const char *name) {
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if ((i->kind == ITEM_IN || i->kind == ITEM_OUT) && !strcmp(i->name, name)) return 1;
  }
  return 0;
}

/* Ports of the RTL come in the order of the .def, behind clock and reset. */
static void ports_check_order(json_t *ports) {
  const char *name;
  json_t *p;
  unsigned k = 0;
  json_object_foreach(ports, name, p) {
    if (!strcmp(name, "clk_i") || !strcmp(name, "rst_ni") || wrong) continue;
    while (k < block_golden.items && block_golden.item[k].kind != ITEM_IN && block_golden.item[k].kind != ITEM_OUT) k++;
    const char *expected = k < block_golden.items ? block_golden.item[k++].name : "none";
    if (!strcmp(name, expected)) continue;
    ports_disagree(name);
    fprintf(stderr, "%s comes there in the .def, %s in the RTL\n", expected, name);
  }
}

/* ---- storage: the registers and memories of the RTL, by name, generated ones and those of small modules added up ---- */
enum { STORES = 256 };
static struct store {
  char name[96];
  long long bits;
  int ram;         /* 0: register; ports of a memory */
  long long width; /* of a memory's word; -1: several of this name differ */
} store[STORES];
static unsigned stores;

static struct store *store_add(const char *name, long long bits, int ram) {
  const char *dot = strrchr(name, '.');
  char base[96];
  snprintf(base, sizeof base, "%s", dot ? dot + 1 : name);
  base[strcspn(base, "[")] = 0;
  unsigned k = 0;
  while (k < stores && strcmp(store[k].name, base)) k++;
  if (k == STORES) fprintf(stderr, "%s: more than %d registers\n", rtl, STORES), exit(2);
  if (k == stores) snprintf(store[stores++].name, sizeof base, "%s", base);
  store[k].bits += bits;
  store[k].ram = ram;
  return &store[k];
}

/* A word of it lies in the memories of its lanes. */
static void store_add_ram(const char *name, json_t *module, int ports) {
  const char *lane;
  json_t *m;
  long long width = 0, bits = 0;
  json_object_foreach(json_object_get(module, "memories"), lane, m) {
    const long long w = json_integer_value(json_object_get(m, "width"));
    width += w;
    bits += w * json_integer_value(json_object_get(m, "size"));
  }
  struct store *s = store_add(name, bits, ports);
  s->width = s->width && s->width != width ? -1 : width;
}

/* A module's own name, without the parameters that Yosys writes to it. */
static const char *module_plain_name(const char *module) {
  if (strncmp(module, "$paramod", 8)) return module;
  const char *name = strchr(module, '\\') + 1;
  static char text[96];
  snprintf(text, sizeof text, "%.*s", (int)strcspn(name, "\\"), name);
  return text;
}

static int part_is_declared(const char *name) {
  for (unsigned k = 0; k < block_golden.items; k++)
    if (block_golden.item[k].kind == ITEM_PART && !strcmp(block_golden.item[k].name, name)) return 1;
  return 0;
}

/* The register whose first bit this is: of a net's names one that ends in _q. */
static const char *register_of_bit(json_t *module, json_int_t bit) {
  const char *name, *found = NULL;
  json_t *net;
  json_object_foreach(json_object_get(module, "netnames"), name, net) {
    size_t k;
    json_t *b;
    char base[96];
    if (*name == '$') continue;
    const char *dot = strrchr(name, '.');
    snprintf(base, sizeof base, "%s", dot ? dot + 1 : name);
    base[strcspn(base, "[")] = 0;
    const size_t n = strlen(base);
    if (n < 2 || strcmp(base + n - 2, "_q")) continue;
    json_array_foreach(json_object_get(net, "bits"), k, b) {
      if (json_is_integer(b) && json_integer_value(b) == bit && (!found || strlen(name) < strlen(found))) found = name;
    }
  }
  return found;
}

/* What Yosys makes itself, for writes of single bits and of arrays and for a loop's variable, has no name of the source; what is
 * declared in a block without a name has one. */
static int of_source(const char *net) {
  return *net != '$' || !strncmp(net, "$unnamed_block$", strlen("$unnamed_block$"));
}

static void store_add_flip_flop(json_t *module, json_t *cell) {
  json_t *q = json_object_get(json_object_get(cell, "connections"), "Q"), *net, *b;
  const json_int_t first = json_integer_value(json_array_get(q, 0));
  const char *name = register_of_bit(module, first), *any, *source = NULL;
  size_t k;
  json_object_foreach(json_object_get(module, "netnames"), any, net) {
    if (!of_source(any) || source) continue;
    json_array_foreach(json_object_get(net, "bits"), k, b) {
      if (json_is_integer(b) && json_integer_value(b) == first) source = any;
    }
  }
  if (source) store_add(name ? name : source, (long long)json_array_size(q), 0);
}

/* Complains of a memory with more than one port of a kind. Yosys makes a memory of an array that is addressed, and a port of each place in the
 * source that reads or assigns it. */
static void memory_check_ports(json_t *module, const char *memory) {
  unsigned reads = 0, writes = 0;
  const char *name;
  json_t *cell;
  json_object_foreach(json_object_get(module, "cells"), name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    const char *id = json_string_value(json_object_get(json_object_get(cell, "parameters"), "MEMID"));
    if (!id || strcmp(id + (*id == '\\'), memory)) continue;
    reads += !strncmp(type, "$memrd", strlen("$memrd"));
    writes += !strncmp(type, "$memwr", strlen("$memwr"));
  }
  if (reads <= 1 && writes <= 1) return;
  ports_disagree(memory);
  fprintf(stderr,
          "%u read and %u write ports in the RTL, expected at most one of each: one address and one statement\n", reads,
          writes);
}

static void store_add_registers(json_t *modules, const char *name) {
  json_t *module = json_object_get(modules, name), *cell, *m;
  const char *of;
  json_object_foreach(json_object_get(module, "cells"), of, cell) {
    const char *type = json_string_value(json_object_get(cell, "type")), *base = module_plain_name(type);
    if (json_object_get(modules, type) == NULL) {
      if (strstr(type, "dff") || strstr(type, "dlatch")) store_add_flip_flop(module, cell);
    } else if (!strcmp(base, "ram_1rw") || !strcmp(base, "ram_1r1w")) {
      store_add_ram(of, json_object_get(modules, type), base[5] == 'r' && base[6] == 'w' ? 1 : 2);
    } else if (!part_is_declared(base)) {
      store_add_registers(modules, type);
    }
  }
  json_object_foreach(json_object_get(module, "memories"), of, m) {
    store_add(of, json_integer_value(json_object_get(m, "width")) * json_integer_value(json_object_get(m, "size")), 0);
    memory_check_ports(module, of);
  }
}

static int item_is_stored(const struct item *i) {
  return i->kind == ITEM_STATE || i->kind == ITEM_REG || i->kind == ITEM_RAM;
}
static long long item_bits_stored(const struct item *i) { return (long long)i->width * (i->n ? i->n : 1); }

static void storage_check(json_t *modules) {
  store_add_registers(modules, block_golden.name);
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if (!item_is_stored(i)) continue;
    const int ram = i->kind == ITEM_RAM ? (int)i->value : 0;
    unsigned s = 0;
    while (s < stores && strcmp(store[s].name, i->name)) s++;
    const long long found = s < stores && store[s].ram == ram ? store[s].bits : 0;
    if (s < stores) store[s].bits = store[s].ram == ram ? 0 : store[s].bits;
    if (found == item_bits_stored(i) && ram && store[s].width != i->width) {
      ports_disagree(i->name);
      fprintf(stderr, "words of %u bits in the .def, of %lld in the RTL\n", i->width, store[s].width);
    }
    if (found == item_bits_stored(i)) continue;
    ports_disagree(i->name);
    fprintf(stderr, "%lld bits of %s in the .def, %lld in the RTL\n", item_bits_stored(i),
            ram == 2 ? "ram_1r1w"
            : ram    ? "ram_1rw"
                     : "registers",
            found);
  }
  for (unsigned s = 0; s < stores; s++) {
    if (!store[s].bits) continue;
    ports_disagree(store[s].name);
    fprintf(stderr, "no %s in the .def, %lld bits in the RTL\n", store[s].ram ? "such RAM" : "such REG or STATE",
            store[s].bits);
  }
}

static int print_storage(void) {
  long long bits[2] = {0};
  for (unsigned k = 0; k < block_golden.items; k++)
    if (item_is_stored(&block_golden.item[k]))
      bits[block_golden.item[k].kind == ITEM_RAM] += item_bits_stored(&block_golden.item[k]);
  printf("%lld %lld\n", bits[0], bits[1]);
  return 0;
}

static int print_list(void) {
  static const char *const kind[] = {[ITEM_IN] = "in", [ITEM_OUT] = "out", [ITEM_STATE] = "state"};
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if (i->kind <= ITEM_STATE)
      printf("%s %s %u %u\n", i->depends ? "comb" : kind[i->kind], i->name, i->array ? i->width : item_bits(i),
             i->array ? i->n : 1);
  }
  return 0;
}

static int print_parameters(void) {
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if (i->kind == ITEM_PARAM) printf("param %s %lld\n", i->name, i->value);
  }
  return 0;
}

/* Ports of the RTL that the .def does not have. */
static void ports_check_extra(json_t *ports) {
  const char *name;
  json_t *p;
  int clock = 0, reset = 0;
  json_object_foreach(ports, name, p) {
    if (!strcmp(name, "clk_i")) clock = 1;
    else if (!strcmp(name, "rst_ni")) reset = 1;
    else if (!port_is_declared(name)) {
      ports_disagree(name);
      fprintf(stderr, "no such port in the .def, %s [%zu] in the RTL\n",
              json_string_value(json_object_get(p, "direction")), json_array_size(json_object_get(p, "bits")));
    }
  }
  if (clock == block_golden.combinational || reset == block_golden.combinational) {
    ports_disagree("clk_i, rst_ni");
    fprintf(stderr, "%s in the .def, %s in the RTL\n", block_golden.combinational ? "COMBINATIONAL" : "a clocked block",
            clock && reset ? "both ports there" : "not both there");
  }
}

/* A port of the .def, of one of two kinds. */
static int port_is_of_kind(const char *name, size_t n, enum item_kind a, enum item_kind b) {
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if ((i->kind == a || i->kind == b) && !strncmp(i->name, name, n) && !i->name[n]) return 1;
  }
  return 0;
}

/* A line of names, each of which must be such a port. */
static void ports_check_names(const char *line, const char *names, enum item_kind a, enum item_kind b,
                              const char *expected) {
  for (const char *p = names; *p;) {
    size_t n = strcspn(p, " ");
    if (!port_is_of_kind(p, n, a, b))
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
    if (i->kind == ITEM_QUIET) ports_check_names("QUIET", i->name, ITEM_IN, ITEM_IN, "input");
    if (i->kind == ITEM_LOOSE) ports_check_names("LOOSE", i->name, ITEM_OUT, ITEM_OUT, "output");
    if (i->kind == ITEM_DATA) ports_check_names("DATA", i->name, ITEM_IN, ITEM_OUT, "input or output");
  }
  if ((lines == 0) != block_golden.combinational) {
    wrong++;
    fprintf(stderr, "%s: found %d QUIET lines, expected %s\n", def, lines,
            lines ? "none, as it has no clock" : "at least one");
  }
}

/* Writes a name of words between _ as words with capitals: memory_wait is MemoryWait. */
static void name_write_camel(const char *from, size_t n, char *to, size_t room) {
  size_t at = 0;
  for (size_t k = 0; k < n && at + 1 < room; k++)
    if (from[k] != '_') to[at++] = (char)(!k || from[k - 1] == '_' ? toupper((unsigned char)from[k]) : from[k]);
  to[at] = 0;
}

/* Prints every ENUM as localparams. Values of state_q have their names alone; those of other ports and registers begin with the last word
 * of that name: the swap of command_operation_o is OperationSwap. */
static int print_enums(void) {
  printf("// SPDX-License-Identifier: Apache-2.0\n// The ENUMs of %s.def, made by make enums.\n", block_golden.name);
  printf("/* verilator lint_off UNUSEDPARAM */\n");
  for (unsigned k = 1; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k - 1];
    if (block_golden.item[k].kind != ITEM_ENUM) continue;
    char before[64] = "", name[64];
    const char *suffix = strrchr(i->name, '_'), *word = suffix;
    while (word > i->name && word[-1] != '_') word--;
    if (strcmp(i->name, "state_q")) name_write_camel(word, (size_t)(suffix - word), before, sizeof before);
    for (const char *p = block_golden.item[k].name; *p;) {
      char *end;
      const unsigned long value = strtoul(p, &end, 0);
      const size_t n = strcspn(end, " ");
      name_write_camel(end + 1, n - 1, name, sizeof name);
      printf("localparam logic [%u:0] %s%s = %u'd%lu;\n", i->width - 1, before, name, i->width, value);
      p = end + n + strspn(end + n, " ");
    }
  }
  printf("/* verilator lint_on UNUSEDPARAM */\n");
  return 0;
}

int main(int argc, char **argv) {
  json_error_t error;
  if (argc == 2 && !strcmp(argv[1], "--storage")) return print_storage();
  if (argc == 2 && !strcmp(argv[1], "--list")) return print_list();
  if (argc == 2 && !strcmp(argv[1], "--parameters")) return print_parameters();
  if (argc == 2 && !strcmp(argv[1], "--enums")) return print_enums();
  if (argc != 4)
    return fprintf(stderr, "usage: ports FILE.json DEF RTL | --list | --parameters | --storage | --enums\n"), 2;
  def = argv[2];
  rtl = argv[3];
  json_t *root = json_load_file(argv[1], 0, &error);
  if (!root) return fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text), 2;
  json_t *module = json_object_get(json_object_get(root, "modules"), block_golden.name);
  if (!module) return fprintf(stderr, "%s: no module %s\n", rtl, block_golden.name), 2;
  json_t *ports = json_object_get(module, "ports");
  for (unsigned k = 0; k < block_golden.items; k++) {
    const struct item *i = &block_golden.item[k];
    if (i->kind == ITEM_IN || i->kind == ITEM_OUT) port_check(ports, i);
    if (i->kind == ITEM_STATE) state_check(module, i);
  }
  ports_check_extra(ports);
  ports_check_order(ports);
  storage_check(json_object_get(root, "modules"));
  lines_of_names();
  json_decref(root);
  return wrong ? 2 : 0;
}
