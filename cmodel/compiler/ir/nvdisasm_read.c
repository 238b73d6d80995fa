/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvdisasm_read: a file of nvdisasm -cfg as a struct cfg. Its statements: clusters, one for each function, whose first node is
 * the entry; nodes with a record as label (nvdisasm_record.c); edges from a port to a port. Ports stand for the parts of a
 * record: an edge leaves the block that a part belongs to, and enters the block that a part begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "compiler/ir/nvdisasm_reader.h"

/* A name or a text of the file, in the arena; escaped quotes as quotes. */
static const char *reader_copy(struct reader *r, size_t at, size_t n) {
  char *to = arena_alloc(&r->s->arena, n + 1);
  size_t k = 0;
  for (size_t i = at; i < at + n; i++) {
    if (r->d.text[i] == '\\' && i + 1 < at + n && r->d.text[i + 1] == '"') continue;
    to[k++] = r->d.text[i];
  }
  return to;
}

bool reader_room(struct reader *r, size_t at, uint32_t n, const char *what) {
  return n < SASS_MOST || dot_error(&r->d, at, "found more than %d %s, expected fewer", SASS_MOST, what);
}

static int sass_shown_length(size_t n) { return (int)(n < 80 ? n : 80); }

/* ---- functions and nodes ---- */

static void begin_func(struct reader *r, const char *name) {
  struct cfg *g = &r->s->g;
  VEC_PUSH(g->func, g->nfunc, r->func_room) = (struct cfg_func){.name = name, .first = g->nblock, .entry = g->nblock};
  r->pc = 0;
}

/* One without a node is left out. */
static void end_func(struct reader *r) {
  struct cfg *g = &r->s->g;
  g->func[g->nfunc - 1].end = g->nblock;
  if (g->func[g->nfunc - 1].first == g->nblock) g->nfunc--;
}

/* Its blocks are called as the node is, ".L_3", ".L_3+1", ... */
static void name_blocks(struct reader *r, uint32_t first, const struct dot_token *node) {
  struct cfg *g = &r->s->g;
  const char *name = reader_copy(r, node->at, node->n);
  char to[240];
  g->block[first].name = name;
  for (uint32_t b = first + 1; b < g->nblock; b++) {
    const int n = snprintf(to, sizeof to, "%.200s+%u", name, (unsigned)(b - first));
    g->block[b].name = arena_strndup(&r->s->arena, to, (size_t)n);
  }
}

static bool add_node(struct reader *r, const struct dot_token *node, const struct dot_token *label) {
  const struct cfg *g = &r->s->g;
  const uint32_t first = g->nblock;
  if (!label->n)
    return dot_error(&r->d, node->at, "found node '%.*s' without a label, expected [label=\"{<entry>...}\"]",
                     sass_shown_length(node->n), r->d.text + node->at);
  if (!r->in_cluster && !r->outside) {
    if (g->nfunc)
      return dot_error(&r->d, node->at, "found a node outside of a subgraph, expected it in one, as others");
    r->outside = true;
    begin_func(r, "f");
  }
  if (!name_add(&r->names, r->d.text, SCOPE_NODES, node->at, node->n, r->nnode))
    return dot_error(&r->d, node->at, "found node '%.*s' a second time, expected it once", sass_shown_length(node->n),
                     r->d.text + node->at);
  VEC_PUSH(r->node, r->nnode, r->node_room) = r->npart;
  if (!record_read(r, label)) return false;
  name_blocks(r, first, node);
  return true;
}

/* ---- statements; each begins at its first token and ends behind its last ---- */

static bool is_name(const struct dot *d) { return d->tok.kind == DOT_NAME || d->tok.kind == DOT_QUOTED; }

static bool is_text(const struct dot *d, const char *text) {
  return d->tok.n == strlen(text) && !memcmp(d->text + d->tok.at, text, d->tok.n);
}

static bool dot_take(struct dot *d, char mark, const char *expected) {
  return dot_is(d, mark) ? dot_next(d) : dot_unexpected(d, expected);
}

/* [a=b, c=d] [...]; *label: the value of label, quoted. */
static bool sass_read_attributes(struct dot *d, struct dot_token *label) {
  while (dot_is(d, '[')) {
    if (!dot_next(d)) return false;
    while (!dot_is(d, ']')) {
      if (!is_name(d)) return dot_unexpected(d, "the name of an attribute, or ]");
      const bool is_label = is_text(d, "label");
      if (!dot_next(d)) return false;
      if (!dot_is(d, '=')) continue; /* without a value: true */
      if (!dot_next(d)) return false;
      if (!is_name(d)) return dot_unexpected(d, "the value of an attribute");
      if (is_label) *label = d->tok;
      if (!dot_next(d)) return false;
      if ((dot_is(d, ',') || dot_is(d, ';')) && !dot_next(d)) return false;
    }
    if (!dot_next(d)) return false;
  }
  return true;
}

static bool is_compass(const struct dot *d) {
  static const char *const points[] = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"};
  for (unsigned k = 0; k < sizeof points / sizeof *points; k++)
    if (is_text(d, points[k])) return true;
  return false;
}

