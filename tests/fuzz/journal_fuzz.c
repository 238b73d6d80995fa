/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the journal of a search: a file that does not begin like one is refused and stays; else the complete
 * lines at its beginning are read, the rest is cut off, and the remaining file reads the same again. */
#include "../../cmodel/lab/campaign/tune.c"

static unsigned read_back(const char *path, struct tuner *t) {
  struct err e = {0};
  memset(t, 0, sizeof *t);
  snprintf(t->journal_path, sizeof t->journal_path, "%s", path);
  if (open_journal(t, &e) == e.set) abort();
  fclose(t->journal);
  return t->noutcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static struct tuner t, again;
  char path[64];
  snprintf(path, sizeof path, "/tmp/journal-fuzz-%d", (int)getpid());
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
  if (read_back(path, &t) != read_back(path, &again)) abort();
  for (unsigned i = 0; i < t.noutcome; i++)
    if (t.outcome[i].trial != again.outcome[i].trial || t.outcome[i].holds != again.outcome[i].holds) abort();
  free(t.outcome);
  free(again.outcome);
  remove(path);
  return 0;
}
