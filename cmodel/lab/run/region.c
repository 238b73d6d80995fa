/* SPDX-License-Identifier: Apache-2.0 */
/* region: see region.h. */
#include "lab/run/region.h"

#include <stdio.h>
#include <string.h>

static const char expected[] = "expected FROM..TO, FROM.., ..TO or one launch: a number from 0, or a kernel's name";

/* n bytes of text. */
static bool region_end_read(struct region_end *end, const char *text, size_t n, struct err *e) {
  *end = (struct region_end){.any = !n};
  const bool number = n && strspn(text, "0123456789") >= n;
  if (n >= (number ? 19 : sizeof end->kernel))
    return err_at(e, NULL, 0, 0, "sim.roi: found '%.60s', %s", text, expected);
  for (size_t i = 0; number && i < n; i++) end->number = end->number * 10 + (uint64_t)(text[i] - '0');
  if (!number) snprintf(end->kernel, sizeof end->kernel, "%.*s", (int)n, text);
  return true;
}

bool region_read(struct region *r, const char *text, struct err *e) {
  const char *dots = strstr(text, "..");
  *r = (struct region){.one = text[0] && !dots};
  r->from.any = r->to.any = true;
  if (!text[0]) return true;
  if (!dots) return region_end_read(&r->from, text, strlen(text), e);
  if (!strcmp(text, "..") || strstr(dots + 1, ".."))
    return err_at(e, NULL, 0, 0, "sim.roi: found '%.60s', %s", text, expected);
  if (!region_end_read(&r->from, text, (size_t)(dots - text), e) ||
      !region_end_read(&r->to, dots + 2, strlen(dots + 2), e))
    return false;
  const bool numbers = !r->from.any && !r->to.any && !r->from.kernel[0] && !r->to.kernel[0];
  return !numbers || r->from.number <= r->to.number ||
         err_at(e, NULL, 0, 0, "sim.roi: found '%.60s', expected an end of %llu or more", text,
                (unsigned long long)r->from.number);
}

static bool region_end_names(const struct region_end *end, uint64_t number, const char *kernel) {
  return end->kernel[0] ? !strcmp(end->kernel, kernel) : end->number == number;
}

bool region_takes(struct region *r, uint64_t number, const char *kernel) {
  if (r->one) return region_end_names(&r->from, number, kernel);
  r->begun = r->begun || r->from.any || region_end_names(&r->from, number, kernel);
  const bool takes = r->begun && !r->over;
  r->over = r->over || (takes && !r->to.any && region_end_names(&r->to, number, kernel));
  return takes;
}
