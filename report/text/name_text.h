/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_NAME_TEXT_H
#define KT_REPORT_NAME_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* How names are written.  Those of tasks, functions and files come from the
 * traced machine and may hold any bytes but NUL; what a format could not bear
 * is written as \x and two hexadecimal digits, a byte each, so that all formats
 * show the same.
 */
enum name_rules {
	/* Text for people: nothing that would move a terminal's cursor or
	 * start one of its commands, no bytes that are not UTF-8.
	 */
	NAME_TEXT,
	/* UTF-8, as in protocol buffers. */
	NAME_UTF8,
	/* Within the quotes of a JSON string (RFC 8259). */
	NAME_JSON,
	/* Within the quotes of a CSV field (RFC 4180), or without any where
	 * it needs none.
	 */
	NAME_CSV,
	/* Within an element or a quoted attribute of XML 1.0. */
	NAME_XML,
	/* A frame of folded stacks: they end at semicolons, which become
	 * colons as stackcollapse-perf.pl has it, and at line ends.
	 */
	NAME_FOLDED,
};

/* One byte of a name becomes so many at most. */
enum { NAME_GROWTH = 6 };

/* Writes the @length bytes at @name to @text by @rules, without a NUL behind:
 * at most NAME_GROWTH times as many.  Returns how many.
 */
size_t name_text(char *text, enum name_rules rules, const char *name,
		 size_t length);

/* Returns what name_text() writes with a NUL behind, to be freed; NULL when out
 * of memory.
 */
char *name_made(enum name_rules rules, const char *name);

/* Writes @name to @out by @rules. */
void name_write(FILE *out, enum name_rules rules, const char *name);

/* The same of its first @length bytes. */
void name_write_part(FILE *out, enum name_rules rules, const char *name,
		     size_t length);

/* Returns how many bytes the character at @text takes, of which there are
 * @length; 0 if they are no UTF-8 (Unicode 15, table 3-7).
 */
size_t utf8_length(const char *text, size_t length);

#endif
