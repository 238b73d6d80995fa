/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_files: what a sweep and its tasks tell each other, a file each way: the runs of a task (task-N.json), and what became of
 * them (out-N.json). Both are written beside their names and renamed, so that there are only whole ones.
 */
#ifndef RT_CAMPAIGN_SLURM_FILES_H
#define RT_CAMPAIGN_SLURM_FILES_H

#include "lab/campaign/sweep.h"

/* Runs s->run[run[i]] as a task's file. */
bool slurm_write_task(const struct sweep *s, const unsigned *run, unsigned n, const char *path, struct err *e);

struct slurm_answer { /* of one run; `result` and answer.more are NULL and empty when it is not ok */
  char key[IDENTITY];
  struct answer answer;
  struct run_result *result;
};
struct slurm_answers {
  struct slurm_answer *of;
  unsigned n, cap;
};
/* False and *e: it cannot be read, or is not what a task wrote. *a is to be freed then, too. */
bool slurm_read_answers(const char *path, struct slurm_answers *a, struct err *e);
void slurm_answers_free(struct slurm_answers *a);

#endif
