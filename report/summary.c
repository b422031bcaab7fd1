/* SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include "common/error.h"
#include "decoder/recording.h"
#include "report/step_filter.h"
#include "report/task_names.h"

#include <stdlib.h>

/* Adds facts until memory runs out, which is told at the end. */
struct writer {
	struct array *lines;
	const char *section;
	int64_t id;
	bool has_failed;
};

static struct summary_line *add_line(struct writer *writer, const char *name)
{
	struct summary_line *line = array_add(writer->lines);

	if (!line) {
		writer->has_failed = true;
		return NULL;
	}
	line->section = writer->section;
	line->id = writer->id;
	line->name = name;
	line->unit = "";
	return line;
}

static void add_text(struct writer *writer, const char *name, const char *text)
{
	struct summary_line *line = *text ? add_line(writer, name) : NULL;

	if (line)
		line->text = text;
}

static void add_number(struct writer *writer, const char *name, uint64_t number,
		       const char *unit)
{
	struct summary_line *line = add_line(writer, name);

	if (!line)
		return;
	line->number = number;
	line->unit = unit;
}

static uint64_t trace_bytes(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording_stream_count(recording); i++)
		bytes += recording_stream(recording, i)->size_bytes;
	return bytes;
}

static void add_recording(struct writer *writer,
			  const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);
	const struct recording_counts *counts = recording_counts(recording);

	writer->section = "recording";
	writer->id = -1;
	add_text(writer, "path", recording_path(recording));
	add_text(writer, "host", info->hostname);
	add_text(writer, "kernel", info->os_release);
	add_text(writer, "architecture", info->arch);
	add_text(writer, "processor", info->cpu_name);
	add_text(writer, "command", info->command);
	add_text(writer, "recorded_by", info->version);
	add_text(writer, "cut", recording_is_cut(recording) ? "yes" : "");
	add_number(writer, "records", counts->records, "");
	add_number(writer, "trace", trace_bytes(recording), "bytes");
	add_number(writer, "lost_records", counts->lost_records, "");
	add_number(writer, "truncated_trace", counts->aux_truncated, "records");
}

static void add_cpu(struct writer *writer, const struct cpu_account *account)
{
	static const char *const names[CPU_STATES] = {
		[CPU_UNSEEN] = "before_ns",   [CPU_TRACED] = "traced_ns",
		[CPU_OUTSIDE] = "outside_ns", [CPU_FILTERED] = "filtered_ns",
		[CPU_OFF] = "off_ns",	      [CPU_GAP] = "gap_ns",
	};

	writer->section = "cpu";
	writer->id = account->cpu;
	add_number(writer, "wall_ns", account->last_ns - account->first_ns,
		   "ns");
	for (int i = 0; i < CPU_STATES; i++)
		add_number(writer, names[i], account->state_ns[i], "ns");
	add_number(writer, "idle_ns", account->idle_ns, "ns");
	add_number(writer, "switches", account->switches, "");
	add_number(writer, "gaps", account->gaps, "");
	add_number(writer, "lost", account->lost_bytes, "bytes");
}

/* One process's share; tasks are added up by process. */
struct process_time {
	int32_t pid;
	int32_t name_tid;	/* the task that gives it its name */
	uint32_t threads;
	uint64_t traced_ns;
};

static int add_task(struct array *processes, const struct task *task,
		    uint64_t traced_ns)
{
	struct process_time *process;

	for (size_t i = 0; i < processes->count; i++) {
		process = array_at(processes, i);
		if (process->pid == task->pid) {
			process->threads++;
			process->traced_ns += traced_ns;
			return 0;
		}
	}
	process = array_add(processes);
	if (!process)
		return -ERROR_MEMORY;
	*process = (struct process_time){
		.pid = task->pid,
		.name_tid = task->pid >= 0 ? task->pid : task->tid,
		.threads = 1,
		.traced_ns = traced_ns,
	};
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct process_time *x = a;
	const struct process_time *y = b;

	if (x->traced_ns != y->traced_ns)
		return x->traced_ns > y->traced_ns ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void add_processes(struct writer *writer,
			  const struct profile_report *report)
{
	struct array processes = ARRAY_OF(struct process_time);
	uint32_t tasks = task_stacks_task_count(report->stacks);

	for (uint32_t i = 0; i < tasks; i++) {
		const struct task *task = task_stacks_task(report->stacks, i);

		if (step_filter_task(report->filter, task) &&
		    add_task(&processes, task,
			     task_stacks_clock(report->stacks, i)) < 0)
			writer->has_failed = true;
	}
	array_sort(&processes, compare_processes);
	for (size_t i = 0; i < processes.count && i < report->top; i++) {
		const struct process_time *process = array_at(&processes, i);

		writer->section = "process";
		writer->id = process->pid;
		add_text(writer, "comm",
			 task_names_last(report->names, process->name_tid));
		add_number(writer, "threads", process->threads, "");
		add_number(writer, "traced_ns", process->traced_ns, "ns");
	}
	array_free(&processes);
}

int summary_make(const struct profile_report *report, struct summary *summary)
{
	struct writer writer = { .lines = &summary->lines };

	summary->lines = ARRAY_OF(struct summary_line);
	add_recording(&writer, report->recording);
	for (uint32_t i = 0; i < task_stacks_cpu_count(report->stacks); i++)
		add_cpu(&writer, task_stacks_account(report->stacks, i));
	add_processes(&writer, report);
	if (!writer.has_failed)
		return 0;
	summary_free(summary);
	return -ERROR_MEMORY;
}

void summary_free(struct summary *summary)
{
	array_free(&summary->lines);
}
