/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws_asked: a run whose laws are asked twice. Before the laws of a net look at its ports (struct twin_net), each row of a table that
 * still waits disturbs them, the laws are asked, and everything is as it was again. Then they are asked for the run itself, which goes on to
 * its end: without the disturbance the laws hold. A row is done once its law has broken, or once the account that it names counts otherwise.
 */
#ifndef RT_UNIT_LAWS_ASKED_H
#define RT_UNIT_LAWS_ASKED_H

#include "lab/run/run.h"
#include "sm_kit.h"
#undef skip /* cmocka's: blocks have a member of that name */
#include "sm/private.h"
#include "sm/twin_run.h"

/* ---- tables ---- */

/* A port of all instances of a block, from the start of its net's struct on. */
struct port {
  size_t at, step;
  unsigned n; /* 0: no port */
};
#define PORT(net, block, side, name)                                                                 \
  {                                                                                                  \
    offsetof(struct net##_net, block.side[0].name), sizeof(struct block##_##side),                   \
        sizeof(((struct net##_net *)0)->block.side) / sizeof(((struct net##_net *)0)->block.side[0]) \
  }
#define PORT_IN(net, block, name) PORT(net, block, in, name)
#define PORT_OUT(net, block, name) PORT(net, block, out, name)

/*
 * A row changes the lowest bit of the port `flip`, of each instance for which that of the port `when` is set (of the same instance, or of
 * the only one; no port: always). Or it has a function: false: not in this cycle; without `now` it is only asked that. It changes ports,
 * adds events, and changes what the SM has by `put`.
 */
struct row {
  const char *law; /* its message */
  struct port flip, when;
  bool (*by)(struct twins *t, bool now);
  bool stays; /* in a run of its own, to the end: the law is one between two nets */
};

#define FLIP(text, port) \
  { .law = text, .flip = port }
#define FLIP_IF(text, port, other) \
  { .law = text, .flip = port, .when = other }

/* A net of the run: rows, and the block by which it is found. */
struct watched {
  const char *block;
  size_t in, bytes; /* the block's inputs in the net; the net */
  const struct row *row;
  unsigned rows;
  struct twins *t; /* found */
};
#define WATCHED(net, system, name, table)                                                    \
  {                                                                                          \
#system "/" #name, offsetof(struct net##_net, name.in), sizeof(struct net##_net), table, \
        sizeof table / sizeof *table, NULL                                                   \
  }

enum { ROWS_MOST = 64, NETS_MOST = 2, PUTS = 256, MEMORIES = 8 };
struct asked {
  const char *machine, *system, *kernel, *set; /* set: NULL or KEY=VALUE */
  struct watched net[NETS_MOST];
};

/* ---- what a disturbance changes ---- */

static struct {
  struct watched *net[NETS_MOST];
  bool done[NETS_MOST][ROWS_MOST];
  unsigned tries[NETS_MOST][ROWS_MOST];
  struct err other[NETS_MOST][ROWS_MOST]; /* the law that broke instead */
  const struct row *stays;                /* that of this run; NULL: the run of all others */
  bool applied;
} Q;

static struct {
  char *net;
  struct laws laws, plain; /* before the laws were asked; after that, undisturbed */
  void *memory[MEMORIES];
  struct {
    void *at;
    uint64_t was;
    size_t bytes;
  } put[PUTS];
  unsigned puts;
} K;

/* Of the SM itself. */
static inline void put(void *at, size_t bytes, uint64_t value) {
  assert_true(K.puts < PUTS && bytes <= 8);
  K.put[K.puts].at = at, K.put[K.puts].bytes = bytes;
  memcpy(&K.put[K.puts++].was, at, bytes);
  memcpy(at, &value, bytes);
}

static inline void remember(const struct twins *t, size_t bytes) {
  const struct laws *l = t->sm->laws;
  K.net = realloc(K.net, bytes);
  memcpy(K.net, t, bytes);
  K.laws = *l;
  for (unsigned k = 0; k < MEMORIES; k++) {
    if (!l->memory[k].size) continue;
    K.memory[k] = realloc(K.memory[k], l->memory[k].size);
    memcpy(K.memory[k], l->memory[k].at, l->memory[k].size);
  }
}

static inline void restore(struct twins *t, size_t bytes) {
  struct sm *S = t->sm;
  const struct laws now = *S->laws;
  memcpy(t, K.net, bytes);
  *S->laws = K.laws;
  for (unsigned k = 0; k < MEMORIES; k++) {
    const bool same = now.memory[k].at == K.laws.memory[k].at && now.memory[k].size == K.laws.memory[k].size;
    S->laws->memory[k].at = now.memory[k].at, S->laws->memory[k].size = now.memory[k].size;
    if (same && now.memory[k].size) memcpy(now.memory[k].at, K.memory[k], now.memory[k].size);
  }
  while (K.puts) {
    K.puts--;
    memcpy(K.put[K.puts].at, &K.put[K.puts].was, K.put[K.puts].bytes);
  }
  S->failed = false;
  S->err = (struct err){0};
}

static inline char *byte_of(struct twins *t, const struct port *p, unsigned k) {
  return (char *)t + p->at + k * p->step;
}

static inline bool is_set(struct twins *t, const struct row *r, unsigned k) {
  return !r->when.n || *byte_of(t, &r->when, r->when.n == r->flip.n ? k : 0) & 1;
}

static inline bool due(struct twins *t, const struct row *r) {
  bool any = r->by && r->by(t, false);
  for (unsigned k = 0; k < r->flip.n && !any; k++) any = is_set(t, r, k);
  return any;
}

static inline bool disturb(struct twins *t, const struct row *r) {
  if (r->by) return r->by(t, true);
  uint64_t which = 0;
  for (unsigned k = 0; k < r->flip.n; k++) which |= (uint64_t)is_set(t, r, k) << k;
  for (unsigned k = 0; k < r->flip.n; k++) *byte_of(t, &r->flip, k) ^= (char)(which >> k & 1);
  return which != 0;
}

/* ---- has the law seen it? ---- */

/* Sums that other laws look at, later: an account, or banks whose rows are accessed. */
static inline bool counts_otherwise(const struct laws *l, const struct laws *plain, const char *law) {
  static const char *const texts[] = {
#define TEXT(id, text) text,
      LAW_ACCOUNTS_LIST(TEXT)
#undef TEXT
  };
  for (unsigned a = 0; a < LAW_ACCOUNTS; a++)
    if (!strcmp(texts[a], law)) return memcmp(&l->account[a], &plain->account[a], sizeof l->account[a]) != 0;
  const int what = strstr(law, "read") ? RF_READ : RF_WRITE;
  if (!strncmp(law, "banks of the main", 17))
    return memcmp(l->main.told[what], plain->main.told[what], sizeof l->main.told[what]) != 0;
  for (unsigned g = 0; g < LAW_GROUPS && !strncmp(law, "banks whose", 11); g++)
    if (memcmp(l->told[g][what], plain->told[g][what], sizeof l->told[g][what]) != 0) return true;
  return false;
}

/* The error's text names this law. */
static inline bool names(const char *text, const char *law) {
  const char *at = strstr(text, "law broken: ");
  return at && !strncmp(at + 12, law, strlen(law)) && at[12 + strlen(law)] == ':';
}

static inline void try_row(struct twins *t, unsigned n, unsigned k) {
  const struct watched *w = Q.net[n];
  const struct row *r = &w->row[k];
  struct sm *S = t->sm;
  if (disturb(t, r)) {
    Q.tries[n][k]++;
    w->t->net->laws(t);
    Q.done[n][k] = S->failed ? names(S->err.text, r->law) : counts_otherwise(S->laws, &K.plain, r->law);
    if (S->failed && !Q.done[n][k]) Q.other[n][k] = S->err;
  }
  restore(t, w->bytes);
}

/* In the place of a net's laws. */
static inline void ask(struct twins *t) {
  const unsigned n = Q.net[1] && Q.net[1]->t == t;
  const struct watched *w = Q.net[n];
  bool kept = false;
  for (unsigned i = 0; i < t->net->kinds; i++)
    for (uint64_t m = t->stale[i]; m; m &= m - 1) twin_read(t, i, (unsigned)bit_low64(m));
  for (unsigned k = 0; k < w->rows && !t->sm->failed; k++) {
    const struct row *r = &w->row[k];
    if (Q.stays) {
      if (r == Q.stays && !Q.applied) Q.applied = disturb(t, r);
      continue;
    }
    if (Q.done[n][k] || r->stays || !due(t, r)) continue;
    if (!kept) {
      remember(t, w->bytes);
      t->net->laws(t);
      K.plain = *t->sm->laws;
      if (t->sm->failed) return;
      restore(t, w->bytes);
    }
    kept = true;
    try_row(t, n, k);
  }
  t->net->laws(t);
}

/* ---- the run ---- */

/* An observer that only finds the nets: it is shown the inputs of each block that is evaluated. */
static inline bool none_cycle(void *ctx, const char *block, unsigned k, uint64_t cycle, const void *state,
                              const void *in, const void *out) {
  (void)ctx, (void)block, (void)k, (void)cycle, (void)state, (void)in, (void)out;
  return true;
}
static inline void find(void *ctx, const char *block, unsigned k, const void *in, void *out) {
  (void)out;
  struct asked *a = ctx;
  for (unsigned n = 0; n < NETS_MOST; n++) {
    struct watched *w = &a->net[n];
    if (k || !w->block || strcmp(block, w->block) != 0) continue;
    w->t = (struct twins *)(uintptr_t)((const char *)in - w->in);
    w->t->laws = ask;
  }
}

static inline bool go(struct asked *a, const struct config *c, struct err *e) {
  struct workload w;
  if (!workload_compile(a->kernel, "small", c, 0, &w, e)) fail_msg("%s", e->text);
  const struct observer o = {.reset = no_reset, .cycle = none_cycle, .outputs = find, .ctx = a};
  const struct run_progress progress = {.observer = &o};
  static struct run_result r;
  const bool ok = run_workload(&w, c, 0, false, &progress, &r, e);
  workload_close(&w);
  return ok;
}

static inline unsigned missing(const struct asked *a) {
  unsigned missed = 0;
  for (unsigned n = 0; n < NETS_MOST; n++)
    for (unsigned k = 0; k < a->net[n].rows; k++) {
      if (Q.done[n][k] || a->net[n].row[k].stays) continue;
      print_error("%s, %s, row %u: disturbed %u times, last found '%s', expected '%s'\n", a->system, a->kernel, k,
                  Q.tries[n][k], Q.other[n][k].text, a->net[n].row[k].law);
      missed++;
    }
  return missed;
}

static inline void ask_all(struct asked *a) {
  struct config c;
  struct err e = {0};
  const bool ok = config_load(&c, a->machine, a->system, &e) && config_set(&c, "sim.check=true", 0, &e) &&
                  (!a->set || config_set(&c, a->set, 0, &e)) && config_check(&c, &e);
  if (!ok) fail_msg("%s", e.text);
  memset(&Q, 0, sizeof Q);
  for (unsigned n = 0; n < NETS_MOST; n++) {
    assert_true(a->net[n].rows <= ROWS_MOST);
    if (a->net[n].block) Q.net[n] = &a->net[n];
  }
  for (unsigned n = 0; n < NETS_MOST; n++)
    for (unsigned k = 0; k < a->net[n].rows; k++) {
      const struct row *r = &a->net[n].row[k];
      if (!r->stays) continue;
      Q.stays = r, Q.applied = false;
      e = (struct err){0};
      if (go(a, &c, &e) || !names(e.text, r->law)) fail_msg("found '%s', expected '%s'", e.text, r->law);
    }
  Q.stays = NULL;
  e = (struct err){0};
  if (!go(a, &c, &e)) fail_msg("%s, %s: %s", a->system, a->kernel, e.text); /* undisturbed, the laws hold */
  const unsigned missed = missing(a);
  for (unsigned k = 0; k < MEMORIES; k++) free(K.memory[k]);
  free(K.net);
  memset(&K, 0, sizeof K);
  assert_int_equal(missed, 0);
}

#endif