/* NODE[:PORT[:COMPASS]] */
static bool sass_read_end(struct dot *d, struct port *p) {
  *p = (struct port){.node = d->tok, .port = {.at = d->tok.at}};
  if (!is_name(d)) return dot_unexpected(d, "a node");
  if (!dot_next(d)) return false;
  for (unsigned k = 0; k < 2 && dot_is(d, ':'); k++) {
    if (!dot_next(d)) return false;
    if (!is_name(d)) return dot_unexpected(d, "a port");
    if (k == 0 && !is_compass(d)) p->port = d->tok;
    if (!dot_next(d)) return false;
  }
  return true;
}

/* NODE [...], or NODE -> NODE ... [...] */
static bool node_or_edges(struct reader *r) {
  struct dot *d = &r->d;
  struct port from, to;
  struct dot_token label = {0};
  if (!sass_read_end(d, &from)) return false;
  const bool edge = d->tok.kind == DOT_ARROW;
  for (struct port last = from; d->tok.kind == DOT_ARROW; last = to) {
    if (!reader_room(r, d->tok.at, r->nedge, "edges") || !dot_next(d) || !sass_read_end(d, &to)) return false;
    VEC_PUSH(r->edge, r->nedge, r->edge_room) = (struct edge){last, to};
  }
  if (!sass_read_attributes(d, &label)) return false;
  if (edge) return true;
  if (label.kind != DOT_QUOTED) label.n = 0;
  return add_node(r, &from.node, &label);
}

/* subgraph "cluster_NAME" { */
static bool open_cluster(struct reader *r) {
  struct dot *d = &r->d;
  if (r->in_cluster) return dot_error(d, d->tok.at, "found a subgraph in a subgraph, expected nodes and edges");
  if (r->outside)
    return dot_error(d, d->tok.at, "found a subgraph behind nodes outside of one, expected all in subgraphs");
  if (!reader_room(r, d->tok.at, r->nsubgraph, "subgraphs") || !dot_next(d)) return false;
  if (!is_name(d)) return dot_unexpected(d, "the name of a subgraph");
  struct dot_token name = d->tok;
  if (!name_add(&r->names, d->text, SCOPE_FUNCS, name.at, name.n, r->s->g.nfunc))
    return dot_error(d, name.at, "found subgraph '%.*s' a second time, expected it once", sass_shown_length(name.n),
                     d->text + name.at);
  if (name.n > 8 && !memcmp(d->text + name.at, "cluster_", 8)) name.at += 8, name.n -= 8;
  begin_func(r, reader_copy(r, name.at, name.n));
  r->in_cluster = true;
  r->nsubgraph++;
  return dot_next(d) && dot_take(d, '{', "{");
}

static bool close_cluster(struct reader *r) {
  end_func(r);
  r->in_cluster = false;
  return dot_next(&r->d);
}

/* One statement that begins with a name. */
static bool sass_read_statement(struct reader *r) {
  struct dot *d = &r->d;
  struct dot_token unused;
  if (dot_word(d, "subgraph")) return open_cluster(r);
  if (dot_word(d, "node") || dot_word(d, "edge") || dot_word(d, "graph")) {
    if (!dot_next(d)) return false;
    return dot_is(d, '[') ? sass_read_attributes(d, &unused) : dot_unexpected(d, "[");
  }
  const struct dot before = *d; /* NAME = VALUE is an attribute of the graph */
  if (!dot_next(d)) return false;
  if (!dot_is(d, '=')) {
    d->tok = before.tok;
    d->next = before.next;
    return node_or_edges(r);
  }
  if (!dot_next(d)) return false;
  return is_name(d) ? dot_next(d) : dot_unexpected(d, "the value of an attribute");
}

static bool sass_read_graph(struct reader *r) {
  struct dot *d = &r->d;
  if (!dot_next(d) || (dot_word(d, "strict") && !dot_next(d))) return false;
  if (!dot_word(d, "digraph")) return dot_unexpected(d, "digraph, as nvdisasm -cfg prints it");
  if (!dot_next(d) || (is_name(d) && !dot_next(d)) || !dot_take(d, '{', "{")) return false;
  for (;;) {
    bool ok = true;
    if (is_name(d)) ok = sass_read_statement(r);
    else if (dot_is(d, ';')) ok = dot_next(d);
    else if (!dot_is(d, '}')) return dot_unexpected(d, r->in_cluster ? "a node, an edge or }" : "a subgraph or }");
    else if (r->in_cluster) ok = close_cluster(r);
    else break;
    if (!ok) return false;
  }
  if (r->outside) end_func(r);
  if (!dot_next(d)) return false;
  if (d->tok.kind != DOT_END) return dot_unexpected(d, "the end of the file behind the graph");
  return r->s->g.nfunc || dot_error(d, d->n, "found no node, expected a subgraph with one for each function");
}

/* ---- edges ---- */

