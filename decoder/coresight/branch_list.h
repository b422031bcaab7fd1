/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_LIST_H
#define KT_DECODER_BRANCH_LIST_H

#include "decoder/flow/trace_branch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Branches that wait until it is known whether they count.  Those that do are
 * committed; the others may be taken back.
 */
struct branch_list {
	struct trace_branch *branches;
	size_t room;
	size_t count;
	size_t committed;	   /* of them: are not taken back */
	uint64_t base;		   /* positions count from here */
	struct trace_branch spare; /* when out of memory: */
	bool has_failed;
};

void branch_list_free(struct branch_list *list);

/* Makes room for more.  Returns false when out of memory. */
bool branch_list_grow(struct branch_list *list);

/* Adds one of @position, which stays in place until the next is added. */
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

/* All there are count. */
static inline void branch_list_commit(struct branch_list *list)
{
	list->committed = list->count;
}

/* The @added last ones are true whatever is executed: they count unless they
 * wait behind others.
 */
void branch_list_commit_report(struct branch_list *list, size_t added);

/* Those that wait never count, but for such, which do. */
void branch_list_take_back(struct branch_list *list);

/* Takes back those that wait for the trace to go on, but for such; those before
 * count.
 */
void branch_list_finish(struct branch_list *list);

/* Forgets those that count.  Positions then count from near @position, where the
 * trace is read.
 */
void branch_list_drop(struct branch_list *list, uint64_t position);

/* Forgets all: positions count from @base. */
void branch_list_restart(struct branch_list *list, uint64_t base);

#endif
