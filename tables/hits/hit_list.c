/* SPDX-License-Identifier: MIT */
#include "tables/hits/hit_list.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <string.h>

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

static int by_time(const void *a, const void *b)
{
	const struct hit *left = a;
	const struct hit *right = b;

	return (left->what.hit_ns > right->what.hit_ns) -
	       (left->what.hit_ns < right->what.hit_ns);
}

int hit_list_read(const struct recording *recording, struct array *hits)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = sideband ? 0 : -ERROR_MEMORY;

	while (!status && (status = sideband_next(sideband, &record)) > 0)
		status = add(hits, &record);
	sideband_close(sideband);
	array_sort(hits, by_time);
	return status;
}

static bool is_before(const void *hit, const void *time_ns)
{
	return ((const struct hit *)hit)->what.hit_ns <
	       *(const uint64_t *)time_ns;
}

size_t hit_list_from(const struct array *hits, uint64_t time_ns)
{
	return array_partition_point(hits, &time_ns, is_before);
}
