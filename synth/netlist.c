/* SPDX-License-Identifier: Apache-2.0 */
/* netlist: see netlist.h. The subset of Verilog that Yosys's write_verilog prints for a mapped, flat module. */
#include "netlist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/show.h"

enum { MOST_WIDTH = 1 << 20 };
enum token { T_END, T_NAME, T_NUMBER, T_CONSTANT, T_PUNCT };

struct symbol { /* a declared name */
  const char *name;
  uint32_t first; /* its lowest bit */
  unsigned width;
  int low; /* number of the lowest bit */
};

struct reader {
  const char *path;
  char *at;
  unsigned line, token_line;
  enum token kind;
  char punct;
  const char *word;
  unsigned value; /* of a number; of a constant its width */
  struct netlist *n;
  const struct liberty *l;
  struct symbol *table; /* hashed */
  unsigned symbols, room;
  uint32_t *joined; /* of a net: the one that it is joined to, itself: a root */
  unsigned nets_room;
};

struct bits { /* an expression's nets, lowest first */
  uint32_t *net;
  unsigned n;
};

/* ---- text ---- */
static void skip_blanks(struct reader *r) {
  for (;;) {
    if (*r->at == '\n') r->line++, r->at++;
    else if (isspace((unsigned char)*r->at)) r->at++;
    else if (r->at[0] == '/' && r->at[1] == '/') r->at += strcspn(r->at, "\n");
    else if ((r->at[0] == '/' && r->at[1] == '*') || (r->at[0] == '(' && r->at[1] == '*' && r->at[2] != ')')) {
      char end = *r->at == '/' ? '/' : ')';
      unsigned from = r->line;
      for (r->at += 2; r->at[0] != '*' || r->at[1] != end; r->at++) {
        if (!*r->at) wrong(r->path, from, "found a comment without an end, expected *%c", end);
        if (*r->at == '\n') r->line++;
      }
      r->at += 2;
    } else return;
  }
}

static const char *copy(const char *from, size_t n) {
  char *to = xcalloc(1, n + 1);
  memcpy(to, from, n);
  return to;
}

static unsigned number(struct reader *r) {
  unsigned long v = 0;
  while (isdigit((unsigned char)*r->at)) {
    v = v * 10 + (unsigned)(*r->at++ - '0');
    if (v > INT32_MAX) wrong(r->path, r->line, "found a number of more than 31 bits, expected a smaller one");
  }
  return (unsigned)v;
}

static void next(struct reader *r) {
  skip_blanks(r);
  r->token_line = r->line;
  if (!*r->at) {
    r->kind = T_END;
  } else if (*r->at == '\\') {
    size_t n = strcspn(++r->at, " \t\r\n");
    r->kind = T_NAME;
    r->word = copy(r->at, n);
    r->at += n;
  } else if (isalpha((unsigned char)*r->at) || *r->at == '_') {
    size_t n = 1;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_' || r->at[n] == '$') n++;
    r->kind = T_NAME;
    r->word = copy(r->at, n);
    r->at += n;
  } else if (isdigit((unsigned char)*r->at)) {
    r->kind = T_NUMBER;
    r->value = number(r);
    if (*r->at != '\'') return;
    r->kind = T_CONSTANT;
    size_t n = 1;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_' || r->at[n] == '?') n++;
    r->word = copy(r->at + 1, n - 1);
    r->at += n;
  } else {
    r->kind = T_PUNCT;
    r->punct = *r->at++;
  }
}

static bool is(const struct reader *r, char punct) { return r->kind == T_PUNCT && r->punct == punct; }
static bool is_word(const struct reader *r, const char *word) { return r->kind == T_NAME && !strcmp(r->word, word); }

static void expected(const struct reader *r, const char *what) {
  char text[80];
  if (r->kind == T_END) snprintf(text, sizeof text, "the end of the file");
  else if (r->kind == T_PUNCT) snprintf(text, sizeof text, "%c", r->punct);
  else if (r->kind == T_NUMBER) snprintf(text, sizeof text, "%u", r->value);
  else snprintf(text, sizeof text, "%.60s", r->word);
  wrong(r->path, r->token_line, "found %s, expected %s", text, what);
}

