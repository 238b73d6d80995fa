/* SPDX-License-Identifier: Apache-2.0 */
/*
 * combine: which choices of two slots run together, on which machine and with which settings, or why they do not. All of it is asked
 * of the program: the choices and systems that are built, the rules between keys, and the hook `fits` of each choice.
 *
 * What a choice needs beside itself is taken from the systems that have it: LTRF.conf says that storage ltrf needs two_level. The
 * settings of two such systems are put together on a machine; the first machine on which some of them fit is the pair's.
 */
#ifndef RT_CAMPAIGN_COMBINE_H
#define RT_CAMPAIGN_COMBINE_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/matrix.h"
#include "config/keys.h"

struct combine_choice { /* one that is not the slot's default */
  const struct key *slot;
  int value;
  char name[64];
};
struct combination { /* of choices a < b */
  unsigned a, b;
  bool legal;
  struct config cfg,
      alone[2];      /* legal: of the run; of each alone on that machine, its name empty: it does not fit there */
  char command[768]; /* the options of `regtwin run` that make it so */
  char brought[128]; /* choices of other slots that it needs, "slot.collector=ccu"; "" */
  char why[768];     /* not legal: the reason */
};
struct combine {
  struct combine_choice *choice;
  struct combination *of; /* of choices a < b: of[combine_at(c, a, b)] */
  unsigned n, choices_cap;
};
static inline unsigned combine_at(const struct combine *c, unsigned a, unsigned b) {
  return a <= b ? a * c->n + b : b * c->n + a;
}
static inline const struct combination *combine_of(const struct combine *c, unsigned a, unsigned b) {
  return &c->of[combine_at(c, a, b)];
}
static inline bool combine_asked(const struct combine *c, unsigned a, unsigned b) {
  return c->choice[a].slot != c->choice[b].slot;
}

/* On the machine of `s` alone, if it names one, and with its settings. False and *e: these are wrong. */
bool combine_all(struct combine *c, const struct settings *s, struct err *e);
void combine_free(struct combine *c);
/* Two systems or choices by name. False and *e: unknown, or both fill one slot. Else *out says whether they run together. */
bool combine_pair(const char *const name[2], const struct settings *s, struct combination *out, struct err *e);

/* Legend, matrix and reasons; the reasons of refusals are numbered. */
void combine_print(const struct combine *c, FILE *f);
json_t *combine_json(const struct combine *c); /* docs/use/results.md has the keys. Owned by the caller. */

/* Systems of m: the baseline of each machine that a legal pair or choice runs on, the choices alone, the legal pairs. Kernels are
 * the caller's; then matrix_run. */
void combine_systems(const struct combine *c, struct matrix *m);
/* Each pair's geometric mean of IPC relative to its machine's baseline, beside those of its choices alone, best gain first; and what
 * failed. Returns how many pairs have a kernel that failed, or that did other work than on the baseline. */
unsigned combine_results(const struct combine *c, const struct matrix *m, FILE *f);

#endif
