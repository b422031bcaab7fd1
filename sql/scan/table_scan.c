/* SPDX-License-Identifier: MIT */
#include "sql/scan/table_scan.h"

#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "sql/cached/cached_rows.h"
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/elf/lines.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* The row sources of a scan's tables, each source once. Steps reach them
 * through callback.
 */
struct scan_sources {
	struct step_callback callback;
	struct row_source *sources[SQL_TABLES];
	struct trackers *trackers; /* used by the sources; borrowed */
	size_t count;
	/* the source that can pack its state; or NULL */
	struct row_source *packed;
	enum row_need need; /* the largest need of any source */
	bool needs_begin;   /* true if any source needs it */
	bool takes_stop;    /* true if all sources accept it */
	/* joins steps with the kernel's events; or NULL */
	struct step_join *join;
	const struct row_queue *queue;
	/* Set once the callback reported that it is done. Later steps are not
	 * part of the recording; they only end open calls.
	 */
	bool *is_over;
};

/* The tables of a scan whose rows are cached beside the recording (is_kept in
 * sql_table.h). Cached rows are read; otherwise they are written if the scan
 * makes all rows.
 */
struct scan_kept {
	uint64_t key;
	struct cached_writer *writers[SQL_TABLES]; /* or NULL */
};

static bool has_class(const struct row_source_class *const *classes,
		      size_t count, const struct row_source_class *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (classes[i] == wanted)
			return true;
	return false;
}

static int open_one(struct scan_sources *sources,
		    const struct row_source_class *source_class,
		    const struct row_source_input *input)
{
	struct row_source *source = source_class->open(input);

	if (!source)
		return -ERROR_MEMORY;
	sources->sources[sources->count++] = source;
	if (sources->need > source_class->need)
		sources->need = source_class->need;
	sources->needs_begin |= source->needs_begin;
	sources->takes_stop &= source->takes_stop;
	if (source->pack)
		sources->packed = source;
	return trackers_follow(sources->trackers, &source->handler);
}

static bool sees_events(const struct scan_sources *sources)
{
	size_t count;
	struct event_handler *const *handlers =
		trackers_handlers(sources->trackers, &count);

	for (size_t i = 0; i < count; i++)
		if (handlers[i]->event || handlers[i]->record)
			return true;
	return false;
}

static void take_step(struct step_callback *callback,
		      const struct call_step *step)
{
	struct scan_sources *sources = (struct scan_sources *)callback;
	struct step_callback *join;

	if (*sources->is_over && !sources->takes_stop)
		return;
	if (sources->join) {
		join = step_join_callback(sources->join);
		join->take(join, step);
		return;
	}
	for (size_t i = 0; i < sources->count; i++)
		if (sources->sources[i]->handler.step)
			sources->sources[i]->handler.step(
				&sources->sources[i]->handler, step);
}

static bool are_done(const struct scan_sources *sources, uint64_t time_ns)
{
	for (size_t i = 0; i < sources->count; i++)
		if (!sources->sources[i]->is_done ||
		    !sources->sources[i]->is_done(sources->sources[i], time_ns))
			return false;
	return true;
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct scan_sources *sources =
		(const struct scan_sources *)callback;

	*sources->is_over = row_queue_is_stopped(sources->queue) ||
			    are_done(sources, time_ns);
	return *sources->is_over;
}

static void pack_state(struct step_callback *callback,
		       const struct task_pack *tasks)
{
	struct scan_sources *sources = (struct scan_sources *)callback;
	struct pack *pack = tasks->pack;

	step_join_pack(sources->join, pack);
	sources->packed->pack(sources->packed, tasks);
	if (pack->is_reading && !pack_is_whole(pack))
		step_join_reset(sources->join);
}

/* Sets the pack of the callback if there is one source. With several, the
 * others would need the state of open calls at a checkpoint.
 */
static void set_pack(struct scan_sources *sources)
{
	if (!sources->packed || !sources->join)
		return;
	sources->callback.pack = pack_state;
	sources->callback.packed_as = "state_index";
	sources->callback.needs_begin = true;
	sources->needs_begin |= sources->count > 1;
}

/* Opens the sources of all tables with an out in @input.
 *
 * Returns 0 or -ERROR_MEMORY. Call scan_sources_close() in both cases.
 */
