/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NAME_LOOKUP_H
#define KT_COMMON_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value for functions of this name, or for those that start with it. */
struct name_rule {
	const char *name; /* three bytes or more */
	bool is_prefix;
	uint8_t value; /* defined by the list's owner */
};

enum { NAME_LOOKUP_MOST = 128, NAME_LOOKUP_SLOTS = 256 };

/* A list of rules, indexed by the first bytes of names: a kernel has more than
 * a hundred thousand functions, and most match no rule.
 */
struct name_lookup {
	const struct name_rule *list; /* borrowed */
	/* Rule numbers plus 1; 0: none. */
	uint8_t first[NAME_LOOKUP_SLOTS]; /* by the first bytes */
	/* next rule with the same first bytes */
	uint8_t next[NAME_LOOKUP_MOST];
};

/* Indexes the @count rules at @list, at most NAME_LOOKUP_MOST. */
struct name_lookup name_lookup_of(const struct name_rule *list, size_t count);

/* Returns the first rule of the list that matches @name, or NULL. */
const struct name_rule *name_lookup_find(const struct name_lookup *rules,
					 const char *name);

/* Like name_lookup_find(), for a name of @length bytes without a NUL. */
const struct name_rule *name_lookup_find_part(const struct name_lookup *rules,
					      const char *name, size_t length);

#endif
