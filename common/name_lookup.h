/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NAME_LOOKUP_H
#define KT_COMMON_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What functions of this name mean, or those that begin with it. */
struct name_rule {
	const char *name; /* three bytes or more */
	bool is_prefix;
	uint8_t value; /* whatever the list's owner calls it */
};

enum { NAME_LOOKUP_MOST = 128, NAME_LOOKUP_SLOTS = 256 };

/* A list of rules, in which those for a name are found by its first bytes: a
 * kernel has more than a hundred thousand functions, and most have no rule.
 */
struct name_lookup {
	const struct name_rule *list; /* borrowed */
	/* Numbers of rules, plus 1; 0: none. */
	uint8_t first[NAME_LOOKUP_SLOTS]; /* by the first bytes */
	uint8_t next[NAME_LOOKUP_MOST];	  /* with the same ones */
};

/* Makes rules of the @count at @list, at most NAME_LOOKUP_MOST. */
struct name_lookup name_lookup_of(const struct name_rule *list, size_t count);

/* Returns the first rule of the list that fits @name, or NULL. */
const struct name_rule *name_lookup_find(const struct name_lookup *rules,
					 const char *name);

/* The same for a name of @length bytes that no NUL need end. */
const struct name_rule *name_lookup_find_part(const struct name_lookup *rules,
					      const char *name, size_t length);

#endif
