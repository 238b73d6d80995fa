/* SPDX-License-Identifier: Apache-2.0 */
/* origin: which process the results are of: program, arguments, rank. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/session/session.h"

/* What launchers of several ranks say to each: Open MPI, PMIx, MPICH and Intel MPI, MVAPICH, Slurm. */
static const struct {
  const char *rank, *ranks;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                 {"PMIX_RANK", NULL}};

static bool number_in(const char *name, int *n) {
  const char *text = name ? getenv(name) : NULL;
  char *end = NULL;
  const long v = text ? strtol(text, &end, 10) : -1;
  if (!text || end == text || *end || v < 0 || v > INT_MAX) return false;
  *n = (int)v;
  return true;
}

/* -1: there is one rank, or no launcher. */
static int rank_of_environment(void) {
  int rank, ranks;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    if (!number_in(launchers[i].rank, &rank)) continue;
    if (!launchers[i].ranks) return rank;
    if (number_in(launchers[i].ranks, &ranks)) return ranks > 1 ? rank : -1;
  }
  return -1;
}

const struct origin *origin_of_process(void) {
  static struct origin o;
  FILE *f = fopen("/proc/self/cmdline", "re");
  o.bytes = f ? fread(o.text, 1, sizeof o.text - 1, f) : 0;
  if (f) fclose(f);
  o.text[o.bytes] = 0; /* what does not fit is cut */
  o.program = o.text;
  o.rank = rank_of_environment();
  return &o;
}

void origin_path(char *to, size_t size, const char *json, const struct origin *o) {
  const char *name = path_name(json), *dot = strrchr(name, '.');
  if (!dot || dot == name) dot = json + strlen(json);
  if (o->rank < 0 || !strcmp(json, "-")) snprintf(to, size, "%s", json);
  else snprintf(to, size, "%.*s.rank%d%s", (int)(dot - json), json, o->rank, dot);
}
