/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal: what equal.sh reads and writes for Yosys.
 *   equal check LEGAL NETLIST            names of LEGAL that are no wire of the netlist, one per line; status 1 if there are any
 *   equal expose LEGAL                   Yosys commands: cut the wires of LEGAL, show the registers that its rule names
 *   equal registers NETLIST              Yosys commands: name each register's cell after the register, "count_q$ff"
 *   equal lanes ARRAYS LIST WHOLE ONE    the list of faults for the block with one lane (equal_lanes.c)
 *   equal fault NUMBER LIST NETLIST      the type of the fault's cell, "same" if the fault makes a bit constant that is that
 *                                        constant already, else "other", and the cell
 *   equal miter NUMBER BLOCK CUT LEGAL REACH
 *                                        the module that is 1 where the block with the fault differs (equal_miter.c)
 *   equal related NUMBER BLOCK CUT LEGAL REACH
 *                                        the same, but the registers of "// apart:" only need to stay related
 *   equal differ BLOCK CUT LOG           the ports that differ and the inputs, by the solver's log
 * LEGAL is tb/SYSTEM/BLOCK.legal or .one, a file that need not exist. CUT is the block without registers, in Verilog.
 * Exit status: 0, 1 as above, 2 for a damaged file or a wrong call.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/words.h"
#include "equal.h"
#include "rtlil.h"

/* ---- netlists ---- */

static int registers_name(char **argv) {
  struct rtlil r;
  rtlil_open(&r, argv[0]);
  while (rtlil_next(&r)) {
    char **word = r.words.word;
    if (r.kind == RTLIL_CONNECT && r.cell && words_index("$dff|$dffe|$adff|$adffe", r.type) >= 0 && r.words.n == 3 &&
        !strcmp(word[1], "\\Q") && word[2][0] == '\\')
      printf("rename %s %s$ff\n", r.cell, word[2]);
  }
  return 0;
}

static int lanes_list(char **argv) {
  lanes_print(argv[0], argv[1], argv[2], argv[3]);
  return 0;
}

/* The line of that number, split into words. */
static void fault_read(struct words *w, struct textfile *list, const char *number) {
  unsigned long wanted = strtoul(number, NULL, 10);
  while (list->line < wanted) {
    char *line = textfile_next(list);
    if (!line) break;
    words_split(w, line, false);
    if (list->line == wanted) return;
  }
  list->line = 0;
  textfile_refuse(list, number, "the number of a fault");
}

/* Is bit `bit` of a constant of RTLIL, "4'0101" or "5", that value? */
static bool constant_bit_is(const char *s, unsigned long bit, char value) {
  size_t n = strspn(s, "0123456789"), m;
  if (n && !s[n]) return bit < 32 && (strtoul(s, NULL, 10) >> bit & 1) == (value == '1');
  if (!n || s[n] != '\'') return false;
  s += n + 1;
  m = strspn(s, "01");
  return m && !s[m] && bit < m && s[m - 1 - bit] == value;
}

static int fault_print_cell(char **argv) {
  struct textfile list;
  struct words w = {NULL, 0, 0};
  struct rtlil r;
  const char *type = NULL;
  bool same = false;
  textfile_open(&list, argv[1]);
  fault_read(&w, &list, argv[0]);
  const char *mode = words_need_option(&w, "-mode", &list), *cell = words_need_option(&w, "-cell", &list);
  const char *port = words_need_option(&w, "-port", &list), *bit = words_need_option(&w, "-portbit", &list);
  bool constant = !strcmp(mode, "const0") || !strcmp(mode, "const1");
  rtlil_open(&r, argv[2]);
  while (rtlil_next(&r)) {
    if (!r.cell || strcmp(rtlil_listed(r.cell), cell)) continue;
    type = r.type;
    if (r.kind == RTLIL_CONNECT && constant && r.words.n == 3 && r.words.word[1][0] == '\\' &&
        !strcmp(r.words.word[1] + 1, port))
      same = constant_bit_is(r.words.word[2], strtoul(bit, NULL, 10), mode[5]);
  }
  if (!type) textfile_refuse(&list, cell, "a cell of the netlist");
  printf("%s %s %s\n", type, same ? "same" : "other", cell);
  return 0;
}

/* ---- the block without registers ---- */

