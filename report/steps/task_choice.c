/* SPDX-License-Identifier: MIT */
#include "report/steps/task_choice.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether @record names the task that ran before it on its CPU, and
 * sets *@pid and *@tid to this task.
 */
static bool read_record(const struct sideband_record *record, int32_t *pid,
			int32_t *tid)
{
	bool came_in = record->kind == SIDEBAND_SWITCH && !record->change.out;

	if (came_in && !record->change.cpu_wide)
		return false;
	*pid = came_in ? record->change.other_pid : record->pid;
	*tid = came_in ? record->change.other_tid : record->tid;
	return true;
}

int first_task(const struct recording *recording,
	       const struct aux_stream *stream, int32_t *pid, int32_t *tid)
{
	struct sideband *sideband;
	struct sideband_record record;
	int status;

	*pid = stream->pid;
	*tid = stream->tid;
	if (stream->tid >= 0)
		return 0;
	sideband = sideband_open_stream(
		recording,
		SIDEBAND_BIT(SIDEBAND_SWITCH) |
			SIDEBAND_BIT(SIDEBAND_ITRACE_START),
		stream);
	if (!sideband)
		return -ERROR_MEMORY;
	while ((status = sideband_next(sideband, &record)) > 0)
		if (record.cpu == stream->cpu && read_record(&record, pid, tid))
			break;
	sideband_close(sideband);
	return status < 0 ? status : 0;
}

/* Maximum length of a task's name in the kernel (TASK_COMM_LEN includes the
 * NUL).
 */
enum { COMM_LENGTH = 15, MOST_ANCESTORS = 1000 };

bool recorder_task_is(const struct task_names *names, const char *command,
		      int32_t tid)
{
	const char *comm = task_names_last(names, tid);
	size_t length = strcspn(command, " ");
	const char *name = command + length;

	while (name > command && name[-1] != '/')
		name--;
	length -= (size_t)(name - command);
	if (length > COMM_LENGTH)
		length = COMM_LENGTH;
	return length && tid > 0 && strlen(comm) == length &&
	       !memcmp(comm, name, length);
}

bool recorder_started(const struct task_names *names, const char *command,
		      int32_t pid)
{
	bool was_recorder = recorder_task_is(names, command, pid);

	/* A damaged recording may have parents in a circle. */
	for (int i = 0; i < MOST_ANCESTORS && pid > 0; i++) {
		int32_t parent = task_names_parent(names, pid);
		bool is_recorder = recorder_task_is(names, command, parent);

		if (is_recorder)
			return !was_recorder;
		was_recorder = is_recorder;
		pid = parent;
	}
	return false;
}

static bool is_listed(const int32_t *list, size_t count, int32_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* Returns whether the process or one of its ancestors is listed. */
static bool is_in_tree(const struct step_filter *filter, int32_t pid)
{
	/* Reused process ids might form a loop; real trees are not deep. */
	for (int depth = 0; pid > 0 && depth < MOST_ANCESTORS; depth++) {
		if (is_listed(filter->trees, filter->tree_count, pid))
			return true;
		pid = task_names_parent(filter->names, pid);
	}
	return false;
}

static bool has_comm(const struct step_filter *filter, int32_t tid)
{
	return filter->comms &&
	       task_names_ever(filter->names, tid, filter->comms);
}

bool step_filter_has_tasks(const struct step_filter *filter)
{
	return filter && (filter->pid_count || filter->tid_count ||
			  filter->tree_count || filter->comms);
}

bool step_filter_task(const struct step_filter *filter, const struct task *task)
{
	if (!step_filter_has_tasks(filter))
		return !filter || !filter->left_out_recorder ||
		       !recorder_task_is(filter->names,
					 filter->left_out_recorder, task->tid);
	return is_listed(filter->pids, filter->pid_count, task->pid) ||
	       is_listed(filter->pids, filter->pid_count, task->tid) ||
	       is_listed(filter->tids, filter->tid_count, task->tid) ||
	       is_in_tree(filter, task->pid) || has_comm(filter, task->tid);
}

bool step_filter_cpu(const struct step_filter *filter, uint32_t cpu)
{
	if (!filter || !filter->cpu_count)
		return true;
	for (size_t i = 0; i < filter->cpu_count; i++)
		if (filter->cpus[i] == cpu)
			return true;
	return false;
}

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
