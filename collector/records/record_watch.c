/* SPDX-License-Identifier: MIT */
#include "collector/records/record_watch.h"
#include "collector/records/loaded_code.h"

#include <linux/perf_event.h>
#include <string.h>

/* The fields that follow the header of PERF_RECORD_KSYMBOL. */
struct ksymbol_fields {
	uint64_t address;
	uint32_t size;
	uint16_t type;
	uint16_t flags;
};

static void watch_ksymbol(const struct ring_bytes *records, size_t place,
			  struct loaded_code *loaded)
{
	struct ksymbol_fields fields;

	ring_copy(records, place, &fields, sizeof(fields));
	if (loaded && !(fields.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER))
		loaded_code_symbol(loaded, fields.address, fields.size);
}

static void watch_one(const struct ring_bytes *records, size_t place,
		      uint32_t type, struct record_counts *counts,
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
		watch_ksymbol(records, place, loaded);
		break;
	case PERF_RECORD_SAMPLE:
		/* Only modules are announced by samples; see RING_CODE. */
		if (loaded)
			loaded_code_modules(loaded);
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
		watch_one(records, place + sizeof(header), header.type, counts,
			  loaded);
	}
}
