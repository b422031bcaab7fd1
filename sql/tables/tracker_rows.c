/* SPDX-License-Identifier: MIT */
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "sql/tables/fresh_cpus.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sleep_columns.h"
#include "sql/tables/syscall_columns.h"
#include "tables/table.h"

#include <stddef.h>
#include <stdlib.h>

/* System calls and sleeps, which one pass finds. */
struct watch_rows {
	struct row_source source;
	struct task_listener listener;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	const struct task_tracker *tracker;
	struct row_out *syscalls; /* or NULL */
	struct row_out *sleeps;	  /* or NULL */
	struct fresh_cpus cpus;
	int status;
};

static struct watch_rows *of_listener(struct task_listener *listener)
{
	return container_of(listener, struct watch_rows, listener);
}

static int take_call(struct task_listener *listener,
		     const struct system_call *call)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->syscalls)
		syscall_columns_add(rows->recording, rows->syscalls, call);
	return 0;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->sleeps)
		sleep_columns_add(rows->recording, rows->tracker, rows->sleeps,
				  sleep);
	return 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct watch_rows *rows = (struct watch_rows *)handler;

	if (fresh_cpus_take(&rows->cpus, step) < 0)
		rows->status = -ERROR_MEMORY;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct watch_rows *rows = (const struct watch_rows *)source;

	return time_ns >= rows->choice->end.until_ns && !rows->cpus.count;
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct watch_rows *rows = (struct watch_rows *)source;
	int status = 0;

	(void)stacks;
	(void)is_early;
	if (!status && rows->syscalls)
		status = row_out_flush(rows->syscalls);
	if (!status && rows->sleeps)
		status = row_out_flush(rows->sleeps);
	return status ? status : rows->status;
}

static void close_rows(struct row_source *source)
{
	struct watch_rows *rows = (struct watch_rows *)source;

	fresh_cpus_free(&rows->cpus);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct watch_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.handler.step = take_step,
		.needs_begin = true,
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->listener.ended = take_call;
	rows->listener.slept = take_sleep;
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->syscalls = input->outs[TABLE_SYSCALL];
	rows->sleeps = input->outs[TABLE_SLEEP];
	rows->cpus = FRESH_CPUS_NONE;
	rows->tracker =
		trackers_tasks(input->recording->trackers, &rows->listener);
	if (rows->tracker)
		return &rows->source;
	close_rows(&rows->source);
	return NULL;
}

const struct row_source_class watch_source = {
	.needs_time = true,
	.open = open_rows,
};
