/* SPDX-License-Identifier: MIT */
#include "report/profile/tree_label.h"

#include "report/profile/profile_report.h"
#include "report/text/task_names.h"

#include <stdio.h>

struct group_label tree_label(const struct profile_report *report, int32_t tree)
{
	struct group_label label;

	if (report->groups && tree != -1)
		return task_groups_label(report->groups, tree);
	snprintf(label.text, sizeof(label.text), "%s",
		 tree < 0 ? "all" : task_label_last(report->names, tree).text);
	return label;
}

struct function_label tree_function_label(const struct profile_report *report,
					  uint32_t function, int32_t tree)
{
	char prefix[sizeof(struct group_label) + 2];

	if (!report->groups || tree >= -1)
		return function_label_of(report->functions, function, tree);
	snprintf(prefix, sizeof(prefix), "[%s]", tree_label(report, tree).text);
	return function_label_under(report->functions, function, prefix);
}