void ports_read(struct ports *p, const char *path, const char *module) {
  struct textfile t;
  struct words w = {NULL, 0, 0};
  char *head = xmalloc(strlen(module) + 16);
  bool in = false;
  sprintf(head, "module %s(", module);
  *p = (struct ports){NULL, 0, 0};
  textfile_open(&t, path);
  for (char *line; (line = textfile_next(&t));) {
    size_t indent = strspn(line, " ");
    if (!strncmp(line, head, strlen(head))) in = true;
    if (!strncmp(line, "endmodule", 9)) in = false;
    if (!in || (strncmp(line + indent, "input ", 6) && strncmp(line + indent, "output ", 7))) continue;
    char *to = line;
    for (const char *from = line; *from; from++)
      if (*from != ';') *to++ = *from;
    *to = 0;
    words_split(&w, line, false);
    if (w.n < 2) textfile_refuse(&t, line, "a port");
    const char *range = w.word[1];
    int end = 0;
    bool ranged = sscanf(range, "[%*[0-9]:%*[0-9]]%n", &end) == 0 && end && !range[end];
    VEC_PUSH(p->port, p->n, p->room) = (struct port){*w.word[0] == 'i', ranged ? range : "", w.word[w.n - 1]};
  }
  if (!p->n) textfile_refuse(&t, "no port", "those of the module");
}

static int miter_make(char **argv, bool related) {
  struct ports p;
  struct legal l;
  ports_read(&p, argv[2], argv[1]);
  legal_read(&l, argv[3]);
  miter_print(argv[0], argv[1], &p, &l, argv[4], related);
  return 0;
}
static int miter_make_same(char **argv) { return miter_make(argv, false); }
static int miter_make_related(char **argv) { return miter_make(argv, true); }

/* "\g12": 12; 0: another name. */
static size_t solution_port(const char *name, char side) {
  char *end;
  if (name[0] != '\\' || name[1] != side || !isdigit((unsigned char)name[2])) return 0;
  unsigned long k = strtoul(name + 2, &end, 10);
  return *end ? 0 : k;
}

/* "\start_i": an input with a name that needs no backslash in Verilog */
static bool solution_is_input(const char *name) {
  size_t n = 1;
  if (name[0] != '\\' || isdigit((unsigned char)name[1])) return false;
  while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
  return n > 1 && !name[n];
}

/* The log has a table with a line for each wire of the miter: name, and its value decimal, hexadecimal and binary. */
static int solution_print(char **argv) {
  enum { MOST = 400, MOST_VALUE = 16 };
  struct ports p;
  struct textfile t;
  struct words w = {NULL, 0, 0};
  char *text, *inputs;
  size_t n, m;
  FILE *ports = open_memstream(&text, &n), *ins = open_memstream(&inputs, &m);
  if (!ports || !ins) no_memory(1, 1);
  ports_read(&p, argv[1], argv[0]);
  const char **good = xcalloc(p.n + 1, sizeof *good), **bad = xcalloc(p.n + 1, sizeof *bad);
  textfile_open(&t, argv[2]);
  for (char *line; (line = textfile_next(&t));) {
    words_split(&w, line, false);
    if (!w.n) continue;
    const char *name = w.word[0], *value = w.n > 2 ? w.word[2] : "";
    size_t g = solution_port(name, 'g'), b = solution_port(name, 'b');
    if (g > p.n || b > p.n) textfile_refuse(&t, name, "the number of a port");
    if (g) good[g] = value;
    else if (b) bad[b] = value;
    else if (solution_is_input(name) && strlen(value) <= MOST_VALUE) fprintf(ins, " %s=%s", name + 1, value);
  }
  for (size_t k = 1; k <= p.n; k++)
    if (good[k] && strcmp(good[k], bad[k] ? bad[k] : "")) fprintf(ports, "%s ", p.port[k - 1].name);
  fclose(ins);
  fprintf(ports, ";%s", inputs);
  fclose(ports);
  printf("%.*s\n", MOST, text);
  return 0;
}

int main(int argc, char **argv) {
  static const struct tool_command commands[] = {{"check", legal_check, 2, 2, false},
                                                 {"expose", legal_expose, 1, 1, false},
                                                 {"registers", registers_name, 1, 1, false},
                                                 {"lanes", lanes_list, 4, 4, false},
                                                 {"fault", fault_print_cell, 3, 3, false},
                                                 {"miter", miter_make_same, 5, 5, false},
                                                 {"related", miter_make_related, 5, 5, false},
                                                 {"differ", solution_print, 3, 3, true},
                                                 {NULL, NULL, 0, 0, false}};
  tool_program = "equal";
  return tool_run(
      commands, argc, argv,
      "equal check LEGAL NETLIST | expose LEGAL | registers NETLIST | lanes ARRAYS LIST WHOLE ONE |\n"
      "  fault NUMBER LIST NETLIST | miter NUMBER BLOCK CUT LEGAL REACH | related NUMBER BLOCK CUT LEGAL REACH |\n"
      "  differ BLOCK CUT LOG");
}
