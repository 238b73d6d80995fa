/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiment: the figures and tables of a paper, measured here and shown beside the paper's numbers
 * (systems/NAME/paper.def). A difference is not a failure.
 */
#ifndef RT_CAMPAIGN_EXPERIMENT_H
#define RT_CAMPAIGN_EXPERIMENT_H

#include <jansson.h>

#include "lab/kernels/suite/about.h"
#include "lab/database/db.h"
#include "lab/campaign/map.h"
#include "lab/campaign/matrix.h"
#include "lab/report/sheet.h"

struct experiment {
  const char *id; /* "E-FR1" */
  enum paper paper;
  const char *where, *kernels, *title, *note;
  const char *file; /* its line */
  unsigned line;
};
extern const struct experiment experiments[];
extern const unsigned nexperiments;
/* The lines of experiments fit together: experiments, labels of systems, measures. False and *e, with the line that does not. */
bool experiments_check(struct err *e);
/* Adds its kernels to m: words as matrix_kernels takes them, between commas; none is right. */
bool experiment_suite(const struct experiment *x, struct matrix *m, struct err *e);
/* The kernels and systems that its lines name exist, and its systems run on the paper's machine. False and *e, with the line. */
bool experiment_check(const struct experiment *x, struct err *e);
/* In any case, with or without the letter of one of several figures (E-SL2: E-SL2a and E-SL2b). */
bool experiment_named(const struct experiment *x, const char *id);

struct claim { /* a number of the paper, and ours */
  char what[192];
  const char *paper;
  double ours; /* NaN: there is none */
  unsigned decimals;
  bool earlier; /* figures of a block's earlier Verilog are in it (cost/blocks.h) */
};
enum { MOST_SHEETS = 5 };
struct findings {
  const struct experiment *experiment;
  char size[32], machine[64], sms[SMS_TEXT]; /* sms: run_sms */
  struct sheet sheet[MOST_SHEETS]; /* the first one is drawn, if there is no map and no line AXIS or AXIS_OF */
  struct map_view *view;           /* of each line MAP */
  const struct sheet
      *tornado; /* of two columns, drawn below the first as bars around the number of its last row; NULL: none */
  struct claim *claim;
  char (*complaint)[1400]; /* what failed: a line each */
  char (*remark)[400];     /* warnings about successful runs: a line each */
  unsigned nsheet, nclaim, claims_cap, ncomplaint, complaints_cap, nremark, remarks_cap, nview, views_cap, runs;
};

struct setup { /* how to run: size of the kernels, machine and --set, children at a time, results on disk (NULL:
                none) */
  const char *size;
  struct settings settings;
  unsigned jobs;
  struct db *db;
  matrix_progress progress;
  void *ctx;
};
/* What a paper gives as the mean of a measure's ratio of one system to another, over all of its kernels, and
 * the experiment it belongs to; systems as --systems takes them. NULL: nothing. */
const char *experiment_mean(const char *measure, const char *system, const char *base, const struct experiment **x);
/* An experiment that cannot be measured yet has no sheets. False and *e: nothing could be run at all. */
bool experiment_run(const struct experiment *x, const struct setup *setup, struct findings *f, struct err *e);
void findings_free(struct findings *f);

/* Some experiment compares the system with that one, names as --systems takes them. */
bool experiment_compares(const char *system, const char *base);

/* Runs that were made before, by names as systems and kernels have them. */
struct experiment_source {
  bool (*has)(void *ctx, const char *system);                                         /* any run of it */
  const struct run_result *(*run)(void *ctx, const char *kernel, const char *system); /* NULL: none */
  void *ctx;
};
/* The paper's numbers beside those of such runs, and nothing is run: of f only claims, and `runs`: kernels that every system ran;
 * *kernels: those of the experiment. No claims: no system of it but the base ran, or it is not of the kind that compares systems.
 * False and *e: the kernels' manifests cannot be read. */
bool experiment_claims(const struct experiment *x, const struct experiment_source *from, struct findings *f,
                       unsigned *kernels, struct err *e);

void findings_print(const struct findings *f, FILE *out);
void findings_markdown(const struct findings *f, const char *images,
                       FILE *out); /* images: directory of the plots; NULL */
json_t *findings_json(const struct findings *f);
bool findings_plot(const struct findings *f, const char *path, struct err *e);

/* For the picture of an experiment that compares systems. What the system of this label is relative to; NULL: it has no such label. */
const char *experiment_base_of(const struct experiment *x, const char *label);
/* Its first table has ratios; of which measure it is. */
bool experiment_shows_ratio(const struct experiment *x, const struct measure **measure);
bool experiment_axes_check(struct err *e); /* lines AXIS are of experiments that there are */

/* For those who fill them in. */
struct sheet *findings_sheet(struct findings *f, unsigned columns, unsigned decimals, const char *title);
void findings_claim(struct findings *f, const char *what, const char *paper, double ours, unsigned decimals);
/* A system's ITEM lines (cost/papers.h): the paper's number, its own counts, what was built; notes as remarks. */
void findings_items(struct findings *f, const char *system);
void findings_complain(struct findings *f, const char *kernel, const char *system, const struct err *e);
/* A system under the setup's machine and settings; false: refused, with a complaint. */
bool findings_config(struct findings *f, const struct setup *setup, const char *system, struct config *c);
/* Systems into the matrix, and all of it run, a complaint for each run that fails; false: a system is refused, with a complaint. */
bool findings_run(struct findings *f, const struct setup *setup, struct matrix *m, const char *const *system,
                  unsigned n);
/* Those that do not compare systems, by the name that MEASURED gives. */
#define MEASURED(id, name) void experiment_##name(const struct setup *setup, struct matrix *m, struct findings *f);
#include "gen/systems/experiments.def"

#endif
