/* SPDX-License-Identifier: MIT */
#include "tables/calls/hits_table.h"

#include "attribution/calls/system_calls.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The table of trigger hits (report --hits), in this order: the typical times
 * of calls, with which a hit's call is compared; the list of hits, from the
 * recorder's records; the records of hits' calls for windows; and the table. A
 * hit's call is matched in a pass over the recording (call_record.h) and
 * formatted when it ends.
 */

/* The times of all calls of one function. */
struct kind {
	uint32_t function;
	struct histogram parts[CALL_PART_NAMES];
};

struct typical_calls typical_calls_none(void)
{
	return (struct typical_calls){ KEYED_ARRAY_OF(struct kind, function) };
}

static struct call_times call_times_of(const struct system_call *call)
{
	return (struct call_times){ .ns = {
					    [CALL_WALL] = call->end_ns -
							  call->begin_ns,
					    [CALL_ON_CPU] = system_call_on_cpu(
						    call->class_ns),
					    [CALL_ASLEEP] =
						    call->class_ns[TIME_ASLEEP],
					    [CALL_RUNNABLE] =
						    call->class_ns[TIME_RUNNABLE],
					    [CALL_STOLEN] =
						    call->class_ns
							    [TIME_INTERRUPT],
					    [CALL_TRACER] =
						    call->class_ns[TIME_TRACER],
					    [CALL_UNKNOWN] =
						    call->class_ns[TIME_UNKNOWN],
				    } };
}

/* Returns the name of @part: "asleep" for CALL_ASLEEP. */
static const char *call_part_title(enum call_part_name part)
{
	static const char *const titles[CALL_PART_NAMES] = {
		[CALL_WALL] = "wall",	    [CALL_ON_CPU] = "on CPU",
		[CALL_ASLEEP] = "asleep",   [CALL_RUNNABLE] = "runnable",
		[CALL_STOLEN] = "stolen",   [CALL_TRACER] = "tracer",
		[CALL_UNKNOWN] = "unknown",
	};

	return titles[part];
}

void typical_calls_free(struct typical_calls *calls)
{
	for (size_t i = 0; i < calls->kinds.items.count; i++) {
		struct kind *kind = array_at(&calls->kinds.items, i);

		for (int part = 0; part < CALL_PART_NAMES; part++)
			histogram_free(&kind->parts[part]);
	}
	keyed_array_free(&calls->kinds);
}

static struct kind *kind_of(struct typical_calls *calls, uint32_t function)
{
	struct kind fresh = { .function = function };

	for (int part = 0; part < CALL_PART_NAMES; part++)
		fresh.parts[part] = HISTOGRAM_EMPTY;
	return keyed_array_add(&calls->kinds, &fresh);
}

int typical_calls_add(struct typical_calls *calls,
		      const struct system_call *call)
{
	const struct call_times times = call_times_of(call);
	struct kind *kind = kind_of(calls, call->function);
	int status = kind ? 0 : -ERROR_MEMORY;

	for (int part = 0; part < CALL_PART_NAMES && !status; part++)
		status = histogram_add(&kind->parts[part], times.ns[part]);
	return status;
}

uint64_t typical_calls_of(const struct typical_calls *calls, uint32_t function,
			  struct call_times *times)
{
	const struct kind *kind = keyed_array_find(&calls->kinds, &function);

	*times = (struct call_times){ .ns = { 0 } };
	if (!kind)
		return 0;
	for (int part = 0; part < CALL_PART_NAMES; part++)
		times->ns[part] = histogram_quantile(&kind->parts[part], 0.5);
	return kind->parts[CALL_WALL].count;
}

static bool is_hit(const struct recording_event *event)
{
	return event && event->name && !strcmp(event->name, TRIGGER_HIT_EVENT);
}

bool hit_list_is_wanted(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (is_hit(recording_event(recording, i)))
			return true;
	return false;
}

