/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "report/text/task_names.h"
#include "tables/text/recorded.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"

#include <stdlib.h>
#include <string.h>

/* Names of enum view_state and enum view_list in the page. */
static const char *const state_names[VIEW_STATES] = {
	[VIEW_USER] = "user",
	[VIEW_SYSTEM_CALL] = "system call",
	[VIEW_FAULT] = "fault",
	[VIEW_KERNEL] = "kernel",
	[VIEW_INTERRUPT] = "interrupt",
	[VIEW_RUNNABLE] = "runnable",
	[VIEW_THROTTLED] = "throttled",
	[VIEW_ASLEEP] = "asleep",
	[VIEW_NOT_ASKED] = "not asked for",
	[VIEW_GUEST] = "virtual machine",
	[VIEW_UNKNOWN] = "gap in the trace",
	[VIEW_UNKNOWN + 1] = "filtered out",
	[VIEW_UNKNOWN + 2] = "trace off",
	[VIEW_UNKNOWN + 3] = "not traced",
	[VIEW_UNKNOWN + 4] = "off CPU, no events",
	[VIEW_UNKNOWN + 5] = "off CPU, events lost",
};

static const char *const list_names[LIST_COUNT] = {
	[LIST_SLEEPS] = "sleeps",
	[LIST_CALLS] = "calls",
	[LIST_INTERRUPTS] = "interrupts",
	[LIST_GAPS] = "gaps",
};

static void write_facts(const struct recording *recording,
			struct json_out *json)
{
	const struct recording_info *info = recording_info(recording);
	const struct recording_counts *counts = recording_counts(recording);

	json_key(json, "facts");
	json_begin(json, "{}");
	json_member_text(json, "path", recording_path(recording));
	json_member_text(json, "command", info->command);
	json_member_text(json, "host", info->hostname);
	json_member_text(json, "kernel", info->os_release);
	json_member_text(json, "processor", info->cpu_name);
	json_member_number(json, "lost_records", counts->lost_records);
	json_member_number(json, "truncated", counts->aux_truncated);
	json_member_bool(json, "is_cut", recording_is_cut(recording));
	json_end(json, "{}");
}

static void write_reason(const struct recorded *recorded,
			 const struct table_need *need, struct json_out *json)
{
	char *text = recorded_missing_text(recorded, need);

	if (text)
		json_member_text(json, need->columns, text);
	free(text);
}

/* Writes for each list that is empty because something was not recorded, such
 * as sleeps, what was missing. The page shows this text in place of the list.
 */
static void write_missing(const struct recording *recording,
			  struct json_out *json)
{
	/* The columns are the keys in the answer. If several missing needs have
	 * the same key, the first is written.
	 */
	static const struct table_need needs[] = {
		{ .columns = "sleeps", .event = EVENT_SCHED_SWITCH },
		{ .columns = "sleeps", .event = EVENT_SCHED_WAKING },
		{ .columns = "calls", .event = RECORDED_KERNEL },
		{ .columns = "interrupts", .event = RECORDED_KERNEL },
		{ .columns = "functions", .event = RECORDED_FUNCTIONS },
		{ .columns = "block", .event = EVENT_BIO_QUEUE },
		{ .columns = "spins", .event = RECORDED_KERNEL },
		{ .columns = "locks", .event = EVENT_SCHED_SWITCH },
		{ .columns = "locks", .event = RECORDED_KERNEL },
		{ .columns = "args", .event = EVENT_CALL_ARGUMENTS },
	};
	struct known_events *events = known_events_new(recording);
	struct recorded recorded = { 0 };
	const char *written = "";

	if (events)
		recorded = recorded_of(recording, events);
	json_key(json, "missing");
	json_begin(json, "{}");
	for (size_t i = 0; events && i < sizeof(needs) / sizeof(*needs); i++) {
		if (!strcmp(needs[i].columns, written) ||
		    recorded_has(&recorded, &needs[i]))
			continue;
		write_reason(&recorded, &needs[i], json);
		written = needs[i].columns;
	}
	json_end(json, "{}");
	known_events_free(events);
}

static void write_counts(const uint64_t *counts, struct json_out *json)
{
	json_begin(json, "[]");
	for (size_t i = 0; i < VIEW_STATES; i++)
		json_number(json, counts[i]);
	json_end(json, "[]");
}

static void write_thread(const struct view_sources *sources, uint32_t number,
			 struct json_out *json)
{
	const struct view_thread *thread =
		array_at(&sources->summary->threads, number);
	int32_t pid = thread->pid;

