/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about: the manifest of the kernels: traces/kernels/NAME/about.yaml says which programs of the papers a kernel
 * stands for (docs/use/kernels.md describes the file, systems/NAME/paper.def has the papers' lists). A kernel may go
 * without one.
 */
#ifndef RT_SUITE_ABOUT_H
#define RT_SUITE_ABOUT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum paper {
#define PAPER(key, source, machine, mean, whole, groups, rule) PAPER_##key,
#include "gen/systems/papers.def"
  PAPERS
};

enum paper_mean { PAPER_MEAN_arithmetic, PAPER_MEAN_geometric };
/* By what a paper puts programs into its groups (lab/kernels/groups.h asks it of ours). */
enum paper_rule { PAPER_RULE_none, PAPER_RULE_scheduler, PAPER_RULE_registers, PAPER_RULE_cache, PAPER_RULE_metric };
struct paper_info {
  const char *key, *source, *machine;
  const char *list; /* path of the paper.def that has its line */
  enum paper_mean mean;
  bool whole; /* the list has all names of this paper */
  const char *groups;
  enum paper_rule rule;
};
struct paper_name { /* one program of a paper */
  enum paper paper;
  const char *names, *group;   /* "TR|TP": spellings of one program; "": no group */
  unsigned regs, warps, stall; /* 0: the paper does not say */
};
extern const struct paper_info papers[PAPERS];
extern const struct paper_name paper_names[];
extern const unsigned paper_nnames;
int paper_find(const char *key); /* enum paper; -1 */
/* The paper whose list lies in a folder of this name (cmodel/systems/NAME); -1: none. */
int paper_of_folder(const char *folder);
extern const char *const paper_keys; /* of all: "a, b, c" */
/* The program that a paper calls so; NULL: not in its list. */
const struct paper_name *paper_name(enum paper p, const char *name);

enum { MOST_ALIASES = 8 };
struct about_paper { /* what one paper calls the kernel and says of it; nname 0: nothing */
  const char *name[MOST_ALIASES];
  unsigned nname;
  const char *group;    /* "" if it has none */
  unsigned regs, warps; /* per thread; per block. 0: it does not say */
};
enum { MOST_ENTRIES = 16 };
struct about_ptxas { /* registers per thread as the real compiler gives them; n 0: nobody has measured them */
  const char *version, *target;
  struct {
    const char *entry;
    unsigned regs;
  } of[MOST_ENTRIES];
  unsigned n;
};
struct about {
  const char *what, *suite, *entry, *metric, *differs;
  const char *
      work; /* NULL, or "timing": what it executes depends on timing, by the order of its atomics or by loops that wait */
  struct about_paper paper[PAPERS];
  struct about_ptxas ptxas;
};
/* Reads a manifest's text; strings live in the arena. */
bool about_text(struct about *a, struct arena *arena, const char *file, const char *text, size_t n, struct err *e);

/* Reads the manifest in a launch file's directory; *there: it has one. */
bool about_beside(struct about *a, struct arena *arena, const char *launch_file, bool *there, struct err *e);

struct suite_kernel {
  const char *name;
  bool has_about;
  struct about about;
};
struct suite {
  struct arena arena;
  struct suite_kernel *kernel; /* by name, ascending */
  unsigned n, cap;
};
/* All kernels below a directory, with their manifests. *s may be freed after an error, too. */
bool suite_read(struct suite *s, const char *root, struct err *e);
void suite_free(struct suite *s);

/* Which kernel a paper's name means: "CS", or with its paper "finereg:CS". NULL and *e unset: none; NULL and
 * *e: two different kernels are called so (the message lists them). */
const struct suite_kernel *suite_alias(const struct suite *s, const char *name, struct err *e);
/* What a message says after an unknown kernel: the kernels and papers' names that are similar (base/similar.h), or `otherwise`.
 * Returns buf. */
char *suite_suggest(const struct suite *s, const char *name, const char *otherwise, char *buf, size_t size);
/* The kernel that stands for a program; NULL: none. */
const struct suite_kernel *suite_covers(const struct suite *s, const struct paper_name *p);

#endif