static int add(struct array *hits, const struct sideband_record *record)
{
	const struct sideband_sample *sample = &record->sample;
	struct hit *hit;

	if (!is_hit(sample->event) || !sample->raw ||
	    sample->raw_size < sizeof(hit->what))
		return 0;
	hit = array_add(hits);
	if (!hit)
		return -ERROR_MEMORY;
	*hit = (struct hit){
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.frozen_ns = record->time_ns,
	};
	memcpy(&hit->what, sample->raw, sizeof(hit->what));
	hit->what.text[sizeof(hit->what.text) - 1] = '\0';
	return 0;
}

/* Appends the hits of @recording to @hits, an array of struct hit, ordered by
 * hit_ns. Records that are too short are left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int hit_list_read(const struct recording *recording, struct array *hits)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = sideband ? 0 : -ERROR_MEMORY;

	while (!status && (status = sideband_next(sideband, &record)) > 0)
		status = add(hits, &record);
	sideband_close(sideband);
	array_sort_by(hits, KEYS(RISING(struct hit, what.hit_ns)));
	return status;
}

size_t hit_list_from(const struct array *hits, uint64_t time_ns)
{
	return array_count_below(hits, KEYS(RISING(struct hit, what.hit_ns)),
				 time_ns);
}

/* Compares the known calls with others. Must be called after all calls were
 * added.
 */
static void hits_table_compare(struct hits_table *table)
{
	for (size_t i = 0; i < table->calls.count; i++) {
		struct hit_call *call = array_at(&table->calls, i);

		if (!call->is_known || call->is_compared)
			continue;
		call->is_compared = true;
		call->others = typical_calls_of(&table->typical, call->function,
						&call->typical);
	}
}

static void pack_times(struct pack *pack, struct call_times *times)
{
	for (int part = 0; part < CALL_PART_NAMES; part++)
		pack_u64(pack, &times->ns[part]);
}

void hit_call_pack(struct pack *pack, struct hit_call *call, uint32_t functions)
{
	pack_u32(pack, &call->function);
	pack_check(pack, call->function < functions);
	pack_times(pack, &call->times);
	pack_u64(pack, &call->others);
	pack_times(pack, &call->typical);
	table_records_pack_text(pack, &call->text);
}

/* Caches the calls at the end: the typical times of other calls are known only
 * after the pass.
 */
static void keep_at_end(struct event_handler *handler)
{
	struct hits_table *table = (struct hits_table *)handler;
	uint32_t functions = function_count(table->context.functions);

	hits_table_compare(table);
	for (uint32_t i = 0; i < table->calls.count; i++) {
		struct hit_call *call = array_at(&table->calls, i);
		const struct hit *hit = array_at(&table->hits, i);
		const struct cached_span span =
			cached_span_of(hit->what.hit_ns, hit->what.hit_ns);
		struct pack *pack = cache_file_writer_pack(table->writer);
		uint32_t place = i;

		if (!call->is_known)
			continue;
		pack_u32(pack, &place);
		hit_call_pack(pack, call, functions);
		cache_file_writer_add(table->writer, &span);
	}
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct hits_table *table = (struct hits_table *)handler;
	uint32_t functions = function_count(table->context.functions);
	struct hit_call read = { .is_known = true, .is_compared = true };
	uint32_t place = 0;
	struct hit_call *call;

	pack_u32(pack, &place);
	pack_check(pack, place < table->calls.count);
	hit_call_pack(pack, &read, functions);
	if (pack->failed) {
		free(read.text);
		return;
	}
	call = array_at(&table->calls, place);
	free(call->text);
	*call = read;
}

/* The records of the hits' calls, for windows. */
static const struct table_records hits_table_records = {
	.name = "hits",
	.writer = offsetof(struct hits_table, writer),
	.keep_at_end = keep_at_end,
	.pack_rest = table_records_refer_to_nothing,
	.consume = consume_record,
	.wanted = table_records_begin_in,
};

