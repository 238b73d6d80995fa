/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: a kernel that another function calls, which OpenCL C allows and PTX does not. In the text of the IR, it is there a second time as an
 * ordinary function (__regtwin_NAME), which the calls name instead.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host/opencl/program.h"

static const char call[] = "call spir_kernel void @", define[] = "define dso_local spir_kernel void @";
static const char instead[] = "call spir_func void @__regtwin_",
                  copied[] = "define internal spir_func void @__regtwin_";
#define LENGTH(text) (sizeof(text) - 1)

/* The whole definition of a kernel; *n 0: there is none. */
static const char *calls_find_definition(const struct blob *ir, const char *name, size_t length, size_t *n) {
  const char *p = ir->s, *last = ir->s + ir->n;
  *n = 0;
  while ((p = memmem(p, (size_t)(last - p), define, LENGTH(define)))) {
    const char *at = p + LENGTH(define), *end;
    if ((size_t)(last - at) > length && !memcmp(at, name, length) && at[length] == '(' &&
        (end = memmem(at, (size_t)(last - at), "\n}\n", 3))) {
      *n = (size_t)(end + 3 - p);
      return p;
    }
    p = at;
  }
  return NULL;
}

struct growing {
  char *s;
  size_t n, cap;
};
static bool growing_append(struct growing *t, const char *s, size_t n) {
  if (n > SIZE_MAX / 4) return false;
  if (t->cap - t->n < n + 1) {
    size_t cap = 2 * t->cap + n + 1;
    char *more = realloc(t->s, cap);
    if (!more) return false;
    t->s = more;
    t->cap = cap;
  }
  memcpy(t->s + t->n, s, n);
  t->n += n;
  t->s[t->n] = 0;
  return true;
}

/* The functions for all kernels that are called, each once, behind the text. */
static bool add_functions(struct growing *t, const struct blob *ir) {
  const char *p = ir->s, *last = ir->s + ir->n;
  while ((p = memmem(p, (size_t)(last - p), call, LENGTH(call)))) {
    p += LENGTH(call);
    const size_t length = strcspn(p, "(\n ");
    size_t n;
    const char *d = calls_find_definition(ir, p, length, &n);
    if (!d) continue;
    struct growing head = {0};
    bool good = growing_append(&head, copied, LENGTH(copied)) && growing_append(&head, p, length) &&
                growing_append(&head, "(", 1);
    if (good && !memmem(t->s, t->n, head.s, head.n)) {
      const size_t before = LENGTH(define) + length + 1;
      good = growing_append(t, head.s, head.n) && growing_append(t, d + before, n - before);
    }
    free(head.s);
    if (!good) return false;
  }
  return true;
}

bool calls_of_kernels(struct blob *ir) {
  if (!memmem(ir->s, ir->n, call, LENGTH(call))) return true;
  struct growing whole = {0}, out = {0};
  bool good = growing_append(&whole, ir->s, ir->n) && growing_append(&whole, "\n", 1) && add_functions(&whole, ir);
  const char *p = whole.s, *last = whole.s + whole.n;
  while (good) {
    const char *at = memmem(p, (size_t)(last - p), call, LENGTH(call));
    good = growing_append(&out, p, (size_t)((at ? at : last) - p)) &&
           (!at || growing_append(&out, instead, LENGTH(instead)));
    if (!at) break;
    p = at + LENGTH(call);
  }
  free(whole.s);
  if (!good) return free(out.s), false;
  free(ir->s);
  *ir = (struct blob){out.s, out.n};
  return true;
}
