/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_LIST_H
#define KT_DECODER_BRANCH_LIST_H

#include "decoder/flow/branch_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Branches, some of which are not committed yet. Committed branches are final;
 * the others may be taken back.
 */
struct branch_list {
	struct trace_branch *branches;
	size_t room;
	size_t count;
	/* number of final branches, the first ones */
	size_t committed;
	uint64_t base;		   /* base of the branches' positions */
	struct trace_branch spare; /* written to when out of memory: */
	bool has_failed;
};

void branch_list_free(struct branch_list *list);

/* Makes room for more. Returns false when out of memory. */
bool branch_list_grow(struct branch_list *list);

/* Adds a branch of @position. The result is valid until the next addition. */
static inline struct trace_branch *
branch_list_add(struct branch_list *list, uint8_t kind, uint64_t position)
{
	struct trace_branch *branch = &list->spare;

	if (list->count < list->room || branch_list_grow(list))
		branch = &list->branches[list->count++];
	*branch = (struct trace_branch){
		.kind = kind,
		.position = position < list->base ?
				    0 :
				    (uint32_t)(position - list->base),
	};
	return branch;
}

/* Commits all branches. */
static inline void branch_list_commit(struct branch_list *list)
{
	list->committed = list->count;
}

/* Commits all branches if only the last @added ones are uncommitted, which are
 * true whatever is executed (times and counts), or if too many wait.
 */
void branch_list_commit_report(struct branch_list *list, size_t added);

/* Removes the uncommitted branches, except times and cycle counts, which are
 * true whatever is executed and are committed.
 */
void branch_list_take_back(struct branch_list *list);

/* Like branch_list_take_back(), but first removes everything from the first
 * uncommitted TRACE_ON on, times and counts included. For the end of the trace.
 */
void branch_list_finish(struct branch_list *list);

/* Discards the committed branches. Later positions are relative to a base near
 * @position, where the trace is read.
 */
void branch_list_drop(struct branch_list *list, uint64_t position);

/* Discards all branches; sets the base of positions. */
void branch_list_restart(struct branch_list *list, uint64_t base);

#endif
