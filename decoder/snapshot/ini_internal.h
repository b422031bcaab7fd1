/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_INI_INTERNAL_H
#define KT_DECODER_SNAPSHOT_INI_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the text, without surrounding blanks and without a terminating NUL.
 */
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

/* An iterator over the lines of an ini file. Comments start with # or ;. Lines
 * of any other form are skipped.
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

/* Parses a decimal number, or a hexadecimal one with 0x. Returns false if @text
 * is not a number or needs more than 64 bits.
 */
bool ini_number(struct ini_text text, uint64_t *number);

#endif