static void take(struct reader *r, char punct) {
  if (!is(r, punct)) expected(r, (char[]){punct, 0});
  next(r);
}

static const char *name(struct reader *r) {
  if (r->kind != T_NAME) expected(r, "a name");
  const char *word = r->word;
  next(r);
  return word;
}

/* ---- names and nets ---- */
static struct symbol *slot(struct reader *r, const char *name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 0x100000001b3u;
  unsigned k = (unsigned)(h ^ h >> 32) & (r->room - 1);
  while (r->table[k].name && strcmp(r->table[k].name, name)) k = (k + 1) & (r->room - 1);
  return &r->table[k];
}

static uint32_t new_net(struct reader *r) {
  if (r->n->nets == r->nets_room) {
    r->nets_room = r->nets_room ? 2 * r->nets_room : 4096;
    r->joined = xrealloc(r->joined, r->nets_room * sizeof *r->joined);
    r->n->name = xrealloc(r->n->name, r->nets_room * sizeof *r->n->name);
  }
  r->joined[r->n->nets] = r->n->nets;
  r->n->name[r->n->nets] = NULL;
  return r->n->nets++;
}

static uint32_t root(struct reader *r, uint32_t net) {
  while (r->joined[net] != net) net = r->joined[net] = r->joined[r->joined[net]];
  return net;
}

static struct symbol *declare(struct reader *r, const char *name, unsigned width, int low) {
  if (2 * r->symbols >= r->room) {
    struct symbol *old = r->table;
    unsigned room = r->room;
    r->room = room ? 2 * room : 4096;
    r->table = xcalloc(r->room, sizeof *r->table);
    for (unsigned k = 0; k < room; k++)
      if (old[k].name) *slot(r, old[k].name) = old[k];
    free(old);
  }
  struct symbol *s = slot(r, name);
  if (s->name) { /* input x; wire x; */
    if (s->width != width || s->low != low)
      wrong(r->path, r->token_line, "found %s with another range, expected the one that it has", name);
    return s;
  }
  *s = (struct symbol){name, r->n->nets, width, low};
  r->symbols++;
  for (unsigned k = 0; k < width; k++) {
    char text[600];
    snprintf(text, sizeof text, width > 1 || low ? "%.500s[%d]" : "%.500s", name, low + (int)k);
    uint32_t net = new_net(r);
    r->n->name[net] = copy(text, strlen(text));
  }
  return s;
}

/* ---- expressions ---- */
static void append(struct bits *b, const uint32_t *net, unsigned n) {
  b->net = xrealloc(b->net, (b->n + n) * sizeof *net);
  if (n) memcpy(b->net + b->n, net, n * sizeof *net);
  b->n += n;
}

static struct bits constant(struct reader *r) {
  static const char digits[] = "0123456789abcdef";
  struct bits b = {0};
  unsigned width = r->value, base = 0;
  const char *d = r->word + (*r->word == 's');
  switch (*d) {
    case 'b': base = 1; break;
    case 'h': base = 4; break;
    case 'd': break;
    default: expected(r, "a constant such as 4'h3");
  }
  if (!width || width > MOST_WIDTH) expected(r, "a width of 1 to 1048576");
  b.net = xcalloc(width, sizeof *b.net);
  b.n = width;
  size_t n = strlen(++d);
  if (!n) expected(r, "digits of a constant");
  uint64_t decimal = 0;
  unsigned bit = 0;
  for (size_t k = n; base && k-- > 0;) {
    char c = (char)tolower((unsigned char)d[k]);
    if (c == '_') continue;
    if (c == 'x' || c == 'z' || c == '?') c = '0'; /* of a bit that nobody uses */
    const char *v = memchr(digits, c, 1u << base);
    if (!v) expected(r, "a digit of the constant's base");
    for (unsigned i = 0; i < base; i++, bit++)
      if (bit < width && (v - digits) >> i & 1) b.net[bit] = NET_1;
  }
  if (!base) {
    if (strspn(d, "0123456789") != n || n > 18) expected(r, "decimal digits");
    decimal = strtoull(d, NULL, 10);
    for (unsigned i = 0; i < width && i < 64; i++) b.net[i] = decimal >> i & 1 ? NET_1 : NET_0;
  }
  next(r);
  return b;
}