/* The part that an end of an edge stands for; NULL and an error. */
static const struct part *find_part(struct reader *r, const struct port *p, bool source) {
  const char *text = r->d.text;
  const struct name *node = name_find(&r->names, text, SCOPE_NODES, p->node.at, p->node.n);
  if (!node) {
    dot_error(&r->d, p->node.at, "found an edge of '%.*s', expected a node of the file", sass_shown_length(p->node.n),
              text + p->node.at);
    return NULL;
  }
  const uint32_t k = node->value, end = k + 1 < r->nnode ? r->node[k + 1] : r->npart;
  if (!p->port.n) return &r->part[source ? end - 1 : r->node[k]];
  const struct name *port = name_find(&r->names, text, SCOPE_PORTS + (uint64_t)k, p->port.at, p->port.n);
  if (!port)
    dot_error(&r->d, p->port.at, "found port '%.*s', expected one of node '%.*s'", sass_shown_length(p->port.n),
              text + p->port.at, sass_shown_length(p->node.n), text + p->node.at);
  else if (!source && !r->part[port->value].begins)
    dot_error(&r->d, p->port.at, "found an edge to port '%.*s', expected one that begins a block",
              sass_shown_length(p->port.n), text + p->port.at);
  else return &r->part[port->value];
  return NULL;
}

static bool link_edge(struct reader *r, const struct edge *e) {
  const struct cfg *g = &r->s->g;
  const struct part *from = find_part(r, &e->from, true), *to = from ? find_part(r, &e->to, false) : NULL;
  if (!to) return false;
  const uint32_t f = cfg_func_of(g, from->last), t = cfg_func_of(g, to->first);
  if (f == t) VEC_PUSH(r->link, r->nlink, r->link_room) = (struct link){from->last, to->first};
  else if (to->first != g->func[t].entry) /* to an entry: it leaves the function */
    return dot_error(&r->d, e->to.node.at,
                     "found an edge into function '%.100s', expected one to its entry or within '%.100s'",
                     g->func[t].name, g->func[f].name);
  return true;
}

/* Successors of each block, each once, in the order in which they were found. */
static void put_successors(struct reader *r) {
  struct cfg *g = &r->s->g;
  uint32_t *at = xcalloc((size_t)g->nblock + 1, sizeof *at), *mark = xcalloc(g->nblock, sizeof *mark);
  uint32_t *all = xcalloc(r->nlink, sizeof *all);
  for (uint32_t k = 0; k < r->nlink; k++) at[r->link[k].from + 1]++;
  for (uint32_t b = 0; b < g->nblock; b++) at[b + 1] += at[b];
  for (uint32_t k = 0; k < r->nlink; k++) all[at[r->link[k].from]++] = r->link[k].to;
  g->succ = xcalloc(r->nlink, sizeof *g->succ);
  for (uint32_t b = 0, k = 0; b < g->nblock; b++) {
    g->block[b].succ = g->nsucc;
    for (; k < at[b]; k++) {
      if (mark[all[k]] == b + 1) continue;
      mark[all[k]] = b + 1;
      g->succ[g->nsucc++] = all[k];
    }
    g->block[b].nsucc = g->nsucc - g->block[b].succ;
  }
  free(at);
  free(mark);
  free(all);
}

/* By the least distance of two offsets. */
static uint32_t insn_bytes(const struct cfg *g, const struct cfg_func *f) {
  uint32_t least = UINT32_MAX;
  for (uint32_t x = g->block[f->first].first + 1; x < g->block[f->end - 1].end; x++)
    if (g->insn[x].pc > g->insn[x - 1].pc && g->insn[x].pc - g->insn[x - 1].pc < least)
      least = g->insn[x].pc - g->insn[x - 1].pc;
  return least != UINT32_MAX && least >= 16 ? 16 : 8;
}

/* ---- a file ---- */

static bool sass_read_all(struct reader *r) {
  struct cfg *g = &r->s->g;
  bool ok = sass_read_graph(r);
  for (uint32_t k = 0; ok && k < r->nedge; k++) ok = link_edge(r, &r->edge[k]);
  if (!ok) return false;
  put_successors(r);
  for (uint32_t f = 0; f < g->nfunc; f++) g->func[f].insn_bytes = insn_bytes(g, &g->func[f]);
  return true;
}

bool sass_parse(const char *file, const char *text, size_t n, struct sass *s, struct err *e) {
  struct reader r = {.s = s};
  *s = (struct sass){0};
  s->g.file = arena_strndup(&s->arena, file, strlen(file));
  dot_begin(&r.d, file, text, n, e);
  const bool ok = sass_read_all(&r);
  names_free(&r.names);
  free(r.part);
  free(r.edge);
  free(r.link);
  free(r.node);
  free(r.line);
  free(r.place);
  if (!ok) sass_free(s);
  return ok;
}

bool sass_read(const char *path, struct sass *s, struct err *e) {
  char why[IO_WHY];
  size_t n;
  char *text = input_read(path, SASS_MOST_BYTES, &n, why);
  if (!text) return err_at(e, path, 0, 0, "cannot read: %s", why);
  const bool ok = sass_parse(path, text, n, s, e);
  free(text);
  return ok;
}

void sass_free(struct sass *s) {
  cfg_free(&s->g);
  arena_free(&s->arena);
}
