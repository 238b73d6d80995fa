/* SPDX-License-Identifier: Apache-2.0 */
/* sheet: named rows and columns of numbers, some of them missing, as a section of a table, Markdown or JSON; as a picture: figure.h. */
#ifndef RT_REPORT_SHEET_H
#define RT_REPORT_SHEET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "lab/report/table.h"

struct sheet {
  char title[256];
  unsigned decimals;
  unsigned rows, columns, rows_cap;
  char (*column)[128];
  char (*system)[128]; /* of the column, for its colour; "": the column's own name */
  struct sheet_row {
    char name[128], alias[64];
    double *v;    /* [columns]; NaN: none */
    bool *marked; /* [columns]: a ~ stands after it */
  } * row;
};

void sheet_init(struct sheet *s, unsigned columns, unsigned decimals, const char *title);
void sheet_free(struct sheet *s);
/* A new row, all of it missing; its numbers. */
double *sheet_row(struct sheet *s, const char *name, const char *alias);
void sheet_mark(struct sheet *s, unsigned column);          /* a number of the newest row */
bool sheet_marked(const struct sheet *s);                   /* some number is */
void sheet_section(const struct sheet *s, struct table *t); /* t has as many columns */
void sheet_markdown(const struct sheet *s, FILE *f);
json_t *sheet_json(const struct sheet *s);
/* The row of this name has a mean over others: "mean", "geometric mean, sensitive". */
bool sheet_is_mean(const char *name);

#endif