static int index_number(struct reader *r) {
  if (r->kind != T_NUMBER) expected(r, "a number");
  int v = (int)r->value;
  next(r);
  return v;
}

static struct bits expression(struct reader *r, unsigned depth) {
  struct bits b = {0};
  if (depth > 20) expected(r, "fewer braces");
  if (r->kind == T_CONSTANT) return constant(r);
  if (is(r, '{')) {
    next(r);
    if (r->kind == T_NUMBER) { /* {3{x}} */
      unsigned times = r->value;
      next(r);
      struct bits one = expression(r, depth + 1);
      if (times > MOST_WIDTH || (uint64_t)times * one.n > MOST_WIDTH)
        wrong(r->path, r->token_line, "found %u copies, expected fewer", times);
      while (times--) append(&b, one.net, one.n);
      free(one.net);
    } else {
      for (;;) {
        struct bits part = expression(r, depth + 1);
        append(&part, b.net, b.n);
        free(b.net);
        b = part;
        if (!is(r, ',')) break;
        next(r);
      }
    }
    take(r, '}');
    return b;
  }
  unsigned line = r->token_line;
  const char *word = name(r);
  const struct symbol *s = slot(r, word);
  if (!s->name) wrong(r->path, line, "found %s, expected a declared name", word);
  int high = s->low + (int)s->width - 1, low = s->low;
  if (is(r, '[')) {
    next(r);
    high = low = index_number(r);
    if (is(r, ':')) next(r), low = index_number(r);
    take(r, ']');
    if (low > high || low < s->low || high >= s->low + (int)s->width)
      wrong(r->path, line, "found %s[%d:%d], expected bits of [%d:%d]", word, high, low, s->low + (int)s->width - 1,
            s->low);
  }
  b.n = (unsigned)(high - low) + 1;
  b.net = xcalloc(b.n, sizeof *b.net);
  for (unsigned k = 0; k < b.n; k++) b.net[k] = s->first + (unsigned)(low - s->low) + k;
  return b;
}

/* ---- statements ---- */
static void declaration(struct reader *r) {
  bool input = is_word(r, "input"), wire = is_word(r, "wire");
  int high = 0, low = 0;
  next(r);
  if (is_word(r, "wire")) next(r);
  if (is(r, '[')) {
    next(r);
    high = index_number(r);
    take(r, ':');
    low = index_number(r);
    take(r, ']');
    if (high < low || high - low >= MOST_WIDTH)
      wrong(r->path, r->token_line, "found range [%d:%d], expected the higher number first", high, low);
  }
  for (;;) {
    const char *word = name(r);
    unsigned width = (unsigned)(high - low) + 1;
    const struct symbol *s = declare(r, word, width, low);
    if (!wire) {
      struct netlist *n = r->n;
      n->port = xrealloc(n->port, (n->ports + 1) * sizeof *n->port);
      struct port *p = &n->port[n->ports++];
      *p = (struct port){word, input, width, xcalloc(width, sizeof(uint32_t))};
      for (unsigned k = 0; k < width; k++) p->net[k] = s->first + k;
    }
    if (!is(r, ',')) break;
    next(r);
  }
  take(r, ';');
}

