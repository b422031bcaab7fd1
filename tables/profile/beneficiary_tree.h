/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_BENEFICIARY_TREE_H
#define KT_TABLES_BENEFICIARY_TREE_H

#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "tables/profile/path_sums.h"

#include <stdint.h>

/* Adds @sums, whose paths are below @work in @tree, to the calls of the
 * processes that the work was for, below each process's root, if
 * @options->filter selects the process; adds to @interrupts how certain that
 * is. Returns 0 or -ERROR_MEMORY.
 */
int beneficiary_tree_add(struct call_tree *tree, uint32_t work,
			 const struct profile_options *options,
			 const struct path_sums *sums,
			 struct profile_interrupts *interrupts);

#endif
