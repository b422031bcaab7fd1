/* SPDX-License-Identifier: MIT */
#include "tables/relations/latency_names.h"

#include "tables/relations/latency.h"
#include "tables/relations/latency_paths.h"
#include "tables/text/stack_text.h"

static const struct {
	const char *name;
	const char *text;
	size_t offset; /* in struct latency_answer */
} counts[] = {
#define COUNT(member, text) \
	{ \
#member, text, offsetof(struct latency_answer, member) \
	}
	COUNT(calls, "calls of the first"),
	COUNT(never, "ended without the second"),
	COUNT(open, "had not reached it when the recording ended"),
	COUNT(unseen_begin, "started before they were seen: no time known"),
	COUNT(doubtful, "without it in the trace, which has gaps"),
	COUNT(again, "later entries of the second in the same calls"),
	COUNT(in_interrupts, "entries of the second in interrupts during the "
			     "calls"),
#undef COUNT
};

bool latency_count_at(const struct latency_answer *answer, size_t index,
		      struct latency_count *count)
{
	if (index >= sizeof(counts) / sizeof(*counts))
		return false;
	count->name = counts[index].name;
	count->text = counts[index].text;
	count->count = *(const uint64_t *)((const char *)answer +
					   counts[index].offset);
	return true;
}

char *latency_path_name(const struct latency *latency,
			const struct latency_path *path,
			const struct function_table *functions)
{
	return stack_text(latency_paths_tree(latency_paths(latency)),
			  path->node, functions);
}