static void assignment(struct reader *r) {
  next(r);
  unsigned line = r->token_line;
  struct bits to = expression(r, 0);
  take(r, '=');
  struct bits from = expression(r, 0);
  take(r, ';');
  if (to.n != from.n) wrong(r->path, line, "found an assign of %u bits to %u, expected as many", from.n, to.n);
  for (unsigned k = 0; k < to.n; k++) {
    uint32_t a = root(r, to.net[k]), b = root(r, from.net[k]);
    if (a == b) continue;
    if (a <= NET_1) wrong(r->path, line, "found an assign to a net that has a constant, expected one driver");
    r->joined[a] = b;
  }
  free(to.net);
  free(from.net);
}

static const char *const ram_ports[2][RAM_PORTS] = {{[RAM_CLOCK] = "clk_i",
                                                     [RAM_ENABLE] = "en_i",
                                                     [RAM_WRITE] = "we_i",
                                                     [RAM_READ_AT] = "addr_i",
                                                     [RAM_DATA] = "wdata_i",
                                                     [RAM_OUT] = "rdata_o"},
                                                    {[RAM_CLOCK] = "clk_i",
                                                     [RAM_READ] = "re_i",
                                                     [RAM_WRITE] = "we_i",
                                                     [RAM_READ_AT] = "raddr_i",
                                                     [RAM_WRITE_AT] = "waddr_i",
                                                     [RAM_DATA] = "wdata_i",
                                                     [RAM_OUT] = "rdata_o"}};

/* .pin(expression), ... ); of an instance. Of a cell exactly one of c and ram is there. */
static void connections(struct reader *r, struct instance *c, struct ram *ram, unsigned kind) {
  take(r, '(');
  while (!is(r, ')')) {
    take(r, '.');
    unsigned line = r->token_line;
    const char *pin = name(r);
    take(r, '(');
    struct bits b = {0};
    if (!is(r, ')')) b = expression(r, 0);
    take(r, ')');
    if (c) {
      unsigned k = 0;
      while (k < c->cell->pins && strcmp(c->cell->pin[k].name, pin)) k++;
      if (k == c->cell->pins)
        wrong(r->path, line, "found pin %s of %s, expected a pin that the library gives it", pin, c->cell->name);
      if (c->net[k] != NET_NONE) wrong(r->path, line, "found pin %s twice, expected it once", pin);
      if (b.n > 1) wrong(r->path, line, "found %u bits at pin %s, expected one", b.n, pin);
      if (b.n) c->net[k] = b.net[0];
      free(b.net);
    } else {
      unsigned k = 0;
      while (k < RAM_PORTS && (!ram_ports[kind][k] || strcmp(ram_ports[kind][k], pin))) k++;
      if (k == RAM_PORTS) wrong(r->path, line, "found port %s of a memory, expected one of rtl/common", pin);
      ram->net[k] = b.net;
      ram->width[k] = b.n;
    }
    if (!is(r, ',')) break;
    next(r);
  }
  take(r, ')');
  take(r, ';');
}

static void check_ram(const struct reader *r, const struct ram *m, unsigned kind) {
  for (unsigned k = 0; k < RAM_PORTS; k++)
    if (ram_ports[kind][k] && !m->width[k])
      wrong(r->path, m->line, "found no %s of memory %s, expected it", ram_ports[kind][k], m->name);
  unsigned write_at = kind ? RAM_WRITE_AT : RAM_READ_AT;
  if (m->width[RAM_DATA] != m->width[RAM_OUT] || m->width[RAM_READ_AT] != m->width[write_at] ||
      m->width[RAM_READ_AT] > 20 || m->width[RAM_DATA] % m->width[RAM_WRITE])
    wrong(r->path, m->line, "found memory %s with ports that do not fit, expected those of rtl/common", m->name);
}