static const void *hit_at(const void *table_, uint64_t index)
{
	const struct hits_table *table = table_;
	const size_t *place = array_at(&table->shown, index);

	return array_at(&table->hits, *place);
}

/* Returns the call of a row, whose fact is a hit. */
static const struct hit_call *call_of(const struct column_row *row)
{
	const struct hits_table *table = row->state;
	const struct hit *hit = row->fact;

	return array_at(&table->calls,
			(size_t)(hit - (const struct hit *)table->hits.items));
}

/* The offset of a column of times is its enum call_part_name. */
static void write_time(struct record_writer *writer,
		       const struct column *column, bool is_known,
		       const struct call_times *times)
{
	if (is_known)
		record_number(writer, column->name, times->ns[column->offset]);
	else
		record_text(writer, column->name, "");
}

static void write_own(struct record_writer *writer, const struct column *column,
		      const struct column_row *row)
{
	const struct hit_call *call = call_of(row);

	write_time(writer, column, call->is_known, &call->times);
}

static void write_typical(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row)
{
	const struct hit_call *call = call_of(row);

	write_time(writer, column, call->others > 0, &call->typical);
}

static const char *trigger_of(const struct column_row *row)
{
	const struct hit *hit = row->fact;

	return hit->what.text;
}

static const char *comm_of(const struct column_row *row)
{
	const struct hit *hit = row->fact;

	return task_names_comm(row->input->names, hit->tid, hit->what.hit_ns);
}

static const char *call_name(const struct column_row *row)
{
	const struct hits_table *table = row->state;
	const struct hit_call *call = call_of(row);

	return call->is_known ?
		       system_call_name(table->context.functions,
					table->context.arch, call->function) :
		       "";
}

static uint64_t others_of(const struct column_row *row)
{
	return call_of(row)->others;
}

#define OF(member) MEMBER(struct hit, member)
#define OWN(part) WRITTEN(write_own), .offset = (part)
#define TYPICAL(name, meaning, part) \
	NS_COLUMN("typical_" name, "the same of a typical call: " meaning, \
		  WRITTEN(write_typical), .offset = (part))

static const struct column columns[] = {
	INT_COLUMN("hit", "number of the hit", OF(what.number)),
	TEXT_COLUMN("trigger", "trigger that hit", NAMED(trigger_of)),
	NS_COLUMN("time_ns", "time of the event", OF(what.hit_ns)),
	NS_COLUMN("frozen_ns", "end of the saved trace", OF(frozen_ns)),
	INT_COLUMN("cpu", "CPU", OF(cpu)),
	PID_COLUMN(OF(pid)),
	TID_COLUMN(OF(tid)),
	COMM_COLUMN(NAMED(comm_of)),
	NS_COLUMN("latency_ns", "time that exceeded the trigger's limit",
		  OF(what.latency_ns)),
	INT_COLUMN("not_kept", "hits before it, while another was being saved",
		   OF(what.overlapped)),
	CALL_COLUMN(NAMED(call_name)),
	WALL_COLUMN(OWN(CALL_WALL)),
	ON_CPU_COLUMN(OWN(CALL_ON_CPU)),
	ASLEEP_COLUMN(OWN(CALL_ASLEEP)),
	RUNNABLE_COLUMN(OWN(CALL_RUNNABLE)),
	STOLEN_COLUMN(OWN(CALL_STOLEN)),
	TRACER_COLUMN(OWN(CALL_TRACER)),
	UNKNOWN_COLUMN(OWN(CALL_UNKNOWN)),
	INT_COLUMN("others", "number of other calls of that kind",
		   COUNTED(others_of)),
	TYPICAL("wall_ns", "duration", CALL_WALL),
	TYPICAL("on_cpu_ns", "on a CPU", CALL_ON_CPU),
	TYPICAL("asleep_ns", "asleep", CALL_ASLEEP),
	TYPICAL("runnable_ns", "waiting for a CPU", CALL_RUNNABLE),
	TYPICAL("stolen_ns", "interrupts", CALL_STOLEN),
	TYPICAL("tracer_ns", "the recorder", CALL_TRACER),
	TYPICAL("unknown_ns", "not in the recording", CALL_UNKNOWN),
	END_OF_COLUMNS,
};

