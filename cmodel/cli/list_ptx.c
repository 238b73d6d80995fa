/* SPDX-License-Identifier: Apache-2.0 */
/* list_ptx: regtwin list ptx: what of PTX is read, what executes it, and what is refused; from the reader's own tables. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/list.h"
#include "compiler/ptx/about.h"
#include "lab/report/grid.h"

/* Those that are refused for one reason, in the order of the table; false: an earlier one has the same reason. */
static bool refusals_join(unsigned k, const char **what, char *names, size_t size) {
  const char *name, *other;
  ptx_refusal(k, &name, what);
  for (unsigned i = 0; i < k; i++)
    if (ptx_refusal(i, &name, &other) && !strcmp(other, *what)) return false;
  size_t n = 0;
  names[0] = 0;
  for (unsigned i = k; ptx_refusal(i, &name, &other); i++)
    if (!strcmp(other, *what) && n < size) n += (size_t)snprintf(names + n, size - n, "%s%s", n ? ", " : "", name);
  return true;
}

static int as_json(void) {
  json_t *all = json_object(), *read = json_array(), *refused = json_array();
  struct ptx_row r;
  const char *name, *what;
  for (unsigned k = 0; ptx_row(k, &r); k++)
    json_array_append_new(read, json_pack("{ssssssssssss}", "instruction", r.name, "types", r.types, "second_type",
                                          r.second, "third_type", r.third, "modifiers", r.modifiers, "unit", r.unit));
  for (unsigned k = 0; ptx_refusal(k, &name, &what); k++)
    json_array_append_new(refused, json_pack("{ssss}", "instruction", name, "belongs_to", what));
  json_object_set_new(all, "instructions", read);
  json_object_set_new(all, "refused", refused);
  json_dumpf(all, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(all);
  return 0;
}

static void as_markdown(void) {
  struct ptx_row r;
  char names[1024];
  const char *name, *what;
  printf("| instruction | type | second type | third type | modifiers | unit |\n|---|---|---|---|---|---|\n");
  for (unsigned k = 0; ptx_row(k, &r); k++)
    printf("| `%s` | %s | %s | %s | %s | %s |\n", r.name, r.types, r.second, r.third, r.modifiers, r.unit);
  printf("\n| refused | they belong to |\n|---|---|\n");
  for (unsigned k = 0; ptx_refusal(k, &name, &what); k++)
    if (refusals_join(k, &what, names, sizeof names)) printf("| %s | %s |\n", names, what);
}

static void as_table(void) {
  struct ptx_row r;
  char names[1024];
  const char *name, *what;
  struct grid *g = grid_new();
  static const char *const head[] = {"instruction", "unit", "type", "second type", "third type", "modifiers"};
  grid_put_heads(g, head, sizeof head / sizeof *head);
  for (unsigned k = 0; ptx_row(k, &r); k++) {
    const char *const cells[] = {r.name, r.unit, r.types, r.second, r.third, r.modifiers};
    grid_row(g);
    for (unsigned c = 0; c < sizeof cells / sizeof *cells; c++) grid_cell(g, "%s", cells[c][0] ? cells[c] : "-");
  }
  grid_print(g, stdout);
  grid_free(g);
  printf("\nrefused:\n");
  for (unsigned k = 0; ptx_refusal(k, &name, &what); k++)
    if (refusals_join(k, &what, names, sizeof names)) printf("  %s: %s\n", what, names);
}

int list_ptx(bool markdown, bool json) {
  if (json) return as_json();
  if (markdown) as_markdown();
  else as_table();
  return 0;
}
