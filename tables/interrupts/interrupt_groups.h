/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_INTERRUPT_GROUPS_H
#define KT_TABLES_INTERRUPT_GROUPS_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"

#include <stdbool.h>

struct step_filter;
struct task_groups;

/* The key of the rows of a table of interrupt work. */
struct interrupt_grouping {
	const char *name;
	const char *help;
	bool by_function;    /* kind, function, interrupt number */
	bool by_victim;	     /* process whose time was used */
	bool by_beneficiary; /* process that the work was for */
};

/* Returns the grouping called @name (NULL: the first), or NULL. */
const struct interrupt_grouping *interrupt_grouping_find(const char *name);

/* Returns grouping @index, or NULL after the last. */
const struct interrupt_grouping *interrupt_grouping_at(size_t index);

/* Adds to @rows (struct interrupt_row) the sums of @accounts by @grouping, of
 * work during or for tasks that @filter selects. Keys that @grouping leaves out
 * are 0 or -1. Processes are numbers of @groups if that is not NULL. Longest
 * first. Returns 0 or -ERROR_MEMORY.
 */
int interrupt_groups(const struct interrupt_accounts *accounts,
		     const struct interrupt_grouping *grouping,
		     const struct task_groups *groups,
		     const struct step_filter *filter, struct array *rows);

#endif
