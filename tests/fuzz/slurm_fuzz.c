/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a task of Slurm wrote: refused with a message, or every answer is whole. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/campaign/slurm_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct slurm_answers a;
  struct err e = {0};
  char path[64];
  const int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const bool ok = slurm_read_answers(path, &a, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  for (unsigned i = 0; ok && i < a.n; i++)
    if (strlen(a.of[i].key) != IDENTITY - 1 || a.of[i].answer.ok != !a.of[i].answer.e.set ||
        a.of[i].answer.ok != !!a.of[i].result)
      abort();
  slurm_answers_free(&a);
  close(fd);
  return 0;
}
