/* SPDX-License-Identifier: MIT */
#include "sql/scan/table_scan.h"

#include "attribution/trackers.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_needs.h"
#include "sql/scan/scan_kept.h"
#include "sql/scan/scan_sources.h"
#include "sql/scan/sql_recording.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"

#include <pthread.h>
#include <stdlib.h>

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

static bool wants_any(const struct table_scan *scan)
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
	input.trackers = trackers_new(&input);
	if (!input.trackers)
		return -ERROR_MEMORY;
	status = scan_sources_open(&sources, &source_input, scan->queue,
				   &scan->is_over);
	if (!status)
		status = run(scan, &sources, &stacks);
	if (!status && !row_queue_is_stopped(scan->queue))
		status = scan_sources_end(&sources, stacks);
	scan_sources_close(&sources);
	trackers_free(input.trackers);
	task_stacks_free(stacks);
	return status;
}

static int make_rows(struct table_scan *scan)
{
	struct scan_kept kept;
	int status = scan_kept_open(&kept, scan->recording, scan->wanted);

	if (!status && wants_any(scan)) {
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
