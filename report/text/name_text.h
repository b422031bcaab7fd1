/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_NAME_TEXT_H
#define KT_REPORT_TEXT_NAME_TEXT_H

/* Text for people: names that may hold any bytes, colours, and the width of the
 * output. All names from the traced machine (tasks, functions, files, cgroups)
 * pass through name_text() on their way to any format.
 *
 * Invariants:
 * 1. A written name is valid in its format, and ends no field, string or frame
 *    early, whatever the name.
 * 2. NAME_TEXT contains no control character: a name cannot command a terminal.
 * 3. Colours never come from a name; without a terminal, they are "".
 */

#include <stddef.h>
#include <stdio.h>

/* Returns the number of columns for text on @out: the environment's COLUMNS;
 * otherwise the width of the terminal that shows it, directly or through a
 * pager; otherwise 100.
 */
int text_width_of(FILE *out);

/* Highlighting of text for people: each member is the escape sequence sent
 * before the text (ECMA-48, SGR), and plain is sent after it; without colours
 * all are "".
 */
struct colors {
	const char *hot;     /* a large share of the time */
	const char *warm;    /* a noticeable share */
	const char *missing; /* missing from the trace */
	const char *faint;   /* only for orientation */
	const char *subject; /* the subject of the surrounding lines */
	const char *plain;
};

extern const struct colors colors_none;
extern const struct colors colors_of_terminal;

/* Returns the colour for a share of @percent of the time: hot from 5 on, warm
 * from 0.5 on, as in perf report, otherwise "".
 */
const char *colors_of_share(const struct colors *colors, double percent);

/* Rules for writing names. Names of tasks, functions and files come from the
 * traced machine and may contain any bytes except NUL. Bytes that a format
 * cannot express are written as \x and two hexadecimal digits, so that all
 * formats show the same name.
 */
enum name_rules {
	/* Text for people: valid UTF-8 without control characters that a
	 * terminal would interpret.
	 */
	NAME_TEXT,
	/* UTF-8, as in protocol buffers. */
	NAME_UTF8,
	/* Within the quotes of a JSON string (RFC 8259). */
	NAME_JSON,
	/* Within the quotes of a CSV field (RFC 4180), or without quotes where
	 * none are needed.
	 */
	NAME_CSV,
	/* Within an element or a quoted attribute of XML 1.0. */
	NAME_XML,
	/* A frame of folded stacks. Semicolons would end it and become colons,
	 * as in stackcollapse-perf.pl; line ends are escaped.
	 */
	NAME_FOLDED,
	/* Within $'' in a shell (bash(1), QUOTING). */
	NAME_SHELL,
};

/* The maximum number of written bytes for a byte of a name. */
enum { NAME_GROWTH = 6 };

/* Writes the @length bytes at @name to @text by @rules, without a final NUL: at
 * most NAME_GROWTH times as many bytes. Returns their number.
 */
size_t name_text(char *text, enum name_rules rules, const char *name,
		 size_t length);

/* Returns the output of name_text() with a final NUL; NULL when out of memory.
 * The caller frees it.
 */
char *name_made(enum name_rules rules, const char *name);

/* Returns @name if it is UTF-8; otherwise *@made, the output of name_made() with
 * NAME_UTF8. *@made must be NULL before.
 */
const char *name_utf8(const char *name, char **made);

/* Returns @name as one word of a command that a person may copy into a shell:
 * unchanged, in quotes or in $''. Owned and NULL as by name_made().
 */
char *name_word(const char *name);

/* Writes @name to @out by @rules. */
void name_write(FILE *out, enum name_rules rules, const char *name);

/* Like name_write(), for the first @length bytes of @name. */
void name_write_part(FILE *out, enum name_rules rules, const char *name,
		     size_t length);

/* Returns the number of bytes of the character at @text, at most @length; 0 if
 * they are not valid UTF-8 (Unicode 15, table 3-7).
 */
size_t utf8_length(const char *text, size_t length);

#endif
