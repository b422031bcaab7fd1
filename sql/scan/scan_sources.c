/* SPDX-License-Identifier: MIT */
#include "sql/scan/scan_sources.h"

#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/error.h"
#include "report/steps/task_pack.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"
#include "tables/table.h"

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
		step_join_renew(sources->join);
}

/* With several sources, the others would need the state of open calls at a
 * checkpoint.
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

int scan_sources_open(struct scan_sources *sources,
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

void scan_sources_close(struct scan_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		sources->sources[i]->close(sources->sources[i]);
	step_join_free(sources->join);
}

int scan_sources_end(struct scan_sources *sources,
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
