/* SPDX-License-Identifier: MIT */
#include "decoder/goroutine_ids.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A switch of a thread to a goroutine. */
struct goroutine_switch {
	int32_t tid;
	uint32_t id; /* 0: unknown */
	uint64_t time_ns;
};

struct goroutine_ids {
	struct array switches; /* struct goroutine_switch, by thread and time */
};

/* Returns whether @event is one of record --goroutines. */
static bool has_ids(const struct recording_event *event)
{
	const struct tracepoint *tracepoint = event->tracepoint;

	return tracepoint &&
	       !strncmp(tracepoint->system, CALL_EVENTS_GROUP,
			strlen(CALL_EVENTS_GROUP)) &&
	       !strncmp(tracepoint->name, GOROUTINE_EVENT,
			strlen(GOROUTINE_EVENT));
}

struct goroutine_ids *goroutine_ids_new(void)
{
	struct goroutine_ids *ids = calloc(1, sizeof(*ids));

	if (ids)
		ids->switches = ARRAY_OF(struct goroutine_switch);
	return ids;
}

void goroutine_ids_free(struct goroutine_ids *ids)
{
	if (ids)
		array_free(&ids->switches);
	free(ids);
}

int goroutine_ids_add(struct goroutine_ids *ids, int32_t tid, uint64_t time_ns,
		      uint64_t id)
{
	const struct goroutine_switch change = {
		.tid = tid,
		.id = id <= GOROUTINE_ID_MOST ? (uint32_t)id : 0,
		.time_ns = time_ns,
	};

	return array_append(&ids->switches, &change);
}

void goroutine_ids_finish(struct goroutine_ids *ids)
{
	array_sort_by(&ids->switches,
		      KEYS(RISING(struct goroutine_switch, tid),
			   RISING(struct goroutine_switch, time_ns)));
}

static int read_samples(const struct recording *recording,
			struct goroutine_ids *ids)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = sideband ? 0 : -ERROR_MEMORY;

	if (sideband)
		sideband_choose_samples(sideband, has_ids);
	while (!status && (status = sideband_next(sideband, &record)) > 0) {
		const struct sideband_sample *sample = &record.sample;
		const struct tracepoint_field *field = tracepoint_field(
			sample->event->tracepoint, GOROUTINE_ID);

		status = goroutine_ids_add(
			ids, record.tid, record.time_ns,
			(uint64_t)tracepoint_number(field, sample->raw,
						    sample->raw_size));
	}
	sideband_close(sideband);
	goroutine_ids_finish(ids);
	return status;
}

int goroutine_ids_read(const struct recording *recording,
		       struct goroutine_ids **ids)
{
	size_t count = recording_event_count(recording);
	bool is_found = false;
	int status;

	*ids = NULL;
	for (size_t i = 0; i < count && !is_found; i++)
		is_found = has_ids(recording_event(recording, i));
	if (!is_found)
		return 0;
	*ids = goroutine_ids_new();
	status = *ids ? read_samples(recording, *ids) : -ERROR_MEMORY;
	if (status) {
		goroutine_ids_free(*ids);
		*ids = NULL;
	}
	return status;
}

static bool is_until(const void *item, const void *key)
{
	const struct goroutine_switch *change = item;
	const struct goroutine_switch *last = key;

	return change->tid < last->tid ||
	       (change->tid == last->tid && change->time_ns <= last->time_ns);
}

/* Returns the number of switches of threads below @tid, and of @tid up to
 * @time_ns.
 */
static size_t count_until(const struct goroutine_ids *ids, int32_t tid,
			  uint64_t time_ns)
{
	const struct goroutine_switch last = { .tid = tid, .time_ns = time_ns };

	return array_partition_point(&ids->switches, &last, is_until);
}

uint32_t goroutine_ids_until(const struct goroutine_ids *ids, int32_t tid,
			     uint64_t time_ns)
{
	size_t count = count_until(ids, tid, time_ns);
	const struct goroutine_switch *last =
		count ? array_at(&ids->switches, count - 1) : NULL;

	return last && last->tid == tid ? last->id : 0;
}

uint32_t goroutine_ids_between(const struct goroutine_ids *ids, int32_t tid,
			       uint64_t from_ns, uint64_t until_ns)
{
	size_t before = from_ns ? count_until(ids, tid, from_ns - 1) : 0;

	return count_until(ids, tid, until_ns) - before == 1 ?
		       goroutine_ids_until(ids, tid, until_ns) :
		       0;
}
