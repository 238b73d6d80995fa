/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html: text within a page of HTML that is well-formed XML too, so that every tag is closed. Foreign text is written by
 * these functions only: as one line that base/show.h shows, without markup.
 */
#ifndef RT_REPORT_HTML_H
#define RT_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

/* As content of an element or as an attribute's value between double quotes. */
void html_text(FILE *f, const char *text);
/* The same, at most `most` characters, the last one "..." as one character where it was longer; and how many it wrote. */
size_t html_short(FILE *f, const char *text, size_t most);
/* Formats, then html_text; at most 1,023 bytes. */
void html_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The bytes of a data: link, as RFC 3986 escapes them; any text. */
void html_data(FILE *f, const char *data, size_t n);
size_t html_length(const char *text); /* characters that html_text shows */

#endif