static void print_head(const struct hits_table *table, const struct hit *hit,
		       FILE *out)
{
	const struct trigger_hit *what = &hit->what;

	fprintf(out, "Hit %" PRIu32 ": ", what->number);
	name_write(out, NAME_TEXT, what->text);
	if (what->latency_ns)
		fprintf(out, ": %s", duration_text_of(what->latency_ns).text);
	fprintf(out, ", at %s s on CPU %" PRId32,
		moment_text(what->hit_ns, table->input.origin_ns).text,
		hit->cpu);
	if (hit->tid > 0) {
		fputs(" by ", out);
		task_label_write(table->input.names, hit->tid, what->hit_ns,
				 out);
	}
	fputs("\n", out);
	if (what->overlapped)
		fprintf(out,
			"    %" PRIu32 " more hits occurred before it, while "
			"another was being saved\n",
			what->overlapped);
}

/* Prints the parts of the call's time beside the times of similar calls. */
static void print_parts(const struct hits_table *table,
			const struct hit_call *call, FILE *out)
{
	const struct call_times *typical = &call->typical;
	uint64_t others = call->others;

	fprintf(out, "    %-10s %10s", "", "this one");
	if (others) {
		fprintf(out, " %10s (median of %" PRIu64 " other calls of ",
			"typical", others);
		name_write(out, NAME_TEXT,
			   system_call_name(table->context.functions,
					    table->context.arch,
					    call->function));
	}
	fputs(others ? ")\n" :
		       "; no other call of its kind was traced "
		       "completely\n",
	      out);
	for (int part = 0; part < CALL_PART_NAMES; part++) {
		if (!call->times.ns[part] && !typical->ns[part])
			continue;
		fprintf(out, "    %-10s %10s",
			call_part_title((enum call_part_name)part),
			duration_text_of(call->times.ns[part]).text);
		if (others)
			fprintf(out, " %10s",
				duration_text_of(typical->ns[part]).text);
		fputs("\n", out);
	}
}

/* Prints the lines of @text, which is untrusted if it is from a cached record.
 */
static void print_lines(const char *text, FILE *out)
{
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		name_write_part(out, NAME_TEXT, text, (size_t)(end - text));
		fputs("\n", out);
	}
}

/* Writes shown hit number @index as text. */
static void hits_table_print(const struct hits_table *table, size_t index,
			     FILE *out)
{
	const size_t *place = array_at(&table->shown, index);
	const struct hit *hit = array_at(&table->hits, *place);
	const struct hit_call *call = array_at(&table->calls, *place);

	print_head(table, hit, out);
	if (call->is_known) {
		print_parts(table, call, out);
		print_lines(call->text, out);
	} else {
		fputs(hit->tid > 0 ? "    The saved trace shows no system "
				     "call at that time.\n\n" :
				     "\n",
		      out);
	}
}

/* Depth of a call's functions that text shows. */
enum { SHOWN_DEPTH = 7 };

/* Sets *@kept to the call, unless it is set already. Formats the record now,
 * since its parts are reused for the next call.
 */
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

static int consume_call(struct call_recorder *recorder,
			const struct system_call *call,
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
	table->recorder.consume = consume_call;
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
		return table_rows_show(output, &(struct table_rows){
						       .table = &hits_table,
						       .state = table,
						       .input = &table->input,
						       .fact_at = hit_at,
						       .count = count,
					       });
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
	.columns = columns,
	.help = "the calls or events that made triggers hit, compared with "
		"typical ones",
	.size = sizeof(struct hits_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &hits_table_records,
};
