/* SPDX-License-Identifier: MIT */
#include "collector/records/record_watch.h"
#include "collector/events/event_spec.h"
#include "collector/records/loaded_code.h"
#include "collector/records/program_copies.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

/* The fields after the header of PERF_RECORD_KSYMBOL. */
struct ksymbol_fields {
	uint64_t address;
	uint32_t size;
	uint16_t type;
	uint16_t flags;
};

/* Returns the time of a record that is not a sample and ends at @end: it
 * follows pid and tid in the fields that end each such record.
 */
static uint64_t trailer_time(const struct ring_bytes *records, size_t end)
{
	uint64_t time_ns;

	ring_copy(records, end - EVENT_TRAILER_SIZE + 8, &time_ns,
		  sizeof(time_ns));
	return time_ns;
}

static void watch_ksymbol(const struct ring_bytes *records, size_t position,
			  size_t size, struct loaded_code *loaded)
{
	struct ksymbol_fields fields;
	struct loaded_symbol symbol;

	if (!loaded || size < sizeof(fields) + EVENT_TRAILER_SIZE)
		return;
	ring_copy(records, position, &fields, sizeof(fields));
	symbol = (struct loaded_symbol){
		.address = fields.address,
		.size = fields.size,
		.time_ns = trailer_time(records, position + size),
		.is_removed = fields.flags &
			      PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	};
	loaded_code_symbol(loaded, &symbol);
}

bool mapping_record_read(const struct ring_bytes *records, size_t position,
			 size_t size, struct mapping_record *record)
{
	const size_t others = sizeof(record->fields) + EVENT_TRAILER_SIZE;

	if (size < others || size - others >= sizeof(record->path))
		return false;
	ring_copy(records, position, &record->fields, sizeof(record->fields));
	ring_copy(records, position + sizeof(record->fields), record->path,
		  size - others);
	record->path[size - others] = '\0';
	return true;
}

static void watch_map(const struct ring_bytes *records, size_t position,
		      size_t size, uint16_t misc,
		      struct program_copies *programs)
{
	struct mapping_record record;
	const struct mapping_fields *fields = &record.fields;
	struct mapped_program program;

	if (!programs ||
	    !mapping_record_read(records, position, size, &record) ||
	    !(fields->protection & PROT_EXEC) ||
	    (misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	program = (struct mapped_program){
		.pid = (pid_t)fields->pid,
		.start = fields->address,
		.end = fields->address + fields->size_bytes,
		.path = record.path,
	};
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		program.id.size = fields->build_id.size;
		memcpy(program.id.bytes, fields->build_id.bytes,
		       sizeof(program.id.bytes));
	} else {
		memcpy(program.inode, fields->inode, sizeof(program.inode));
	}
	program_copies_add(programs, &program);
}

/* Where record_watch() passes the content of the records. */
struct watch {
	struct record_counts *counts;
	struct loaded_code *loaded;
	struct program_copies *programs;
};

/* COLLISION is a mark of TRBE's driver: a part of the buffer was full, and the
 * trace until the interrupt is lost. The trace continues, so it must not be
 * restarted.
 */
static void count_aux(struct record_counts *counts, uint64_t flags)
{
	if (flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
		counts->truncated++;
	else if (flags & PERF_AUX_FLAG_COLLISION)
		counts->full_parts++;
}

static void watch_one(const struct ring_bytes *records, size_t position,
		      size_t size, const struct perf_event_header *header,
		      const struct watch *watch)
{
	struct record_counts *counts = watch->counts;
	uint64_t words[3];

	switch (header->type) {
	case PERF_RECORD_MMAP2:
		watch_map(records, position, size, header->misc,
			  watch->programs);
		break;
	case PERF_RECORD_LOST: /* id, lost */
		ring_copy(records, position, words, 16);
		counts->lost_records += words[1];
		break;
	case PERF_RECORD_LOST_SAMPLES: /* lost */
		ring_copy(records, position, words, 8);
		counts->lost_records += words[0];
		break;
	case PERF_RECORD_AUX: /* offset, size, flags */
		ring_copy(records, position, words, 24);
		count_aux(counts, words[2]);
		break;
	case PERF_RECORD_KSYMBOL:
		watch_ksymbol(records, position, size, watch->loaded);
		break;
	case PERF_RECORD_SAMPLE:
		if (watch->loaded)
			loaded_code_sample(watch->loaded, records, position,
					   size);
		break;
	default:
		break;
	}
}

void record_watch(const struct ring_bytes *records,
		  struct record_counts *counts, struct loaded_code *loaded,
		  struct program_copies *programs)
{
	const struct watch watch = { counts, loaded, programs };
	struct perf_event_header header;

	for (size_t position = 0; position + sizeof(header) <= records->size;
	     position += header.size) {
		ring_copy(records, position, &header, sizeof(header));
		if (header.size < sizeof(header))
			return;
		watch_one(records, position + sizeof(header),
			  header.size - sizeof(header), &header, &watch);
	}
}
