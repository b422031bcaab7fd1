/* SPDX-License-Identifier: MIT */
#include "common/name_lookup.h"

#include <assert.h>
#include <string.h>

/* Rules are indexed by this many bytes. */
enum { FIRST_BYTES = 3 };

static uint8_t slot_of(const char *name)
{
	uint32_t hash = 0;

	for (int i = 0; i < FIRST_BYTES; i++)
		hash = hash * 31 + (uint8_t)name[i];
	return (uint8_t)(hash ^ hash >> 8);
}

struct name_lookup name_lookup_of(const struct name_rule *list, size_t count)
{
	struct name_lookup rules = { .list = list };

	assert(count <= NAME_LOOKUP_MOST);
	/* From the end, so that the chains have the list's order. */
	for (size_t i = count; i-- > 0;) {
		uint8_t *first = &rules.first[slot_of(list[i].name)];

		assert(strlen(list[i].name) >= FIRST_BYTES);
		rules.next[i] = *first;
		*first = (uint8_t)(i + 1);
	}
	return rules;
}

static bool fits(const struct name_rule *rule, const char *name, size_t length)
{
	size_t size = strlen(rule->name);

	return (rule->is_prefix ? length >= size : length == size) &&
	       !memcmp(rule->name, name, size);
}

const struct name_rule *name_lookup_find(const struct name_lookup *rules,
					 const char *name)
{
	return name_lookup_find_part(rules, name, strlen(name));
}

const struct name_rule *name_lookup_find_part(const struct name_lookup *rules,
					      const char *name, size_t length)
{
	if (length < FIRST_BYTES)
		return NULL;
	for (uint8_t i = rules->first[slot_of(name)]; i; i = rules->next[i - 1])
		if (fits(&rules->list[i - 1], name, length))
			return &rules->list[i - 1];
	return NULL;
}
