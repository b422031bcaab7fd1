/* SPDX-License-Identifier: MIT */
#include "collector/records/record_watch.h"
#include "collector/events/event_spec.h"
#include "collector/records/loaded_code.h"

#include <linux/perf_event.h>
#include <string.h>

/* The fields after the header of PERF_RECORD_KSYMBOL. */
struct ksymbol_fields {
	uint64_t address;
	uint32_t size;
	uint16_t type;
	uint16_t flags;
};

/* Returns the time from the fields of EVENT_SAMPLE_TYPE at the end of each of
 * the kernel's own records: after pid and tid.
 */
static uint64_t trailer_time(const struct ring_bytes *records, size_t end)
{
	uint64_t time_ns;

	ring_copy(records, end - EVENT_TRAILER_SIZE + 8, &time_ns,
		  sizeof(time_ns));
	return time_ns;
}

static void watch_ksymbol(const struct ring_bytes *records, size_t place,
			  size_t size, struct loaded_code *loaded)
{
	struct ksymbol_fields fields;
	struct loaded_symbol symbol;

	if (!loaded || size < sizeof(fields) + EVENT_TRAILER_SIZE)
		return;
	ring_copy(records, place, &fields, sizeof(fields));
	symbol = (struct loaded_symbol){
		.address = fields.address,
		.size = fields.size,
		.time_ns = trailer_time(records, place + size),
		.is_removed = fields.flags &
			      PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	};
	loaded_code_symbol(loaded, &symbol);
}

static void watch_one(const struct ring_bytes *records, size_t place,
		      size_t size, uint32_t type, struct record_counts *counts,
		      struct loaded_code *loaded)
{
	uint64_t words[3];

	switch (type) {
	case PERF_RECORD_LOST: /* id, lost */
		ring_copy(records, place, words, 16);
		counts->lost_records += words[1];
		break;
	case PERF_RECORD_LOST_SAMPLES: /* lost */
		ring_copy(records, place, words, 8);
		counts->lost_records += words[0];
		break;
	case PERF_RECORD_AUX: /* offset, size, flags */
		ring_copy(records, place, words, 24);
		if (words[2] &
		    (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
			counts->truncated++;
		break;
	case PERF_RECORD_KSYMBOL:
		watch_ksymbol(records, place, size, loaded);
		break;
	case PERF_RECORD_SAMPLE:
		if (loaded)
			loaded_code_sample(loaded, records, place, size);
		break;
	default:
		break;
	}
}

void record_watch(const struct ring_bytes *records,
		  struct record_counts *counts, struct loaded_code *loaded)
{
	struct perf_event_header header;

	for (size_t place = 0; place + sizeof(header) <= records->size;
	     place += header.size) {
		ring_copy(records, place, &header, sizeof(header));
		if (header.size < sizeof(header))
			return;
		watch_one(records, place + sizeof(header),
			  header.size - sizeof(header), header.type, counts,
			  loaded);
	}
}
