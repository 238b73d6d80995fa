/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: results as text. Named rows in sections, one column per result, numbers right-aligned with
 * thousands separators. Columns that do not fit the width continue in a further block below.
 */
#ifndef RT_REPORT_TABLE_H
#define RT_REPORT_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table;
struct table *table_new(unsigned columns);
void table_free(struct table *t);
void table_head(struct table *t, unsigned column, const char *text);
void table_section(struct table *t, const char *title);
/* A new row; its cells are empty ("-" is printed) until table_cell fills them. */
void table_row(struct table *t, const char *label, const char *unit);
void table_cell(struct table *t, unsigned column, const char *text); /* of the newest row */
void table_print(const struct table *t, FILE *f);

/* In place of a count: the configuration does not model what would be counted. Shown as "-", null in JSON. */
#define NOT_MODELLED UINT64_MAX
/* Numbers as text, by integer arithmetic (the same digits everywhere). Each returns buf. */
enum { CELL = 40 };
const char *text_count(char buf[CELL], uint64_t n);                                    /* 1,234,567 */
const char *text_ratio(char buf[CELL], uint64_t num, uint64_t den, unsigned decimals); /* 12.34; "-" when den is 0 */
const char *text_decimals(char buf[CELL], double x, unsigned decimals);                /* 12.34 */
/* Shares of n parts in percent that sum to exactly 100.00 (largest remainders): hundredths of a percent. All
 * 0: all 0. */
void shares_to_hundredths(const uint64_t *part, unsigned n, uint32_t *hundredths);
const char *text_hundredths(char buf[CELL], uint32_t h); /* 1234 -> "12.34" */

#endif
