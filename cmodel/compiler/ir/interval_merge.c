/* SPDX-License-Identifier: Apache-2.0 */
/* interval_merge: see interval_merge.h. */
#include "compiler/ir/interval_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define NOWHERE UINT32_MAX

void merge_begin(struct merge *m, uint32_t n, uint32_t most, const regset *vector) {
  uint32_t *mem = xcalloc((size_t)n * 12, sizeof *mem);
  *m = (struct merge){.n = n, .most = most, .norder = n, .in = mem};
  uint32_t **const parts[] = {&m->root, &m->order, &m->number,  &m->opener,  &m->opened,   &m->old,
                              &m->seen, &m->mark,  &m->touched, &m->changed, &m->heap.item};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = mem + (k + 1) * n;
  m->out = xcalloc(n, sizeof *m->out);
  m->call = xcalloc(n, 1);
  m->placed = xcalloc(n, 1);
  m->vector = xcalloc(n, sizeof *m->vector);
  memcpy(m->vector, vector, n * sizeof *m->vector);
  for (uint32_t k = 0; k < n; k++) m->root[k] = m->order[k] = m->number[k] = k;
}

void merge_end(struct merge *m) {
  for (uint32_t k = 0; k < m->n; k++) free(m->out[k].to);
  free(m->out);
  free(m->in);
  free(m->call);
  free(m->placed);
  free(m->vector);
}

void merge_edge(struct merge *m, uint32_t from, uint32_t to) {
  struct merge_edges *o = &m->out[from];
  VEC_PUSH(o->to, o->n, o->room) = to;
  m->in[to]++;
}

void merge_lost(struct merge *m, uint32_t to) { m->in[to]++; }

uint32_t merge_root(struct merge *m, uint32_t interval) {
  uint32_t root = interval;
  while (m->root[root] != root) root = m->root[root];
  for (uint32_t next; interval != root; interval = next) {
    next = m->root[interval];
    m->root[interval] = root;
  }
  return root;
}

/* ---- one pass ---- */

/* An edge from interval v to another. */
static void merge_touch(struct merge *m, uint32_t v, uint32_t to) {
  if (m->mark[to] != v + 1) {
    m->mark[to] = v + 1;
    m->seen[to] = 0;
    m->touched[m->ntouched++] = m->number[to];
  }
  if (++m->seen[to] == m->in[to] && !m->call[to]) heap_push(&m->heap, m->number[to]);
}

/* The edges of s, which is v or has become part of it. Those within v are dropped; only a header is entered from
 * elsewhere, so one to a merged interval comes from within. */
static void scan_edges(struct merge *m, uint32_t v, uint32_t s) {
  struct merge_edges *o = &m->out[s];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < o->n; k++) {
    const uint32_t to = o->to[k];
    if (m->root[to] != to) continue;
    if (to == v) {
      m->in[v]--;
      continue;
    }
    o->to[kept++] = to;
    if (!m->placed[to]) merge_touch(m, v, to);
  }
  o->n = kept;
}

/* Moves the edges of s to v. */
static void move_edges(struct merge *m, uint32_t v, uint32_t s) {
  struct merge_edges few = m->out[s], *many = &m->out[v];
  if (few.n > many->n) {
    few = *many;
    *many = m->out[s];
  }
  for (uint32_t k = 0; k < few.n; k++) VEC_PUSH(many->to, many->n, many->room) = few.to[k];
  free(few.to);
  m->out[s] = (struct merge_edges){0};
}

/* Merges into v what can be, and opens its other successors. */
static void merge_grow(struct merge *m, uint32_t v) {
  bool merged = false;
  m->ntouched = m->heap.n = 0;
  scan_edges(m, v, v);
  while (m->heap.n && !m->call[v]) {
    const uint32_t s = m->old[heap_pop(&m->heap) - m->base];
    if (!regset_fits(m->vector[v], m->vector[s], m->most)) continue;
    regset_join(m->vector[v], m->vector[s]);
    m->placed[s] = 1;
    m->root[s] = v;
    scan_edges(m, v, s);
    move_edges(m, v, s);
    merged = true;
  }
  if (merged) m->changed[m->nchanged++] = v;
  if (m->ntouched > 1) qsort(m->touched, m->ntouched, sizeof *m->touched, u32_compare);
  for (uint32_t k = 0; k < m->ntouched; k++) {
    const uint32_t s = m->old[m->touched[k] - m->base];
    if (m->placed[s]) continue;
    m->placed[s] = 1;
    m->opener[s] = v;
    m->order[m->norder++] = s;
  }
}

/* A pass that goes as the one before until place `from`. */
static void merge_pass(struct merge *m, uint32_t from) {
  m->base = from ? m->opened[from - 1] : 1;
  memcpy(m->old, m->order + m->base, (m->norder - m->base) * sizeof *m->old);
  for (uint32_t k = m->base; k < m->norder; k++) {
    m->placed[m->order[k]] = 0;
    m->mark[m->order[k]] = 0;
  }
  m->norder = m->base;
  m->nchanged = 0;
  for (uint32_t k = from; k < m->norder; k++) {
    merge_grow(m, m->order[k]);
    m->opened[k] = m->norder;
  }
  for (uint32_t k = m->base; k < m->norder; k++) m->number[m->order[k]] = k;
}

/* In seen: the edges from p to each that it has one to. */
static void count_edges(struct merge *m, uint32_t p) {
  const struct merge_edges *o = &m->out[p];
  for (uint32_t k = 0; k < o->n; k++) m->seen[o->to[k]] = 0;
  for (uint32_t k = 0; k < o->n; k++) m->seen[o->to[k]]++;
}

/* The first place at which the next pass merges something. Only what has changed can be merged, and only into its opener,
 * if all its edges come from there. Changed ones are in the order of their places, hence of their openers'. */
static uint32_t first_merge(struct merge *m) {
  for (uint32_t k = 0, counted = NOWHERE; k < m->nchanged; k++) {
    const uint32_t v = m->changed[k], p = m->opener[v];
    if (!m->number[v] || m->call[p] || !regset_fits(m->vector[p], m->vector[v], m->most)) continue;
    if (p != counted) count_edges(m, counted = p);
    if (m->seen[v] == m->in[v]) return m->number[p];
  }
  return NOWHERE;
}

void merge_run(struct merge *m) {
  m->placed[0] = 1;
  for (uint32_t from = 0; from != NOWHERE; from = first_merge(m)) merge_pass(m, from);
}
