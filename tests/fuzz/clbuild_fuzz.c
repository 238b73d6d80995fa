/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenCL driver reads itself when it builds a program. The first byte says which, the rest is the text: build options; LLVM IR;
 * PTX, such as a program's binary. Options never begin with what clang would take as a file or as another option.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "host/opencl/calls.c"
#include "host/opencl/hidden.c"
#include "host/opencl/image_code.c"
#include "host/opencl/inline.c"
#include "host/opencl/libclc.c"
#include "host/opencl/options.c"
#include "host/opencl/rotate.c"
#include "host/opencl/signature.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_options(const char *text, enum options_for what) {
  struct options o;
  bool good = options_read(&o, text, what);
  if (good == (o.wrong[0] != 0)) abort();
  for (unsigned i = 0; i < o.n; i++) {
    const char *a = o.arg[i];
    if (a[0] != '-' ||
        (a[1] != 'D' && a[1] != 'I' && strncmp(a, "-cl-", 4) != 0 && strcmp(a, "-w") != 0 && strcmp(a, "-Werror") != 0))
      abort();
  }
  options_free(&o);
}

static void check(const struct signatures *s) {
  for (unsigned k = 0; k < s->n; k++) {
    if (signature_find(s, s->kernel[k].name)->n > MOST_PARAMETERS + 1) abort();
    for (unsigned i = 0; i < s->kernel[k].n; i++) {
      if (s->kernel[k].parameter[i].space >= ARG_SPACES || s->kernel[k].parameter[i].access >= ACCESSES) abort();
    }
  }
}

static void read_ir(const char *text, size_t n) {
  struct signatures s;
  if (!signatures_of_ir(&s, text, n)) abort();
  check(&s);
  char *comments = signatures_comments(&s);
  struct signatures again;
  if (!signatures_of_ptx(&again, comments, strlen(comments))) abort();
  signatures_free(&again);
  signatures_free(&s);
  free(comments);
  struct blob b = {(char *)text, n};
  for (int offsets = 0; offsets < 2; offsets++) free(hidden_define(&b, offsets).s);
}

static void read_ptx(const char *text, size_t n) {
  struct signatures s;
  if (!signatures_of_ptx(&s, text, n)) abort();
  check(&s);
  signatures_free(&s);
  struct blob b = {(char *)text, n}, second = hidden_split(&b);
  if (second.n > n) abort();
  free(second.s);
  struct blob both = hidden_join(&(struct blob){"a\n", 2}, &b), back = hidden_split(&both);
  if (back.n < n || memcmp(back.s, text, n)) abort();
  free(both.s);
  free(back.s);
  struct blob repaired = {memcpy(malloc(n + 1), text, n + 1), n};
  if (!rotate_repair(&repaired) || !images_target(&repaired) || repaired.n < n) abort();
  free(repaired.s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  if (!n) return 0;
  char *text = malloc(n);
  memcpy(text, data + 1, n - 1);
  text[n - 1] = 0;
  switch (data[0] & 3) {
    case 0: read_options(text, OPTIONS_BUILD); break;
    case 1: read_options(text, OPTIONS_LINK); break;
    case 2: read_ir(text, n - 1); break;
    default: read_ptx(text, n - 1); break;
  }
  free(text);
  return 0;
}