static int scan_sources_open(struct scan_sources *sources,
			     const struct row_source_input *input,
			     const struct row_queue *queue, bool *is_over)
{
	const struct row_source_class *classes[SQL_TABLES];
	int status = 0;

	*sources = (struct scan_sources){
		.callback = { .take = take_step, .is_done = is_done },
		.need = NEEDS_NOTHING,
		.takes_stop = true,
		.trackers = input->recording->trackers,
		.queue = queue,
		.is_over = is_over,
	};
	for (int i = 0; !status && i < SQL_TABLES; i++) {
		const struct row_source_class *source_class =
			sql_table_at((enum sql_table_id)i)->source;

		if (!input->outs[i] ||
		    has_class(classes, sources->count, source_class))
			continue;
		classes[sources->count] = source_class;
		status = open_one(sources, source_class, input);
	}
	if (status < 0 || !sees_events(sources))
		return status;
	sources->join = trackers_join(sources->trackers);
	set_pack(sources);
	return sources->join ? 0 : -ERROR_MEMORY;
}

static void scan_sources_close(struct scan_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		sources->sources[i]->close(sources->sources[i]);
	step_join_free(sources->join);
}

/* Emits the events after the last step (all events if there were no steps), and
 * the rows that are known only at the end.
 *
 * Returns 0 or a negative enum error.
 */
static int scan_sources_end(struct scan_sources *sources,
			    const struct task_stacks *stacks)
{
	int status = 0;

	if (sources->join && !*sources->is_over) {
		status = step_join_end(sources->join);
		if (!status)
			status = trackers_end(sources->trackers);
	}
	for (size_t i = 0; !status && i < sources->count; i++)
		status = sources->sources[i]->end(sources->sources[i], stacks,
						  *sources->is_over);
	return status;
}

static bool wants_any(struct row_out *const wanted[SQL_TABLES])
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (wanted[i] && wanted[i]->table->is_kept)
			return true;
	return false;
}

/* Caches the rows of @out, provided that it receives all rows. */
static void keep(struct scan_kept *kept, const char *path, struct row_out *out)
{
	struct cached_writer *writer;

	if (!row_choice_has_all_times(out->choice))
		return;
	writer = cached_writer_open(path, kept->key);
	kept->writers[out->table->id] = writer;
	if (writer)
		out->listener = &writer->listener;
}

static int open_table(struct scan_kept *kept, const struct recording *recording,
		      struct row_out **wanted)
{
	struct row_out *out = *wanted;
	char *path = cached_rows_path(recording, out->table);
	int status = 0;

	if (!path)
		return -ERROR_MEMORY;
	if (cached_rows_send(path, kept->key, out)) {
		status = row_out_flush(out);
		*wanted = NULL;
	} else {
		keep(kept, path, out);
	}
	free(path);
	return status;
}

/* Emits the rows of cached tables and sets their entries in @wanted to NULL.
 * Starts to cache the rows of the other tables.
 *
 * Returns 0 or -ERROR_MEMORY. Call scan_kept_close() in both cases.
 */
static int scan_kept_open(struct scan_kept *kept,
			  const struct sql_recording *recording,
			  struct row_out *wanted[SQL_TABLES])
{
	int status = 0;

	*kept = (struct scan_kept){ 0 };
	if (!wants_any(wanted) || !recording->keeps_rows(recording, &kept->key))
		return 0;
	for (int i = 0; !status && i < SQL_TABLES; i++)
		if (wanted[i] && wanted[i]->table->is_kept)
			status = open_table(kept, recording->input.recording,
					    &wanted[i]);
	return status;
}

/* Publishes the caches after all rows were made. */
static void scan_kept_finish(struct scan_kept *kept)
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (kept->writers[i])
			cached_writer_finish(kept->writers[i]);
}

static void scan_kept_close(struct scan_kept *kept)
{
	for (int i = 0; i < SQL_TABLES; i++)
		cached_writer_close(kept->writers[i]);
}

struct table_scan {
	const struct sql_recording *recording;
	struct row_choice choice;
	struct row_queue *queue;
	struct row_out outs[SQL_TABLES];
	struct row_out *wanted[SQL_TABLES]; /* entries of outs, or NULL */
	bool is_over;
	pthread_t thread;
	bool has_thread;
};

static int run(const struct table_scan *scan, struct scan_sources *sources,
	       struct task_stacks **stacks)
{
	const struct sql_run bounds = {
		.window = {
			.since_ns = sources->needs_begin ?
					    0 :
					    row_choice_since(&scan->choice),
			.until_ns = scan->choice.sums.until_ns,
		},
		.done_ns = row_choice_until(&scan->choice),
	};

