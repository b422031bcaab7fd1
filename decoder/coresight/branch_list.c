/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/branch_list.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 512,
	/* Maximum number of uncommitted branches that times and counts wait
	 * for.
	 */
	UNCOMMITTED = 4096,
};

void branch_list_free(struct branch_list *list)
{
	free(list->branches);
}

bool branch_list_grow(struct branch_list *list)
{
	size_t room = list->room ? list->room * 2 : FIRST_ROOM;
	struct trace_branch *more =
		realloc(list->branches, room * sizeof(*more));

	list->has_failed |= !more;
	if (!more)
		return false;
	list->branches = more;
	list->room = room;
	return true;
}

void branch_list_commit_report(struct branch_list *list, size_t added)
{
	if (list->committed + added == list->count ||
	    list->count - list->committed > UNCOMMITTED)
		branch_list_commit(list);
}

static bool is_report(const struct trace_branch *branch)
{
	return branch->kind == TRACE_TIME || branch->kind == TRACE_CYCLES;
}

void branch_list_take_back(struct branch_list *list)
{
	size_t kept = list->committed;

	for (size_t i = list->committed; i < list->count; i++)
		if (is_report(&list->branches[i]))
			list->branches[kept++] = list->branches[i];
	list->count = kept;
	branch_list_commit(list);
}

void branch_list_finish(struct branch_list *list)
{
	size_t end = list->committed;

	while (end < list->count && list->branches[end].kind != TRACE_ON)
		end++;
	list->count = end;
	branch_list_take_back(list);
}

void branch_list_drop(struct branch_list *list, uint64_t position)
{
	size_t left = list->count - list->committed;
	const uint64_t reach = (uint64_t)1 << 30;
	uint64_t base = position > reach ? position - reach : 0;
	uint32_t step = base > list->base ? (uint32_t)(base - list->base) : 0;

	if (left)
		memmove(list->branches, list->branches + list->committed,
			left * sizeof(*list->branches));
	list->count = left;
	list->committed = 0;
	list->base += step;
	for (size_t i = 0; step && i < left; i++)
		list->branches[i].position -=
			list->branches[i].position < step ?
				list->branches[i].position :
				step;
}

void branch_list_restart(struct branch_list *list, uint64_t base)
{
	list->count = 0;
	list->committed = 0;
	list->base = base;
}
