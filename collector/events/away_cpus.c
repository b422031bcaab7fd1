/* SPDX-License-Identifier: MIT */
#include "collector/events/away_cpus.h"
#include "collector/events/event_list.h"
#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <unistd.h>

/* The result of read(2) on an event with PERF_FORMAT_TOTAL_TIME_ENABLED and
 * PERF_FORMAT_ID.
 */
struct reading {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t id;
};

static uint64_t enabled_ns(const struct event *event)
{
	struct reading reading;
	bool is_read = read(event->fd, &reading, sizeof(reading)) ==
		       sizeof(reading);

	return is_read ? reading.enabled_ns : 0;
}

/* The time of an event that counts increases between two reads. */
static int look_at(const struct event *event, struct array *away)
{
	uint64_t before = enabled_ns(event);
	struct away_cpu *found;

	if (enabled_ns(event) != before)
		return 0;
	found = array_add(away);
	if (!found)
		return -ERROR_MEMORY;
	/* Stores the counted time for now, until the longest one is known. */
	*found = (struct away_cpu){ event->cpu, before + event->late_ns };
	return 0;
}

uint64_t away_cpus_longest(const struct event_list *events, size_t spec)
{
	const struct event *items = events->events.items;
	uint64_t longest = 0;

	for (size_t i = 0; i < events->events.count; i++) {
		uint64_t counted =
			items[i].spec == spec ? enabled_ns(&items[i]) : 0;

		longest = counted > longest ? counted : longest;
	}
	return longest;
}

int away_cpus_find(const struct event_list *events, size_t spec,
		   struct array *away)
{
	const struct event *items = events->events.items;
	uint64_t longest;
	int error = 0;

	for (size_t i = 0; i < events->events.count && !error; i++)
		if (items[i].spec == spec)
			error = look_at(&items[i], away);
	longest = away_cpus_longest(events, spec);
	for (size_t i = 0; i < away->count; i++) {
		struct away_cpu *found = array_at(away, i);

		found->missing_ns = longest - found->missing_ns;
	}
	return error;
}
