/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INI_H
#define KT_DECODER_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the text, without the blanks around it; not ended by a NUL. */
struct ini_text {
	const char *start;
	size_t length;
};

/* A line "key=value" below "[section]". */
struct ini_line {
	struct ini_text section;
	struct ini_text key;
	struct ini_text value;
};

/* A walk over the lines of an ini file.  Comments begin with # or ;, lines of
 * any other form are passed over.
 */
struct ini_reader {
	const char *text; /* borrowed */
	size_t left;
	struct ini_text section;
};

struct ini_reader ini_of(const void *text, size_t size);

/* Returns 1 and @line, or 0 at the end. */
int ini_next(struct ini_reader *reader, struct ini_line *line);

bool ini_equals(struct ini_text text, const char *word);
bool ini_begins(struct ini_text text, const char *word);

/* Reads a decimal number or one behind 0x.  Returns whether @text is one that
 * has 64 bits at most.
 */
bool ini_number(struct ini_text text, uint64_t *number);

#endif
