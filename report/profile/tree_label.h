/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TREE_LABEL_H
#define KT_REPORT_TREE_LABEL_H

#include "report/steps/task_choice.h"
#include "report/text/function_label.h"

#include <stdint.h>

struct profile_report;

/* Returns the label of tree @tree: "ls-137", a group's name, or "all" if there
 * is one tree.
 */
struct group_label tree_label(const struct profile_report *report,
			      int32_t tree);

/* Returns the label of @function in tree @tree, with the tree as prefix if
 * there are several: "137k:vfs_read", "[kernel]k:vfs_read", "vfs_read".
 */
struct function_label tree_function_label(const struct profile_report *report,
					  uint32_t function, int32_t tree);

#endif
