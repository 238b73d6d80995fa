/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules: checks inside a golden model, in tests and debug builds.
 *   BLOCK_RULE(condition)        on the inputs: the driver of the block must keep it
 *   BLOCK_INVARIANT(condition)   on the block's own state: if it fails, the golden model has a fault
 * A broken rule of a part is a fault of the enclosing block; lockstep distinguishes them by the file.
 */
#ifndef RT_BLOCKS_RULES_H
#define RT_BLOCKS_RULES_H

#ifdef __cplusplus
extern "C" {
#endif
enum block_check { BLOCK_CHECK_RULE, BLOCK_CHECK_INVARIANT };
/* Prints the condition and aborts (rules.c). The lockstep engine has its own function, which reports and ends the run. */
void block_broken(enum block_check kind, const char *condition, const char *file, unsigned line)
    __attribute__((noreturn, cold));
#ifdef __cplusplus
}
#endif

#ifdef NDEBUG
#define BLOCK_CHECK(kind, condition, text) ((void)0)
#else
#define BLOCK_CHECK(kind, condition, text) ((condition) ? (void)0 : block_broken(kind, text, __FILE__, __LINE__))
#endif
#define BLOCK_RULE(condition) BLOCK_CHECK(BLOCK_CHECK_RULE, condition, #condition)
#define BLOCK_INVARIANT(condition) BLOCK_CHECK(BLOCK_CHECK_INVARIANT, condition, #condition)

#endif
