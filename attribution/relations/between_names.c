/* SPDX-License-Identifier: MIT */
#include "attribution/relations/between_names.h"

#include "attribution/relations/between.h"
#include "attribution/relations/between_paths.h"
#include "attribution/text/path_text.h"

static const struct {
	const char *name;
	const char *text;
	size_t offset; /* in struct between_answer */
} counts[] = {
#define COUNT(member, text) \
	{ \
#member, text, offsetof(struct between_answer, member) \
	}
	COUNT(calls, "calls of the first"),
	COUNT(never, "ended without the second"),
	COUNT(open, "still without it when the recording ended"),
	COUNT(unseen_begin, "begun before they were seen: no time known"),
	COUNT(doubtful, "without it, as far as seen: the trace has holes"),
	COUNT(again, "later entries of the second in the same calls"),
	COUNT(in_interrupts, "entries of the second in interrupts meanwhile"),
#undef COUNT
};

bool between_count_at(const struct between_answer *answer, size_t index,
		      struct between_count *count)
{
	if (index >= sizeof(counts) / sizeof(*counts))
		return false;
	count->name = counts[index].name;
	count->text = counts[index].text;
	count->count = *(const uint64_t *)((const char *)answer +
					   counts[index].offset);
	return true;
}

char *between_path_name(const struct between *between,
			const struct between_path *path,
			const struct function_table *functions)
{
	return path_text(between_paths_tree(between_paths(between)), path->node,
			 functions);
}