static void instance(struct reader *r) {
  unsigned line = r->token_line;
  const char *type = name(r);
  struct netlist *n = r->n;
  if (is(r, '#')) { /* of a memory; its ports tell as much */
    next(r);
    take(r, '(');
    for (unsigned depth = 1; depth; next(r)) {
      if (is(r, '(')) depth++;
      if (is(r, ')')) depth--;
      if (r->kind == T_END) expected(r, ")");
    }
  }
  const char *own = name(r);
  bool one_port = strstr(type, "ram_1rw");
  if (one_port || strstr(type, "ram_1r1w")) {
    struct ram m = {.name = own, .line = line};
    connections(r, NULL, &m, !one_port);
    check_ram(r, &m, !one_port);
    n->ram = xrealloc(n->ram, (n->rams + 1) * sizeof m);
    n->ram[n->rams++] = m;
    return;
  }
  struct instance c = {.name = own, .line = line, .cell = liberty_cell(r->l, type)};
  if (!c.cell) wrong(r->path, line, "found cell %s, expected one of %s", type, r->l->path);
  if (c.cell->refused)
    wrong(r->path, line, "found cell %s, which has %s, expected gates and flip-flops", type, c.cell->refused);
  c.net = xcalloc(c.cell->pins, sizeof *c.net);
  for (unsigned k = 0; k < c.cell->pins; k++) c.net[k] = NET_NONE;
  connections(r, &c, NULL, 0);
  for (unsigned k = 0; k < c.cell->pins; k++)
    if (c.cell->pin[k].input && c.net[k] == NET_NONE)
      wrong(r->path, line, "found no net at pin %s of %s, expected one", c.cell->pin[k].name, own);
  if (n->instances % 1024 == 0) n->instance = xrealloc(n->instance, (n->instances + 1024) * sizeof c);
  n->instance[n->instances++] = c;
}

static void module(struct reader *r) {
  if (!is_word(r, "module")) expected(r, "module");
  next(r);
  r->n->module = name(r);
  if (is(r, '(')) {
    while (!is(r, ')')) {
      if (r->kind == T_END) expected(r, ")");
      next(r);
    }
    next(r);
  }
  take(r, ';');
  while (!is_word(r, "endmodule")) {
    if (is_word(r, "input") || is_word(r, "output") || is_word(r, "wire")) declaration(r);
    else if (is_word(r, "assign")) assignment(r);
    else if (r->kind == T_NAME) instance(r);
    else expected(r, "a declaration, an assign, a cell or endmodule");
  }
  next(r);
  if (r->kind != T_END) expected(r, "the end of the file: one flat module");
}

struct netlist *netlist_read(const char *path, const struct liberty *l) {
  char why[IO_WHY];
  size_t size;
  char *text = input_read(path, (size_t)1 << 30, &size, why);
  if (!text) wrong(path, 0, "expected the netlist of make synth: %s", why);
  if (strlen(text) != size) wrong(path, 0, "found a byte of zero, expected text");
  struct reader r = {.path = path, .at = text, .line = 1, .n = xcalloc(1, sizeof *r.n), .l = l};
  r.n->path = copy(path, strlen(path));
  r.n->name = NULL;
  new_net(&r);
  new_net(&r);
  r.n->name[NET_0] = "0";
  r.n->name[NET_1] = "1";
  declare(&r, "", 0, 0); /* makes the table */
  next(&r);
  module(&r);
  struct netlist *n = r.n;
  for (unsigned k = 0; k < n->ports; k++)
    for (unsigned b = 0; b < n->port[k].width; b++) n->port[k].net[b] = root(&r, n->port[k].net[b]);
  for (unsigned k = 0; k < n->instances; k++)
    for (unsigned p = 0; p < n->instance[k].cell->pins; p++)
      if (n->instance[k].net[p] != NET_NONE) n->instance[k].net[p] = root(&r, n->instance[k].net[p]);
  for (unsigned k = 0; k < n->rams; k++)
    for (unsigned p = 0; p < RAM_PORTS; p++)
      for (unsigned b = 0; b < n->ram[k].width[p]; b++) n->ram[k].net[p][b] = root(&r, n->ram[k].net[p][b]);
  free(r.table);
  free(r.joined);
  free(text);
  return n;
}

const struct port *netlist_port(const struct netlist *n, const char *name) {
  for (unsigned k = 0; k < n->ports; k++)
    if (!strcmp(n->port[k].name, name)) return &n->port[k];
  return NULL;
}
