/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"
#include "report/timeline/span_export.h"

#include <inttypes.h>
#include <stdlib.h>

/* Trace Event Format, its JSON object form.  CPUs are shown as processes with
 * numbers that no process has (PID_MAX_LIMIT is 4194304).
 */
enum { CPU_TASKS_PID = 4194305, CPU_TRACE_PID = 4194306 };

struct chrome_writer {
	struct span_writer writer;
	FILE *out;
	bool has_events;
};

struct ids {
	int32_t pid;
	int32_t tid;
};

static struct ids ids_of(const struct span_track *track)
{
	const struct task *task = track->task;

	switch (track->kind) {
	case SPAN_CPU_TASKS:
		return (struct ids){ CPU_TASKS_PID, (int32_t)track->cpu };
	case SPAN_CPU_TRACE:
		return (struct ids){ CPU_TRACE_PID, (int32_t)track->cpu };
	case SPAN_TASK:
		break;
	}
	/* Each CPU has an idle task of its own. */
	if (task->tid <= 0)
		return (struct ids){ 0, task->cpu };
	return (struct ids){ task->pid > 0 ? task->pid : task->tid, task->tid };
}

static void begin_event(struct chrome_writer *chrome, const char *phase,
			const struct span_track *track)
{
	struct ids ids = ids_of(track);

	fprintf(chrome->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d",
		chrome->has_events ? "," : "", phase, ids.pid, ids.tid);
	chrome->has_events = true;
}

/* Microseconds, written so that no nanosecond is lost. */
static void write_time(FILE *out, uint64_t time_ns)
{
	fprintf(out, ",\"ts\":%" PRIu64 ".%03" PRIu64, time_ns / 1000,
		time_ns % 1000);
}

static void name_it(struct chrome_writer *chrome,
		    const struct span_track *track, const char *what,
		    const char *name)
{
	begin_event(chrome, "M", track);
	fprintf(chrome->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_string(chrome->out, name);
	fputs("}}", chrome->out);
}

static void announce(struct span_writer *writer, const struct span_track *track)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;

	name_it(chrome, track, "thread_name", track->name);
	if (track->kind == SPAN_CPU_TASKS)
		name_it(chrome, track, "process_name", "CPUs");
	else if (track->kind == SPAN_CPU_TRACE)
		name_it(chrome, track, "process_name", "trace of CPUs");
	else if (track->task->tid > 0 && track->task->tid == track->task->pid)
		name_it(chrome, track, "process_name", track->name);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  uint64_t time_ns, uint32_t function, const char *name,
		  const char *category)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;

	(void)function;
	begin_event(chrome, "B", track);
	write_time(chrome->out, time_ns);
	fprintf(chrome->out, ",\"cat\":\"%s\",\"name\":", category);
	json_string(chrome->out, name);
	fputs("}", chrome->out);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;

	begin_event(chrome, "E", track);
	write_time(chrome->out, time_ns);
	fputs("}", chrome->out);
}

static void finish(struct span_writer *writer)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;

	fputs("\n]}\n", chrome->out);
	free(chrome);
}

static struct step_sink *open_chrome(const struct timeline_context *context)
{
	struct chrome_writer *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.finish = finish,
	};
	chrome->out = context->out;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", chrome->out);
	return span_export_open(context, &chrome->writer);
}

const struct timeline_renderer export_chrome = {
	.command = "export",
	.format = "chrome",
	.needs_time = true,
	.open = open_chrome,
	.close = span_export_close,
};