	if (pid < 0)
		pid = task_names_process(sources->names, thread->tid);
	json_begin(json, "{}");
	json_member_signed(json, "tid", thread->tid);
	json_member_signed(json, "pid", pid);
	json_member_signed(json, "cpu", thread->cpu);
	json_member_text(json, "name",
			 task_names_last(sources->names, thread->tid));
	json_member_text(json, "process", task_names_last(sources->names, pid));
	json_member_number(json, "part", thread_part(sources, number));
	json_member_bool(json, "is_kernel",
			 task_names_is_of_kernel(sources->names, pid));
	json_key(json, "state_ns");
	write_counts(thread->state_ns, json);
	json_key(json, "state_count");
	write_counts(thread->state_count, json);
	json_end(json, "{}");
}

static void write_threads(const struct view_sources *sources,
			  struct json_out *json)
{
	const struct view_summary *summary = sources->summary;

	json_key(json, "threads");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < summary->threads.count; i++)
		write_thread(sources, i, json);
	json_end(json, "[]");
}

/* Writes the process and number of each fiber. */
static void write_fibers(const struct view_sources *sources,
			 struct json_out *json)
{
	const struct array *fibers = &sources->summary->fibers;

	json_key(json, "fibers");
	json_begin(json, "[]");
	for (size_t i = 0; i < fibers->count; i++) {
		const struct view_fiber *fiber = array_at(fibers, i);

		json_begin(json, "{}");
		json_member_signed(json, "pid", fiber->pid);
		json_member_number(json, "fiber", fiber_number(fiber->fiber));
		json_member_text(json, "kind", fiber_kind(fiber->fiber));
		json_end(json, "{}");
	}
	json_end(json, "[]");
}

static void write_cpus(const struct recording *recording, struct json_out *json)
{
	json_key(json, "cpus");
	json_begin(json, "[]");
	for (size_t i = 0; i < recording_stream_count(recording); i++)
		if (recording_stream(recording, i)->cpu >= 0)
			json_signed(json, recording_stream(recording, i)->cpu);
	json_end(json, "[]");
}

static void write_list(const struct view_summary *summary, size_t index,
		       struct answer_names *named, struct json_out *json)
{
	const struct longest *list = &summary->lists[index];

	json_key(json, list_names[index]);
	json_begin(json, "{}");
	json_member_number(json, "count", list->count);
	json_member_number(json, "sum_ns", list->sum_ns);
	json_key(json, "longest");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < list->kept; i++) {
		json_begin(json, "[]");
		json_number(json, list->slices[i].track / TRACK_KINDS);
		slice_json(&list->slices[i], summary, named, json);
		json_end(json, "[]");
	}
	json_end(json, "[]");
	json_end(json, "{}");
}

static void write_lists(const struct view_sources *sources,
			struct answer_names *named, struct json_out *json)
{
	json_key(json, "lists");
	json_begin(json, "{}");
	for (size_t i = 0; i < LIST_COUNT; i++)
		write_list(sources->summary, i, named, json);
	json_end(json, "{}");
}

static void write_states(struct json_out *json)
{
	json_key(json, "states");
	json_begin(json, "[]");
	for (size_t i = 0; i < VIEW_STATES; i++)
		json_text(json, state_names[i]);
	json_end(json, "[]");
}

enum view_status answer_recording(const struct view_sources *sources,
				  const struct view_request *request,
				  struct json_out *json)
{
	const struct view_summary *summary = sources->summary;
	struct answer_names named;

	(void)request;
	if (answer_names_init(&named, sources->functions) < 0)
		return VIEW_FAILED;
	json_member_number(json, "length_ns",
			   summary->last_ns - summary->first_ns);
	json_member_number(json, "first_ns", summary->first_ns);
	json_member_number(json, "begin_ns",
			   summary->begin_ns > summary->first_ns ?
				   summary->begin_ns - summary->first_ns :
				   0);
	json_member_number(json, "reached_ns",
			   summary->reached_ns - summary->first_ns);
	json_member_number(json, "resolution_ns", summary->resolution_ns);
	json_member_bool(json, "is_complete", summary->is_complete);
	if (summary->explanation)
		json_member_value(json, "explanation", summary->explanation);
	if (summary->reports)
		json_member_value(json, "reports", summary->reports);
	write_states(json);
	write_facts(sources->recording, json);
	write_missing(sources->recording, json);
	write_cpus(sources->recording, json);
	write_threads(sources, json);
	write_fibers(sources, json);
	write_lists(sources, &named, json);
	answer_names_write(&named, json);
	answer_names_free(&named);
	return VIEW_OK;
}
