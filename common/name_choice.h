/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NAME_CHOICE_H
#define KT_COMMON_NAME_CHOICE_H

#include "common/array.h"

#include <stdbool.h>

/* The names that an option's lists mean.  A word of a list is a name, a pattern
 * of the shell ("vfs_*", glob(7)) or, between slashes, an extended regular
 * expression ("/^vfs_(read|write)/", regex(7)).  A name may have commas itself,
 * so that a whole list may be a name, too.
 */
struct name_choice {
	struct array words; /* struct name_word */
};

/* Without any word it means no name. */
#define NAME_CHOICE_NONE ((struct name_choice){ .words = { .items = NULL } })

/* Adds the words of @list, which end at commas, a regular expression at its
 * second slash.
 *
 * Returns whether the list could be read; what came before the mistake stays.
 */
bool name_choice_add(struct name_choice *choice, const char *list);
void name_choice_free(struct name_choice *choice);

/* Returns whether there is any word. */
static inline bool name_choice_is_made(const struct name_choice *choice)
{
	return choice->words.count;
}

/* Returns the first word as it was written; there must be one. */
const char *name_choice_first(const struct name_choice *choice);

/* Returns whether @choice means @name. */
bool name_choice_has(const struct name_choice *choice, const char *name);

#endif