	if (sources->need != NEEDS_TRACE)
		return 0;
	return scan->recording->run(scan->recording, &bounds,
				    &sources->callback, stacks);
}

static bool wants_any_table(const struct table_scan *scan)
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (scan->wanted[i])
			return true;
	return false;
}

/* Makes the rows of the tables that are still wanted. */
static int decode(struct table_scan *scan)
{
	struct attribution_input input = scan->recording->input;
	const struct row_source_input source_input = {
		.recording = &input,
		.choice = &scan->choice,
		.outs = scan->wanted,
	};
	struct task_stacks *stacks = NULL;
	struct scan_sources sources;
	int status;

	input.window = scan->choice.sums;
	/* Several scans may run at once, and lines are for one thread. */
	input.lines = lines_new(recording_info(input.recording)->os_release);
	input.trackers = trackers_new(&input);
	if (!input.trackers || !input.lines) {
		lines_free(input.lines);
		trackers_free(input.trackers);
		return -ERROR_MEMORY;
	}
	status = scan_sources_open(&sources, &source_input, scan->queue,
				   &scan->is_over);
	if (!status)
		status = run(scan, &sources, &stacks);
	if (!status && !row_queue_is_stopped(scan->queue))
		status = scan_sources_end(&sources, stacks);
	scan_sources_close(&sources);
	trackers_free(input.trackers);
	lines_free(input.lines);
	task_stacks_free(stacks);
	return status;
}

static int make_rows(struct table_scan *scan)
{
	struct scan_kept kept;
	int status = scan_kept_open(&kept, scan->recording, scan->wanted);

	if (!status && wants_any_table(scan)) {
		status = decode(scan);
		if (!status && !scan->is_over &&
		    !row_queue_is_stopped(scan->queue))
			scan_kept_finish(&kept);
	}
	scan_kept_close(&kept);
	return status;
}

static void *run_thread(void *ctx)
{
	struct table_scan *scan = ctx;

	row_queue_end(scan->queue, make_rows(scan));
	return NULL;
}

static void fill_outs(struct table_scan *scan, const bool wanted[SQL_TABLES])
{
	const struct attribution_input *input = &scan->recording->input;
	const struct recorded recorded =
		recorded_of(input->recording, input->events);

	for (int i = 0; i < SQL_TABLES; i++) {
		const struct sql_table *table =
			sql_table_at((enum sql_table_id)i);

		scan->outs[i] = (struct row_out){
			.table = table,
			.queue = scan->queue,
			.choice = &scan->choice,
			.not_recorded = sql_needs_nulls(table, &recorded),
		};
		scan->wanted[i] = wanted[i] ? &scan->outs[i] : NULL;
	}
}

struct table_scan *table_scan_start(const struct sql_recording *recording,
				    const bool wanted[SQL_TABLES],
				    const struct row_choice *choice)
{
	struct table_scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return NULL;
	scan->recording = recording;
	scan->choice = *choice;
	scan->queue = row_queue_new();
	if (scan->queue) {
		fill_outs(scan, wanted);
		scan->has_thread =
			!pthread_create(&scan->thread, NULL, run_thread, scan);
	}
	if (scan->has_thread)
		return scan;
	table_scan_stop(scan);
	return NULL;
}

struct table_scan *table_scan_of(const struct sql_recording *recording,
				 enum sql_table_id id,
				 const struct row_choice *choice)
{
	bool wanted[SQL_TABLES] = { false };

	wanted[id] = true;
	return table_scan_start(recording, wanted, choice);
}

struct row_chunk *table_scan_next(struct table_scan *scan)
{
	return row_queue_pop(scan->queue);
}

void table_scan_give_back(struct table_scan *scan, struct row_chunk *chunk)
{
	row_queue_give_back(scan->queue, chunk);
}

int table_scan_status(const struct table_scan *scan)
{
	return row_queue_status(scan->queue);
}

void table_scan_stop(struct table_scan *scan)
{
	if (!scan)
		return;
	if (scan->has_thread) {
		row_queue_stop(scan->queue);
		pthread_join(scan->thread, NULL);
	}
	for (int i = 0; i < SQL_TABLES; i++)
		row_chunk_free(scan->outs[i].chunk);
	row_queue_free(scan->queue);
	free(scan);
}

bool table_scan_can(const struct sql_recording *recording, enum sql_table_id id)
{
	return !sql_table_at(id)->source->needs_time ||
	       recording_time(recording->input.recording) ==
		       RECORDING_TIME_NANOSECONDS;
}
