/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err: one error with file, line and column. A function that reads user input returns false and fills a struct err;
 * the command line prints it and exits with status 2.
 *
 *   FILE:LINE:COL: error: what was found, what was expected
 */
#ifndef RT_BASE_ERR_H
#define RT_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ways in which a kernel fails, as the interfaces of host programs tell them apart. */
enum fault {
  FAULT_OTHER,
  FAULT_ASSERT,  /* its assert() does not hold; the text says which */
  FAULT_BOUNDS,  /* an access outside of what is there, or a store to constant memory */
  FAULT_ALIGN,   /* an address that is no multiple of the access' size */
  FAULT_SPACE,   /* an address in a space that the instruction does not take */
  FAULT_TEXTURE, /* a handle that names nothing of its kind, a format or an access that it does not take */
  FAULT_ENDLESS  /* a loop that cannot end, or more instructions than the limit */
};

struct err {
  bool set;         /* an error is here */
  enum fault fault; /* of a kernel that failed: in what way */
  int line, col;    /* 1-based; 0: unknown or not applicable */
  char file[256];   /* path as the user gave it; empty: no file */
  char text[768];   /* one sentence, no newline, no trailing full stop needed */
};

/* Fills *e unless it already holds an error (the first one wins), the text as show.h shows it. Always returns
 * false, so that a reader can `return err_at(e, ...)`. `file` may be NULL. */
bool err_at(struct err *e, const char *file, int line, int col, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Writes "file:line:col: error: text" into buf (parts that are unknown are left out). */
void err_format(const struct err *e, char *buf, size_t size);

/* One line on standard error, "regtwin: ...", shown as show.h says. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A warning, which does not stop anything: "regtwin: warning: ...". */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A note that comes once in a process, however often it has the same text. From any thread. */
void note_once(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A warning that comes once for each key: `said` has the keys so far, zeros at first, and is freed by its owner. A key is a number of its
 * own for each cause, never a hash: nothing else is compared. */
struct hashtab;
void warn_once(struct hashtab *said, uint64_t key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Off: warnings are dropped, of what is only tried. Returns what it was; on at first. */
bool warnings_enable(bool on);

/* A broken internal invariant: prints to stderr and aborts. Never for bad input. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* No memory for n x size bytes, which a user may have asked for: says so on stderr and ends the program with
 * status 2. Its output streams are not flushed, so that no output appears in part. */
void no_memory(size_t n, size_t size) __attribute__((noreturn));
/* malloc family that ends so when memory is exhausted. xcalloc zeroes; x*alloc of 0 bytes is legal. */
void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t n, size_t size) __attribute__((malloc));
void *xrealloc(void *p, size_t size);
/* 64-byte aligned, zeroed; freed with free(). For lane rows. */
void *xcalloc_lines(size_t n, size_t size) __attribute__((malloc));
void *xmalloc_lines(size_t n, size_t size) __attribute__((malloc)); /* the same, not zeroed: pages come when used */

/* Room for one more in a growing array: VEC_PUSH(v, n, cap) = item;  (v pointer, n count, cap). */
#define VEC_PUSH(v, n, cap)                                                                                    \
  (*(((n) == (cap) ? ((cap) = (cap) ? (cap)*2 : 16, (v) = xrealloc((v), (size_t)(cap) * sizeof *(v)), 0) : 0), \
     &(v)[(n)++]))

#endif
