/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_record.h"
#include "attribution/calls/open_records.h"
#include "attribution/calls/system_call.h"
#include "attribution/events/known_events.h"
#include "attribution/hits/hit_list.h"
#include "attribution/hits/typical_calls.h"
#include "attribution/table.h"
#include "attribution/task_tracker.h"
#include "attribution/text/table_rows.h"
#include "common/array.h"
#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>

/* So deep goes what is shown of a call's functions. */
enum { SHOWN_DEPTH = 7 };

/* The system call that a task was in when a trigger hit. */
struct hit_call {
	bool is_known;
	uint32_t function;
	struct call_times times;
	char *text; /* all of its record, for people; or NULL */
	size_t size;
};

/* report --hits: what made triggers hit, against calls that are like it. */
struct hits_table {
	struct task_listener listener;
	struct attribution_input input;
	struct task_tracker *tracker;
	struct open_records open;
	struct call_record_context context;
	struct array hits;  /* struct hit */
	struct array calls; /* struct hit_call, by the hit's place */
	struct typical_calls *typical;
};

static int begin(struct task_listener *listener, const struct system_call *call)
{
	struct hits_table *table = (struct hits_table *)listener;

	return open_records_begin(&table->open, call);
}

static int take_step(struct task_listener *listener,
		     const struct call_step *step)
{
	struct hits_table *table = (struct hits_table *)listener;

	return open_records_step(&table->open, step);
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct hits_table *table = (struct hits_table *)listener;

	return open_records_sleep(&table->open, sleep);
}

/* The record is written now, before its parts are used for the next call. */
static int keep_call(struct hits_table *table, const struct call_record *record,
		     struct hit_call *kept)
{
	const struct system_call *call = record->call;
	FILE *out;

	if (kept->is_known)
		return 0;
	*kept = (struct hit_call){
		.is_known = true,
		.function = call->function,
		.times = call_times_of(call),
	};
	out = open_memstream(&kept->text, &kept->size);
	if (!out)
		return -ERROR_MEMORY;
	table->context.out = out;
	call_record_text(&table->context, record);
	return fclose(out) ? -ERROR_MEMORY : 0;
}

static int end(struct task_listener *listener, const struct system_call *call)
{
	struct hits_table *table = (struct hits_table *)listener;
	struct call_record record;
	bool is_hit = false;
	int status = 0;

	if (!open_records_end(&table->open, call, &record))
		return 0;
	for (size_t i = hit_list_from(&table->hits, call->begin_ns);
	     i < table->hits.count && !status; i++) {
		const struct hit *hit = array_at(&table->hits, i);

		if (hit->what.hit_ns > call->end_ns)
			break;
		if (hit->tid != call->task->tid)
			continue;
		is_hit = true;
		status = keep_call(table, &record, array_at(&table->calls, i));
	}
	if (!is_hit && !status && call->end == CALL_RETURNED)
		status = typical_calls_add(table->typical, call);
	return status;
}

static void free_table(struct hits_table *table)
{
	for (size_t i = 0; i < table->calls.count; i++)
		free(((struct hit_call *)array_at(&table->calls, i))->text);
	array_free(&table->calls);
	array_free(&table->hits);
	open_records_free(&table->open);
	typical_calls_free(table->typical);
	task_tracker_free(table->tracker);
	free(table);
}

static struct call_record_context context_of(const struct hits_table *table)
{
	const struct attribution_input *input = &table->input;

	return (struct call_record_context){
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
		.names = input->names,
		.wakers = task_tracker_wakers(table->tracker),
		.stacks = task_tracker_stacks(table->tracker),
		.lines = input->lines,
		.max_depth = SHOWN_DEPTH,
		.has_off_cpu =
			known_events_has(input->events, EVENT_SCHED_SWITCH) &&
			known_events_has(input->events, EVENT_SCHED_WAKING),
	};
}

/* Returns 0 or -ERROR_MEMORY. */
static int prepare(struct hits_table *table)
{
	const struct task_tracker_options options =
		task_tracker_options_of(&table->input);
	int status = hit_list_read(table->input.recording, &table->hits);

	table->tracker = task_tracker_new(&options, &table->listener);
	table->typical = typical_calls_new();
	if (status || !table->tracker || !table->typical)
		return -ERROR_MEMORY;
	if (table->hits.count &&
	    !array_reach(&table->calls, table->hits.count - 1))
		return -ERROR_MEMORY;
	table->context = context_of(table);
	return 0;
}

static struct event_handler *open_table(const struct attribution_input *input)
{
	struct hits_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->listener = (struct task_listener){
		.began = begin,
		.step = take_step,
		.slept = take_sleep,
		.ended = end,
	};
	table->input = *input;
	table->open = OPEN_RECORDS_EMPTY;
	table->hits = ARRAY_OF(struct hit);
	table->calls = ARRAY_OF(struct hit_call);
	if (!prepare(table))
		return task_tracker_handler(table->tracker);
	free_table(table);
	return NULL;
}

