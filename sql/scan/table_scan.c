/* SPDX-License-Identifier: MIT */
#include "sql/scan/table_scan.h"

#include "attribution/events/step_join.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
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

/* One pass for the rows of several tables, in a thread of its own:
 *
 *	sources (row_source.h) ◄─ steps, and events if one needs them
 *	cached records ─────────► sources, if the window can be made from them
 *	sources ─► row_out ─► row_queue ─► the consumer, which may stop it
 *
 * In a pass over the trace each source and each tracker exists once, however
 * many tables use it; each cached table has a pass of its own. A pass whose
 * consumers need nothing later than some time ends early (are_done()). If all
 * rows are made and nothing is cached yet, the records are written meanwhile.
 */

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
	bool needs_begin;   /* a source needs the first event */
	bool takes_stop;    /* all sources accept late events */
	/* joins steps with the kernel's events; or NULL */
	struct step_join *join;
	const struct row_queue *queue;
	/* Set once the callback reported that it is done. Call events after
	 * that only end open calls.
	 */
	bool *is_over;
};

/* The records of a scan's tables that are cached beside the recording. They are
 * read if they exist; otherwise they are written if the scan makes all
 * rows.
 */
struct scan_kept {
	uint64_t key;
	bool can_be; /* the recording's records may be cached */
	struct written_records written;
};

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

/* The trackers and sources that make rows. */
struct scan_pass {
	struct attribution_input input;
	struct scan_sources sources;
};

/* Returns the source of this class, or NULL. */
static struct row_source *source_of(const struct scan_sources *sources,
				    const struct row_source_class *wanted)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->sources[i]->source_class == wanted)
			return sources->sources[i];
	return NULL;
}

static int open_one(struct scan_sources *sources,
		    const struct row_source_class *source_class,
		    const struct row_source_input *input)
{
	struct row_source *source = calloc(1, source_class->size);

	if (!source)
		return -ERROR_MEMORY;
	source->source_class = source_class;
	sources->sources[sources->count++] = source;
	if (!source_class->open(source, input))
		return -ERROR_MEMORY;
	if (sources->need > source_class->need)
		sources->need = source_class->need;
	sources->needs_begin |= source->needs_begin;
	sources->takes_stop &= source_class->takes_stop;
	if (source_class->pack)
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

static void consume_step(struct step_callback *callback,
			 const struct call_step *step)
{
	struct scan_sources *sources = (struct scan_sources *)callback;
	struct step_callback *join;

	if (*sources->is_over && !sources->takes_stop)
		return;
	if (sources->join) {
		join = step_join_callback(sources->join);
		join->consume(join, step);
		return;
	}
	for (size_t i = 0; i < sources->count; i++)
		if (sources->sources[i]->handler.step)
			sources->sources[i]->handler.step(
				&sources->sources[i]->handler, step);
}

static bool are_done(const struct scan_sources *sources, uint64_t time_ns)
{
	for (size_t i = 0; i < sources->count; i++) {
		const struct row_source *source = sources->sources[i];

		if (!source->source_class->is_done ||
		    !source->source_class->is_done(source, time_ns))
			return false;
	}
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
	sources->packed->source_class->pack(sources->packed, tasks);
	if (pack->is_reading && !pack_is_whole(pack))
		step_join_reset(sources->join);
}

/* Lets the pass store the state of a source that can pack it at checkpoints,
 * and resume there. With several sources the pass begins at the start of the
 * recording, because checkpoints have no state of the other sources.
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
	int status = 0;

	*sources = (struct scan_sources){
		.callback = { .consume = consume_step, .is_done = is_done },
		.need = NEEDS_NOTHING,
		.takes_stop = true,
		.trackers = input->recording->trackers,
		.queue = queue,
		.is_over = is_over,
	};
	for (int i = 0; !status && i < SQL_TABLES; i++) {
		const struct row_source_class *source_class =
			sql_table_at((enum sql_table_id)i)->source;

		if (input->outs[i] && !source_of(sources, source_class))
			status = open_one(sources, source_class, input);
	}
	return status;
}

/* Joins steps with the kernel's events if a source needs these. Returns 0 or
 * -ERROR_MEMORY.
 */
static int scan_sources_join(struct scan_sources *sources)
{
	if (!sees_events(sources))
		return 0;
	sources->join = trackers_join(sources->trackers);
	if (!sources->join)
		return -ERROR_MEMORY;
	sources->callback.wants_interrupts =
		step_join_callback(sources->join)->wants_interrupts;
	set_pack(sources);
	return 0;
}

static void scan_sources_close(struct scan_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct row_source *source = sources->sources[i];

		if (source->source_class->close)
			source->source_class->close(source);
		free(source);
	}
	step_join_free(sources->join);
}

