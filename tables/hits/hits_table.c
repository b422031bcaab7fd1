/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "tables/hits/hit_list.h"
#include "tables/hits/hits_table_parts.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* Depth to which a call's functions are shown. */
enum { SHOWN_DEPTH = 7 };

/* Formats the record now, since its parts are reused for the next call. */
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

static int end(struct call_recorder *recorder, const struct system_call *call,
	       const struct call_record *record)
{
	struct hits_table *table =
		container_of(recorder, struct hits_table, recorder);
	bool is_hit = false;
	int status = 0;

	if (!record)
		return 0;
	for (size_t i = hit_list_from(&table->hits, call->begin_ns);
	     i < table->hits.count && !status; i++) {
		const struct hit *hit = array_at(&table->hits, i);

		if (hit->what.hit_ns > call->end_ns)
			break;
		if (hit->tid != call->task->tid)
			continue;
		is_hit = true;
		status = keep_call(table, record, array_at(&table->calls, i));
	}
	if (!is_hit && !status && call->end == CALL_RETURNED)
		status = typical_calls_add(&table->typical, call);
	return status;
}

static void close_table(struct event_handler *handler)
{
	struct hits_table *table = (struct hits_table *)handler;

	for (size_t i = 0; i < table->calls.count; i++)
		free(((struct hit_call *)array_at(&table->calls, i))->text);
	array_free(&table->calls);
	array_free(&table->hits);
	array_free(&table->shown);
	call_recorder_free(&table->recorder);
	typical_calls_free(&table->typical);
}

/* Returns 0 or -ERROR_MEMORY. */
static int prepare(struct hits_table *table)
{
	const struct task_tracker *tracker = trackers_tasks(
		table->input.trackers, &table->recorder.listener);
	int status = hit_list_read(table->input.recording, &table->hits);

	if (status || !tracker)
		return -ERROR_MEMORY;
	if (table->hits.count &&
	    !array_reach(&table->calls, table->hits.count - 1))
		return -ERROR_MEMORY;
	table->context = call_record_context_of(&table->input, tracker);
	table->context.max_depth = SHOWN_DEPTH;
	return 0;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct hits_table *table = (struct hits_table *)handler;

	table->input = *input;
	table->recorder.take = end;
	call_recorder_open(&table->recorder);
	table->typical = typical_calls_none();
	table->hits = ARRAY_OF(struct hit);
	table->calls = ARRAY_OF(struct hit_call);
	table->shown = ARRAY_OF(size_t);
	return !prepare(table);
}

/* Selects the hits in the window. */
static int choose(struct hits_table *table)
{
	for (size_t i = 0; i < table->hits.count; i++) {
		const struct hit *hit = array_at(&table->hits, i);

		if (time_window_has(table->input.window, hit->what.hit_ns) &&
		    array_append(&table->shown, &i) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

static const struct table_need needs[] = {
	{ .columns = "hits", .event = RECORDED_TRIGGERS, .is_all = true },
};

static int show(const struct hits_table *table,
		const struct attribution_output *output)
{
	uint64_t count = table->shown.count;
	bool is_wanted;

	if (output->format != RECORD_TABLE)
		return table_rows_render(output, hits_table_row, table, count);
	is_wanted = hit_list_is_wanted(table->input.recording);
	recorded_table(&table->input, needs,
		       is_wanted ? 0 : sizeof(needs) / sizeof(*needs), count,
		       "No trigger hit", output->out);
	for (uint64_t i = 0; i < count && i < output->top; i++)
		hits_table_print(table, i, output->out);
	if (count > output->top)
		fprintf(output->out, "%" PRIu64 " more hits (--top)\n\n",
			count - output->top);
	return 0;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct hits_table *table = (struct hits_table *)handler;
	int status = choose(table);

	if (status)
		return status;
	hits_table_compare(table);
	return show(table, output);
}

const struct attribution_table hits_table = {
	.name = "hits",
	.columns = "hit trigger time_ns frozen_ns cpu pid tid comm latency_ns "
		   "not_kept call wall_ns on_cpu_ns asleep_ns runnable_ns "
		   "stolen_ns tracer_ns unknown_ns others typical_wall_ns "
		   "typical_on_cpu_ns typical_asleep_ns typical_runnable_ns "
		   "typical_stolen_ns typical_tracer_ns typical_unknown_ns",
	.help = "the calls or events that made triggers hit, compared with "
		"typical ones",
	.size = sizeof(struct hits_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &hits_table_records,
};
