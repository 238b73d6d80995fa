/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage_corpus: what the campaign `damage` damages. It has the kinds of files, the commands that read them, the
 * undamaged inputs of each kind, and it fills the directory of a case. damage.c draws the damage, runs the command and
 * judges what it did.
 */
#ifndef FUZZ_DAMAGE_CORPUS_H
#define FUZZ_DAMAGE_CORPUS_H

#include "mutate.h"

enum kind { PTX, LAUNCH, CONF, ABOUT, WIDTHS, DATA, NAME, JOURNAL, DATABASE, STIM, PROFILE, DOT, KINDS };
struct kind_of_file {
  const char *name;
  bool text;
  unsigned share;     /* of 100 inputs */
  const char *files;  /* patterns; a kind's text: the cases of bad inputs in it */
  const char *beside; /* kernels that lie in the box as they are; without: the input's own */
};
extern const struct kind_of_file kinds[KINDS];

struct input {
  char path[200], folder[100]; /* traces/kernels/sgemm/sgemm.ptx, sgemm */
  struct bytes data;
};
struct inputs {
  struct input *input;
  size_t n, room;
};

/* Flags of a command. */
enum {
  SUITE = 1, /* takes inputs of kernels in traces/ only */
  PARTS = 2, /* does what it can: status 2 beside outputs */
  SAME = 4,  /* prints what it prints with an undamaged file, or refuses the damaged one */
};
struct command {
  enum kind kind;
  unsigned flags;
  const char *words;
};
extern const struct command commands[];
extern const unsigned ncommands;
/* True if the command can be given this input of its kind. */
bool command_takes(const struct command *c, const struct input *in);

/* ---- one case ---- */
enum { WORDS = 40 };
struct trial {
  unsigned number;
  enum kind kind;
  const struct input *input;
  const struct command *command;
  const char *damage;
  int other;         /* what stands in the file's place: 'd' directory, 'p' FIFO, 'l' a link to `damage`; 0: the file */
  struct bytes data; /* damaged */
  char file[400];    /* where it lies in the box */
  char line[2000];   /* the command, as a person would give it in the box */
  char *argv[WORDS];
};
/* Fills dir/box with the damaged file and, undamaged, what the command reads besides. Sets file, line and argv. */
void trial_fill(const char *dir, struct trial *t);

/* ---- the corpus ---- */
struct corpus_places {
  const char *root;    /* the tree: the working directory, absolute */
  const char *program; /* regtwin, below root */
  const char *blocks;  /* the folder of the blocks' runners, below root */
};
enum { CPU_SECONDS = 20 }; /* limit of one command */
/* Collects the inputs of all kinds. The commands make some of them, in `dir`. Called once, before all others here. */
void corpus_gather(const struct corpus_places *from, const char *dir);
const struct inputs *corpus_of(enum kind k);
/* Returns what the SAME command prints with an undamaged database. */
const struct bytes *corpus_same_output(void);

#endif
