/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli: one function per subcommand, argv[0] being "regtwin NAME". Exit status: 0, or 2 for anything that the
 * user gave wrong (usage, files, names, kernels that fail); 1 only when output cannot be written.
 */
#ifndef RT_CLI_CLI_H
#define RT_CLI_CLI_H

#include <argp.h>
#include <stdint.h>

#include "config/config.h"
#include "lab/campaign/plan.h"
#include "compiler/ir/interval.h"

enum { EXIT_INPUT = 2, MOST_NAMES = 256 }; /* kernels of a command */

int cmd_run(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_host(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_analyze(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_characterize(int argc, char **argv);
int cmd_quality(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_experiment(int argc, char **argv);
int cmd_bottleneck(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_cost(int argc, char **argv);
int cmd_combine(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_results(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_trace_import(int argc, char **argv); /* trace_exchange.c */
int cmd_trace_export(int argc, char **argv);

/* argp's error, its message as one line of shown text, since arguments are foreign text. */
char *message_one_line(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define argp_error(state, ...) argp_error(state, "%s", message_one_line((char[1024]){0}, 1024, __VA_ARGS__))

/* argp_parse with IN_ORDER or 0 as flags, for argv[0] with the command's name. Help is as wide as show_width says; an unknown long
 * option is an error that names similar ones. COMMAND_FIRST: what follows the first word that is no option belongs to
 * another command or program. Like argp_parse it prints help and errors, and ends the program. */
enum { COMMAND_FIRST = 1 << 16 };
error_t command_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Prints the program's name and the error on stderr; returns EXIT_INPUT. */
int err_complain(const struct err *e);
/* Signals that this program ignores or not whatever it inherited: set at its start; restored before another program takes its place. */
void signals_set(void);
void signals_restore(void);

/* --config, --system, --set, and options that are short for a --set (--sms, --watch-sm, --roi, --max-cycles, --max-ctas): an argp
 * child, shared by the subcommands that need a configuration. */
enum { MOST_SETS = 256, MOST_SHORT = 16 };
struct config_args {
  const char *machine, *system;
  const char *set[MOST_SETS];
  int set_arg[MOST_SETS]; /* number of the argument on the command line, for messages */
  unsigned nset;
  char made[MOST_SHORT][160]; /* what those options are short for */
  unsigned nmade;
  bool all_sms;     /* --sms all */
  unsigned threads; /* --threads; 0: as many as are free */
};
/* machine_argp: without --system, for those who take several; plain_argp: --config, --set, --system alone, for those that run nothing. */
extern const struct argp config_argp, machine_argp, plain_argp;
/* One of them, below "Configuration:"; bare_children: --config and --set alone. */
extern const struct argp_child config_children[], machine_children[], plain_children[], bare_children[];
bool config_from(const struct config_args *a, struct config *c, struct err *e);
struct settings config_settings(const struct config_args *a); /* machine and --set; points into *a */
void config_add_set(struct config_args *a, const char *set, int arg, struct argp_state *state);
/* Which argument of the whole command line it is, for messages. */
int number_of_arg(const struct argp_state *state, const char *arg);

/* Options that several commands have; each command gives its own OPT_ numbers. */
#define SIZE_OPTION                                                                                  \
  {                                                                                                  \
    "size", OPT_SIZE, "NAME", 0,                                                                     \
        "size of the kernels' inputs, one that 'regtwin list kernels -v' shows; default: default", 0 \
  }
#define JSON_OPTION                                                                              \
  {                                                                                              \
    "json", OPT_JSON, "FILE", 0,                                                                 \
        "also write the results as JSON; - writes them to standard output, without the table", 0 \
  }
#define JOBS_OPTION \
  { "jobs", OPT_JOBS, "N", 0, "runs at a time; default: the number of processors", 0 }
#define DB_OPTION \
  { "db", OPT_DB, "FILE", 0, db_help, 0 }

/* Sets *to to the value of an option that may be given once; argp_error (exit 2) the second time. */
void option_take_once(struct argp_state *state, const char *option, const char **to, const char *arg);
/* Adds a kernel to the n of an array of MOST_NAMES; argp_error when it is full. */
void kernel_take(struct argp_state *state, const char **kernel, unsigned *n, const char *arg);
/* Copies the first word of "a,b,c", cut to size; returns what follows its comma, or NULL after the last word. */
const char *list_take_word(const char *list, char *word, size_t size);
/* The value of --jobs. */
unsigned jobs_arg(struct argp_state *state, const char *arg);
/* A whole number of an option; argp_error (exit 2) when it is none or out of range. */
uint64_t number_arg(struct argp_state *state, const char *option, const char *arg, uint64_t least, uint64_t most);

/* The database of results, of --db FILE or (path NULL) build/experiments/results.db where there is a build; else *d is NULL. The
 * option's help. */
struct db;
bool db_of(const char *path, struct db **d, struct err *e);
const char *db_default(void); /* the path of that one; NULL: there is no build */
extern const char db_help[];

/* The value of --size: the name of a size, which launch files are asked for. */
const char *size_arg(struct argp_state *state, const char *arg);

/* A progress line on stderr, some five times a second, only when that is a terminal (progress.c). */
struct progress;
struct progress *progress_new(unsigned items);
void progress_item(struct progress *p, const char *name);
struct run_progress progress_hooks(struct progress *p);
/* What kernels print goes to standard output, or standard error. */
void progress_print_to(struct progress *p, bool to_stderr, struct run_progress *hooks);
/* A matrix_progress. One line again: so many of all runs are done, this one the last. Wiped when all are. */
void progress_count(void *progress, unsigned done, unsigned all, const char *kernel, const char *system);
void progress_text(struct progress *p, const char *text); /* another line, on a terminal */
void progress_free(struct progress *p);                   /* wipes the line */

/* analyze --slices (analyze_slices.c). */
struct slices_args {
  const char *what, *size, *kernel; /* kernel: one .entry, or NULL */
  const char *widths;               /* "perfect", "high": floats by the file of that quality; "int": as they are */
  const char *map;                  /* the picture, or NULL */
  const struct config *cfg;         /* its section compile, narrow and quality left out */
};
bool analyze_is_ptx(const char *what); /* a path of a PTX file; else a name or a launch file */
/* analyze --launch (skeleton.c): a launch file to complete, of one entry or (NULL) of all. */
bool skeleton_print(const struct module *m, const char *kernel, const char *path, FILE *f, struct err *e);
/* Gives *kernel the name that m has for it; NULL, all of them: says which are refused, and why. False: it is none of
 * m. */
bool analyze_entry(struct module *m, const char **kernel, struct err *e);
/* analyze --registers (analyze_registers.c): the table of one kernel, or (NULL) of the suite. */
bool analyze_registers(const char *what, const char *size, const struct config *cfg, struct err *e);
bool analyze_packed(struct slices_args *a, struct err *e);
/* analyze --intervals and --strands (analyze_intervals.c). */
struct intervals_args {
  const char *cfg; /* a file of nvdisasm -cfg; NULL: the allocated kernels of m */
  bool strands;
  enum strand_cut cut;
  uint32_t most;
  const char *kernel; /* of m, or NULL: all */
  const char *dot, *picture;
};
bool analyze_intervals(const struct intervals_args *a, const struct module *m, struct err *e);
/* analyze --reuse (analyze_reuse.c). */
struct reuse_args {
  const char *what, *size, *kernel; /* kernel: one .entry to show, or NULL */
  const char *write, *read;         /* files of the profile, or NULL; read: nothing is executed */
  uint32_t ctas;                    /* of each kernel; REUSE_ALL */
  const struct config *cfg;
};
bool analyze_reuse(struct reuse_args *a, struct err *e);

#endif