/* Emits the rows that are known only at the end, and flushes @outs.
 *
 * Returns 0 or a negative enum error.
 */
static int scan_sources_finish(const struct scan_sources *sources,
			       const struct row_end *end,
			       struct row_out *const outs[SQL_TABLES])
{
	int status = 0;

	for (size_t i = 0; !status && i < sources->count; i++) {
		struct row_source *source = sources->sources[i];

		if (source->source_class->end)
			status = source->source_class->end(source, end);
	}
	for (int i = 0; !status && i < SQL_TABLES; i++)
		if (outs[i])
			status = row_out_flush(outs[i]);
	return status;
}

/* Emits the events after the last step (all events if there were no steps), and
 * the rows that are known only at the end.
 *
 * Returns 0 or a negative enum error.
 */
static int scan_sources_end(struct scan_sources *sources,
			    const struct task_stacks *stacks,
			    struct row_out *const outs[SQL_TABLES])
{
	const struct row_end end = { stacks, *sources->is_over };
	int status = 0;

	if (sources->join && !end.is_early) {
		status = step_join_end(sources->join);
		if (!status)
			status = trackers_end(sources->trackers);
	}
	return status ? status : scan_sources_finish(sources, &end, outs);
}

/* Opens the trackers of a pass, and the sources of the tables in @outs.
 *
 * Returns 0 or -ERROR_MEMORY. Call scan_pass_close() in both cases.
 */
static int scan_pass_open(struct scan_pass *pass, struct table_scan *scan,
			  struct row_out *const outs[SQL_TABLES])
{
	const struct row_source_input input = {
		.recording = &pass->input,
		.choice = &scan->choice,
		.outs = outs,
	};

	*pass = (struct scan_pass){ .input = scan->recording->input };
	pass->input.window = scan->choice.sums;
	/* Several scans may run at once, and lines are for one thread. */
	pass->input.lines = lines_new(pass->input.recording);
	pass->input.trackers = trackers_new(&pass->input);
	return pass->input.trackers && pass->input.lines ?
		       scan_sources_open(&pass->sources, &input, scan->queue,
					 &scan->is_over) :
		       -ERROR_MEMORY;
}

static void scan_pass_close(struct scan_pass *pass)
{
	scan_sources_close(&pass->sources);
	trackers_free(pass->input.trackers);
	lines_free(pass->input.lines);
}

/* Returns the owner of the records of table @id: their tracker, or the table's
 * source.
 */
static struct event_handler *owner_of(const struct scan_pass *pass, int id)
{
	const struct sql_table *table = sql_table_at((enum sql_table_id)id);

	return table_records_owner(
		table->records, pass->input.trackers,
		&source_of(&pass->sources, table->source)->handler,
		table->source->owner);
}

/* Reads the parts of @file from @first on for table @id. Returns whether they
 * are undamaged and there was enough memory.
 */
static bool read_parts(const struct table_scan *scan,
		       const struct scan_pass *pass, enum sql_table_id id,
		       const struct cache_file *file, size_t first)
{
	size_t count = file->chunks.count;
	bool is_whole = count;

	for (size_t i = first; is_whole && i < count; i++)
		is_whole = !row_queue_is_stopped(scan->queue) &&
			   table_records_read(sql_table_at(id)->records,
					      owner_of(pass, id), file, i);
	return is_whole;
}

/* Makes the rows of table @id from the records of @file. Checks them first, so
 * that no row is emitted if one is damaged. Returns whether they are usable.
 */
static bool send_file(struct table_scan *scan, enum sql_table_id id,
		      const struct cache_file *file)
{
	struct row_out *out = &scan->outs[id];
	struct row_out *outs[SQL_TABLES] = { NULL };
	const struct row_end end = { NULL, false };
	struct scan_pass pass;
	bool is_usable;

	outs[id] = out;
	out->drops = true;
	is_usable = !scan_pass_open(&pass, scan, outs) &&
		    read_parts(scan, &pass, id, file, 0);
	out->drops = false;
	if (is_usable &&
	    !(read_parts(scan, &pass, id, file, 1) &&
	      !scan_sources_finish(&pass.sources, &end, outs)) &&
	    !row_queue_is_stopped(scan->queue))
		out->status = -ERROR_MEMORY;
	scan_pass_close(&pass);
	return is_usable;
}

