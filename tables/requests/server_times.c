/* SPDX-License-Identifier: MIT */
#include "tables/requests/server_times.h"

#include "common/error.h"
#include "tables/requests/server_record.h"

#include <string.h>

struct server_times server_times_of(struct time_window window)
{
	return (struct server_times){
		.window = window,
		.threads = KEYED_ARRAY_OF(struct server_thread, thread),
		.holds = ARRAY_OF(struct server_record),
	};
}

void server_times_free(struct server_times *times)
{
	for (size_t i = 0; i < times->threads.items.count; i++) {
		struct server_thread *thread =
			array_at(&times->threads.items, i);

		array_free(&thread->stretches);
	}
	keyed_array_free(&times->threads);
	array_free(&times->holds);
}

/* Cuts @record to @window.  Returns whether anything is left. */
static bool cut(struct server_record *record, struct time_window window)
{
	record->begin_ns = time_window_clip(window, record->begin_ns);
	record->end_ns = time_window_clip(window, record->end_ns);
	return record->begin_ns < record->end_ns;
}

static int add_stretch(struct server_times *times,
		       const struct server_record *stretch)
{
	struct server_thread *thread = keyed_array_add(
		&times->threads,
		&(struct server_thread){
			.thread = stretch->thread,
			.stretches = ARRAY_OF(struct server_record),
		});

	if (!thread)
		return -ERROR_MEMORY;
	thread->pid = stretch->pid;
	thread->parts[stretch->part] += stretch->end_ns - stretch->begin_ns;
	return array_append(&thread->stretches, stretch);
}

int server_times_add(struct server_times *times,
		     const struct server_record *record)
{
	struct server_record part = *record;

	if (!cut(&part, times->window))
		return 0;
	return part.kind == SERVER_STRETCH ? add_stretch(times, &part) :
					     array_append(&times->holds, &part);
}

static bool is_over(const void *stretch, const void *time_ns)
{
	return ((const struct server_record *)stretch)->end_ns <=
	       *(const uint64_t *)time_ns;
}

void server_times_of_hold(const struct server_times *times,
			  const struct server_record *hold,
			  uint64_t parts[REQUEST_PARTS])
{
	const struct server_thread *thread =
		keyed_array_find(&times->threads, &hold->thread);
	const struct time_window window = { hold->begin_ns, hold->end_ns };
	const struct array *stretches;

	memset(parts, 0, REQUEST_PARTS * sizeof(*parts));
	if (!thread)
		return;
	stretches = &thread->stretches;
	for (size_t i =
		     array_partition_point(stretches, &hold->begin_ns, is_over);
	     i < stretches->count; i++) {
		struct server_record part =
			*(const struct server_record *)array_at(stretches, i);

		if (!cut(&part, window))
			break;
		parts[part.part] += part.end_ns - part.begin_ns;
	}
}
