/* SPDX-License-Identifier: MIT */
#include "report/steps/task_groups.h"

#include "common/array.h"
#include "report/steps/call_step.h"
#include "report/steps/step_filter.h"
#include "report/text/task_cgroups.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task_groups {
	enum group_by by;
	const struct task_names *names;
	const struct task_cgroups *cgroups;
	struct step_filter choice;
	/* const char *, sorted, without duplicates, so that group numbers do
	 * not depend on the order of tasks
	 */
	struct array labels;
};

enum group_by group_by_find(const char *name)
{
	static const char *const names[] = {
		[GROUP_BY_THREAD] = "thread", [GROUP_BY_PROCESS] = "process",
		[GROUP_BY_COMM] = "comm",     [GROUP_BY_CGROUP] = "cgroup",
		[GROUP_BY_CHOICE] = "choice",
	};

	for (int i = GROUP_BY_THREAD; i <= GROUP_BY_CHOICE; i++)
		if (!strcmp(names[i], name))
			return (enum group_by)i;
	return GROUP_BY_NOTHING;
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void drop_twins(struct array *labels)
{
	const char **items = labels->items;
	size_t count = 0;

	for (size_t i = 0; i < labels->count; i++)
		if (!count || strcmp(items[count - 1], items[i]) != 0)
			items[count++] = items[i];
	labels->count = count;
}

static int list_labels(struct task_groups *groups)
{
	int status = 0;

	if (groups->by == GROUP_BY_COMM)
		status = task_names_list(groups->names, &groups->labels);
	else if (groups->by == GROUP_BY_CGROUP)
		status = task_cgroups_list(groups->cgroups, &groups->labels);
	array_sort(&groups->labels, compare_labels);
	drop_twins(&groups->labels);
	return status;
}

struct task_groups *task_groups_new(enum group_by by,
				    const struct task_names *names,
				    const struct task_cgroups *cgroups,
				    const struct step_filter *choice)
{
	struct task_groups *groups = calloc(1, sizeof(*groups));

	if (!groups)
		return NULL;
	groups->by = by;
	groups->names = names;
	groups->cgroups = cgroups;
	groups->choice = *choice;
	groups->labels = ARRAY_OF(const char *);
	if (!list_labels(groups))
		return groups;
	task_groups_free(groups);
	return NULL;
}

void task_groups_free(struct task_groups *groups)
{
	if (!groups)
		return;
	array_free(&groups->labels);
	free(groups);
}

static int32_t group_named(const struct task_groups *groups, const char *name)
{
	const char *const *labels = groups->labels.items;
	const char *const *found =
		name && groups->labels.count ?
			bsearch(&name, labels, groups->labels.count,
				sizeof(*labels), compare_labels) :
			NULL;

	return found ? GROUP_FIRST_NAME - (int32_t)(found - labels) :
		       GROUP_UNKNOWN;
}

static int32_t group_chosen(const struct task_groups *groups,
			    const struct task *task)
{
	switch (groups->by) {
	case GROUP_BY_THREAD:
		return task->tid;
	case GROUP_BY_PROCESS:
		return task->pid < 0 ? GROUP_UNKNOWN : task->pid;
	case GROUP_BY_COMM:
		return group_named(groups,
				   task_names_last(groups->names, task->tid));
	case GROUP_BY_CGROUP:
		return group_named(groups, task_cgroups_path(groups->cgroups,
							     task->tid));
	case GROUP_BY_CHOICE:
	case GROUP_BY_NOTHING:
		break;
	}
	return GROUP_CHOSEN;
}

int32_t task_groups_of(const struct task_groups *groups,
		       const struct task *task)
{
	struct task known = *task;
	bool is_of_kernel;

	if (known.pid < 0)
		known.pid = task_names_process(groups->names, known.tid);
	is_of_kernel = !known.tid ||
		       task_names_is_of_kernel(groups->names, known.pid);
	if (known.tid < 0)
		return GROUP_UNKNOWN;
	if (!step_filter_has_tasks(&groups->choice))
		return is_of_kernel ? GROUP_KERNEL :
				      group_chosen(groups, &known);
	if (step_filter_task(&groups->choice, &known))
		return group_chosen(groups, &known);
	return is_of_kernel ? GROUP_KERNEL : GROUP_OTHER;
}

int32_t task_groups_beneficiary(const struct task_groups *groups, int32_t pid)
{
	const struct task process = { .pid = pid, .tid = pid };

	return pid < 0 ? GROUP_NOBODY : task_groups_of(groups, &process);
}

static const char *special_name(int32_t group)
{
	switch (group) {
	case GROUP_KERNEL:
		return "kernel";
	case GROUP_OTHER:
		return "other";
	case GROUP_NOBODY:
		return "nobody";
	case GROUP_CHOSEN:
		return "chosen";
	default:
		return "unknown";
	}
}

/* Returns whether @text is the name of a group that is not named after a task.
 */
static bool is_special(const char *text)
{
	for (int32_t group = GROUP_CHOSEN; group <= GROUP_KERNEL; group++)
		if (!strcmp(special_name(group), text))
			return true;
	return false;
}

struct group_label task_groups_label(const struct task_groups *groups,
				     int32_t group)
{
	const char *text = special_name(group);
	struct group_label label;

	if (group <= GROUP_FIRST_NAME)
		text = *(const char **)array_at(
			&groups->labels, (size_t)(GROUP_FIRST_NAME - group));
	if (group <= GROUP_FIRST_NAME && is_special(text))
		snprintf(label.text, sizeof(label.text), "%s (comm)", text);
	else if (group < 0)
		snprintf(label.text, sizeof(label.text), "%s", text);
	else
		snprintf(label.text, sizeof(label.text), "%s",
			 task_label_last(groups->names, group).text);
	return label;
}
