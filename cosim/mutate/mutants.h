/* SPDX-License-Identifier: Apache-2.0 */
/* mutants: what the files of the program share. */
#ifndef COSIM_MUTATE_MUTANTS_H
#define COSIM_MUTATE_MUTANTS_H

/*
 * Print a line for each fault: number, place, description, and for the RTL the whole line of the source, with tabs in
 * between. The number is that of the line in the list, or cmutate's. A damaged input ends the program with status 2.
 *
 * mutants_name_rtl: the netlist in RTLIL before the faults, Yosys's list. The description is "rtl const0 wire[3] @ text".
 * Where the wire has no name it has the cell's kind and port, for a multiplexer or a register also "to" and what it leads to.
 * The text is that of the smallest place in the source.
 * mutants_name_c: a C source, the output of `cmutate list`. The description is "c kind found -> put @ function: line", with
 * #2 if what is found stands there for the second time.
 */
void mutants_name_rtl(const char *netlist, const char *list);
void mutants_name_c(const char *source, const char *list);

#endif