static void write_times(struct record_writer *writer,
			const struct call_times *times, bool is_known,
			const char *const names[CALL_PART_NAMES])
{
	for (int part = 0; part < CALL_PART_NAMES; part++)
		if (is_known)
			record_number(writer, names[part], times->ns[part]);
		else
			record_text(writer, names[part], "");
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	static const char *const own[CALL_PART_NAMES] = {
		"wall_ns",   "on_cpu_ns", "asleep_ns", "runnable_ns",
		"stolen_ns", "tracer_ns", "unknown_ns"
	};
	static const char *const typical[CALL_PART_NAMES] = {
		"typical_wall_ns",     "typical_on_cpu_ns", "typical_asleep_ns",
		"typical_runnable_ns", "typical_stolen_ns", "typical_tracer_ns",
		"typical_unknown_ns"
	};
	const struct hits_table *table = ctx;
	const struct hit *hit = array_at(&table->hits, index);
	const struct hit_call *call = array_at(&table->calls, index);
	struct call_times times = { .ns = { 0 } };
	uint64_t count = 0;

	if (call->is_known)
		count = typical_calls_of(table->typical, call->function,
					 &times);
	record_number(writer, "hit", hit->what.number);
	record_text(writer, "trigger", hit->what.text);
	record_number(writer, "time_ns", hit->what.hit_ns);
	record_number(writer, "frozen_ns", hit->frozen_ns);
	record_signed(writer, "cpu", hit->cpu);
	record_signed(writer, "pid", hit->pid);
	record_signed(writer, "tid", hit->tid);
	record_text(writer, "comm",
		    task_names_comm(table->input.names, hit->tid,
				    hit->what.hit_ns));
	record_number(writer, "latency_ns", hit->what.latency_ns);
	record_number(writer, "not_kept", hit->what.overlapped);
	record_text(writer, "call",
		    call->is_known ? system_call_name(table->context.functions,
						      table->context.arch,
						      call->function) :
				     "");
	write_times(writer, &call->times, call->is_known, own);
	record_number(writer, "others", count);
	write_times(writer, &times, count > 0, typical);
}

static void print_head(const struct hits_table *table, const struct hit *hit,
		       FILE *out)
{
	const struct trigger_hit *what = &hit->what;

	fprintf(out, "Hit %" PRIu32 ": ", what->number);
	name_write(out, NAME_TEXT, what->text);
	if (what->latency_ns)
		fprintf(out, ": %s", duration_text_of(what->latency_ns).text);
	fprintf(out, ", at %" PRIu64 ".%09" PRIu64 " s on CPU %" PRId32,
		what->hit_ns / 1000000000, what->hit_ns % 1000000000, hit->cpu);
	if (hit->tid > 0) {
		fputs(" by ", out);
		name_write(out, NAME_TEXT,
			   task_label_of(table->input.names, hit->tid,
					 what->hit_ns)
				   .text);
	}
	fputs("\n", out);
	if (what->overlapped)
		fprintf(out,
			"    %" PRIu32 " more hits before it came while "
			"another was being kept\n",
			what->overlapped);
}

/* Prints what the call's time went to, beside that of others like it. */
static void print_parts(const struct hits_table *table,
			const struct hit_call *call, FILE *out)
{
	struct call_times typical;
	uint64_t others =
		typical_calls_of(table->typical, call->function, &typical);

	fprintf(out, "    %-10s %10s", "", "this one");
	if (others)
		fprintf(out, " %10s (median of %" PRIu64 " other calls of %s)",
			"typical", others,
			system_call_name(table->context.functions,
					 table->context.arch, call->function));
	fputs(others ? "\n" : "; no other call of its kind was seen whole\n",
	      out);
	for (int part = 0; part < CALL_PART_NAMES; part++) {
		if (!call->times.ns[part] && !typical.ns[part])
			continue;
		fprintf(out, "    %-10s %10s",
			call_part_title((enum call_part_name)part),
			duration_text_of(call->times.ns[part]).text);
		if (others)
			fprintf(out, " %10s",
				duration_text_of(typical.ns[part]).text);
		fputs("\n", out);
	}
}

static void print_hit(const struct hits_table *table, size_t index, FILE *out)
{
	const struct hit *hit = array_at(&table->hits, index);
	const struct hit_call *call = array_at(&table->calls, index);

	print_head(table, hit, out);
	if (call->is_known) {
		print_parts(table, call, out);
		fputs(call->text, out);
	} else {
		fputs(hit->tid > 0 ? "    It was in no system call that the "
				     "kept trace shows.\n\n" :
				     "\n",
		      out);
	}
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct task_tracker *tracker = task_tracker_of(handler);
	const struct hits_table *table =
		(struct hits_table *)task_tracker_listener(tracker);
	int status = task_tracker_end(tracker);
	uint64_t count = table->hits.count;

	if (status < 0)
		return status;
	if (output->format != RECORD_TABLE)
		return table_rows_render(output, write_row, table, count);
	if (!hit_list_is_wanted(table->input.recording))
		table_rows_missing(output->out, "hits", "triggers",
				   "--trigger=SPEC");
	else if (!count)
		fputs("No trigger hit.\n\n", output->out);
	for (uint64_t i = 0; i < count && i < output->top; i++)
		print_hit(table, i, output->out);
	if (count > output->top)
		fprintf(output->out, "%" PRIu64 " more hits (--top)\n\n",
			count - output->top);
	return 0;
}

static void close_table(struct event_handler *handler)
{
	free_table((struct hits_table *)task_tracker_listener(
		task_tracker_of(handler)));
}

const struct attribution_table hits_table = {
	.name = "hits",
	.help = "what made triggers hit, against the typical call of its kind",
	.open = open_table,
	.render = render,
	.close = close_table,
};
