/* SPDX-License-Identifier: Apache-2.0 */
/* columns: see columns.h. */
#include "lab/run/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define FIELD(row, type, member) type, offsetof(struct row, member), sizeof(((struct row *)0)->member)
const struct column run_columns[] = {
#define STAT(name, unit, text) {#name, unit, FIELD(run_result, COLUMN_COUNT, sm.name)},
#include "gen/systems/stats.def"
#define COLUMN(name, type, member, unit) {#name, unit, FIELD(run_result, COLUMN_##type, member)},
#define MEM(name, unit, text) {"mem_" #name, unit, FIELD(run_result, COLUMN_COUNT, mem.name)},
#include "lab/run/columns.def"
};
const unsigned run_ncolumns = sizeof run_columns / sizeof *run_columns;

const struct column launch_columns[] = {
#define LAUNCH(name, type, member, unit) {#name, unit, FIELD(run_launch, COLUMN_##type, member)},
#define MEM(name, unit, text) {"mem_" #name, unit, FIELD(run_launch, COLUMN_COUNT, mem.name)},
#include "lab/run/columns.def"
#define STAT(name, unit, text) {#name, unit, FIELD(run_launch, COLUMN_COUNT, sm.name)},
#include "gen/systems/stats.def"
};
const unsigned launch_ncolumns = sizeof launch_columns / sizeof *launch_columns;

const char *column_text(const void *row, const struct column *c, char buf[COLUMN_TEXT_MOST]) {
  const char *at = (const char *)row + c->offset;
  uint64_t whole = 0;
  uint32_t small = 0;
  double real = 0;
  if (c->type == COLUMN_COUNT || c->type == COLUMN_HASH) memcpy(&whole, at, sizeof whole);
  if (c->type == COLUMN_SMALL) memcpy(&small, at, sizeof small);
  if (c->type == COLUMN_REAL) memcpy(&real, at, sizeof real);
  switch (c->type) {
    case COLUMN_COUNT: snprintf(buf, COLUMN_TEXT_MOST, "%" PRIu64, whole); break;
    case COLUMN_SMALL: snprintf(buf, COLUMN_TEXT_MOST, "%" PRIu32, small); break;
    case COLUMN_FLAG: snprintf(buf, COLUMN_TEXT_MOST, "%d", *(const bool *)at); break;
    case COLUMN_REAL: snprintf(buf, COLUMN_TEXT_MOST, "%a", isnan(real) ? (double)NAN : real); break;
    case COLUMN_HASH: snprintf(buf, COLUMN_TEXT_MOST, "%016" PRIx64, whole); break;
    case COLUMN_TEXT: snprintf(buf, COLUMN_TEXT_MOST, "%s", at); break;
  }
  return buf;
}

static bool column_read_whole(const char *text, int base, uint64_t most, uint64_t *out) {
  char *end;
  if (!*text || strspn(text, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(text) || strlen(text) > 20)
    return false;
  errno = 0;
  *out = strtoull(text, &end, base);
  return !errno && !*end && *out <= most;
}

bool column_read(void *row, const struct column *c, const char *text) {
  char *at = (char *)row + c->offset, *end;
  uint64_t whole = 0;
  switch (c->type) {
    case COLUMN_REAL: {
      const double real = strtod(text, &end);
      memcpy(at, &real, sizeof real);
      return *text && !*end;
    }
    case COLUMN_TEXT:
      if (strlen(text) >= c->size) return false;
      snprintf(at, c->size, "%s", text);
      return true;
    case COLUMN_FLAG:
      if (!column_read_whole(text, 10, 1, &whole)) return false;
      *(bool *)at = whole;
      return true;
    case COLUMN_SMALL: {
      if (!column_read_whole(text, 10, UINT32_MAX, &whole)) return false;
      const uint32_t small = (uint32_t)whole;
      memcpy(at, &small, sizeof small);
      return true;
    }
    default:
      if (!column_read_whole(text, c->type == COLUMN_HASH ? 16 : 10, UINT64_MAX, &whole)) return false;
      memcpy(at, &whole, sizeof whole);
      return true;
  }
}

uint64_t columns_sum(const void *row, const struct column *c, unsigned n) {
  uint64_t h = FNV_START;
  char text[COLUMN_TEXT_MOST];
  for (unsigned i = 0; i < n; i++) {
    h = fnv1a(h, c[i].name, strlen(c[i].name) + 1);
    column_text(row, &c[i], text);
    h = fnv1a(h, text, strlen(text) + 1);
  }
  return h;
}