/* Returns the last time in @window, which must not be empty. */
static uint64_t last_of(struct time_window window)
{
	return window.until_ns == UINT64_MAX || !window.until_ns ?
		       window.until_ns :
		       window.until_ns - 1;
}

/* Returns the bounds on start and end of the records that are read. Rows
 * without these times are in any window.
 */
static struct cached_span wanted_records(const struct row_choice *choice,
					 const struct sql_table *table)
{
	if (!choice->is_limited || sql_table_role(table, ROLE_BEGIN) < 0)
		return CACHED_SPAN_ALL;
	return (struct cached_span){
		.first_begin_ns = choice->begin.since_ns,
		.last_begin_ns = last_of(choice->begin),
		.first_end_ns = choice->end.since_ns,
		.last_end_ns = last_of(choice->end),
	};
}

/* Makes the rows of table @id from its cached records. Returns whether there
 * are usable ones.
 */
static bool send_records(struct table_scan *scan, uint64_t key,
			 enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);
	const struct cached_span wanted = wanted_records(&scan->choice, table);
	struct cache_file file;
	bool is_sent = table_records_open(table->records,
					  scan->recording->input.recording, key,
					  &wanted, &file) &&
		       send_file(scan, id, &file);

	cache_file_close(&file);
	return is_sent;
}

/* Returns table @id if it is wanted and its records may be cached, else NULL.
 */
static const struct sql_table *cached_table(const struct table_scan *scan,
					    int id)
{
	return scan->wanted[id] && scan->wanted[id]->table->records ?
		       scan->wanted[id]->table :
		       NULL;
}

static bool wants_cached(const struct table_scan *scan)
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (cached_table(scan, i))
			return true;
	return false;
}

/* Emits the rows of tables whose records are cached, and sets their entries in
 * scan->wanted to NULL.
 *
 * Returns 0 or -ERROR_MEMORY. Close kept->written in both cases.
 */
static int scan_kept_open(struct scan_kept *kept, struct table_scan *scan)
{
	const struct sql_recording *recording = scan->recording;
	int status = 0;

	*kept = (struct scan_kept){ 0 };
	kept->can_be = wants_cached(scan) &&
		       recording->keeps_rows(recording, &kept->key);
	for (int i = 0; !status && i < SQL_TABLES && kept->can_be; i++) {
		if (!cached_table(scan, i) ||
		    !send_records(scan, kept->key, (enum sql_table_id)i))
			continue;
		status = scan->outs[i].status;
		scan->wanted[i] = NULL;
	}
	return status;
}

/* Caches the records of the pass, provided that all are made. */
static void scan_kept_begin(struct scan_kept *kept,
			    const struct table_scan *scan,
			    const struct scan_pass *pass)
{
	if (!kept->can_be || !row_choice_has_all_times(&scan->choice))
		return;
	for (int i = 0; i < SQL_TABLES; i++)
		if (cached_table(scan, i))
			written_records_add(&kept->written,
					    cached_table(scan, i)->records,
					    owner_of(pass, i),
					    pass->input.recording, kept->key);
}

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
static int decode(struct table_scan *scan, struct scan_kept *kept)
{
	struct task_stacks *stacks = NULL;
	struct scan_pass pass;
	int status = scan_pass_open(&pass, scan, scan->wanted);

	if (!status) {
		scan_kept_begin(kept, scan, &pass);
		status = scan_sources_join(&pass.sources);
	}
	if (!status)
		status = run(scan, &pass.sources, &stacks);
	if (!status && !row_queue_is_stopped(scan->queue))
		status = scan_sources_end(&pass.sources, stacks, scan->wanted);
	if (!status && !scan->is_over && !row_queue_is_stopped(scan->queue))
		written_records_finish(&kept->written);
	scan_pass_close(&pass);
	task_stacks_free(stacks);
	return status;
}

static int make_rows(struct table_scan *scan)
{
	struct scan_kept kept;
	int status = scan_kept_open(&kept, scan);

	if (!status && wants_any_table(scan))
		status = decode(scan, &kept);
	written_records_close(&kept.written);
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
		row_out_close(&scan->outs[i]);
	row_queue_free(scan->queue);
	free(scan);
}

bool table_scan_can(const struct sql_recording *recording, enum sql_table_id id)
{
	return !sql_table_at(id)->source->needs_time ||
	       recording_time(recording->input.recording) ==
		       RECORDING_TIME_NANOSECONDS;
}
