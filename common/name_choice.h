/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NAME_CHOICE_H
#define KT_COMMON_NAME_CHOICE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names of functions and tasks that options select, such as --function and
 * --comm: parses lists of names, patterns and regular expressions, and matches
 * names with them.
 */

/* Returns how the character at @at of @name, a name of C++ or Rust, changes the
 * depth of brackets: 1, -1 or 0. The ">" of "->" and "=>" closes none.
 */
static inline int brackets_change(const char *name, size_t at)
{
	switch (name[at]) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
		return at && (name[at - 1] == '-' || name[at - 1] == '=') ? 0 :
									    -1;
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

/* A chosen function: NAME, or NAME@0xOFFSET, the form in which reports
 * distinguish functions of the same name.
 */
struct placed_name {
	const char *text; /* borrowed: starts with the name */
	size_t length;	  /* of the name */
	bool has_offset;
	uint64_t offset;
};

/* Parses the first @size bytes of @text. Returns false if it has "@0x" without
 * a number of up to 16 digits after it.
 */
bool placed_name_read(const char *text, size_t size, struct placed_name *name);

/* The names selected by an option's lists. An entry of a list is a name, a
 * shell pattern ("vfs_*", glob(7)) or, between slashes, an extended regular
 * expression ("/^vfs_(read|write)/", regex(7)). Commas within (), {} or <> are
 * part of a name ("map<int, int>::at"). Since a name may contain other commas,
 * the whole list is also matched as one name, unless it starts with a slash.
 */
struct name_choice {
	struct array words; /* struct name_word */
};

/* A choice without entries; it matches no name. */
#define NAME_CHOICE_NONE ((struct name_choice){ .words = { .items = NULL } })

/* Adds the entries of @list. An entry ends at a comma outside brackets, except a
 * regular expression, which ends at its second slash.
 *
 * Returns false if the list is invalid or memory runs out; entries before the
 * error are added anyway.
 */
bool name_choice_add(struct name_choice *choice, const char *list);

void name_choice_free(struct name_choice *choice);

/* Returns whether @choice has any entry. */
static inline bool name_choice_is_made(const struct name_choice *choice)
{
	return choice->words.count;
}

/* Returns the first entry as written in the list; there must be one. */
const char *name_choice_first(const struct name_choice *choice);

/* Returns whether @choice selects @name. */
bool name_choice_has(const struct name_choice *choice, const char *name);

#endif
