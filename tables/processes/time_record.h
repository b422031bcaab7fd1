/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TIME_RECORD_H
#define KT_TABLES_TIME_RECORD_H

#include "attribution/time/time_span.h"
#include "common/array.h"

#include <stdint.h>

struct kept_file_writer;
struct pack;

enum time_record_kind {
	RECORD_SPAN,	    /* an interval of a thread's time */
	RECORD_SWITCH,	    /* the thread left a CPU */
	RECORD_SYSTEM_CALL, /* the thread started a system call */
	RECORD_FAULT,
	TIME_RECORD_KINDS,
};

/* A record that thread accounts are summed from. */
struct time_record {
	uint8_t kind; /* enum time_record_kind */
	/* RECORD_SPAN: the final class of the thread's earlier provisional
	 * spans
	 */
	uint8_t resolved;
	/* Contexts are not recorded. Kinds other than RECORD_SPAN only have the
	 * task, the CPU, and the time as begin and end.
	 */
	struct time_span span;
};

/* Writes or reads records. */
struct time_records {
	struct kept_file_writer *writer; /* NULL: records are not written */
	/* const struct task *, by index: tasks of written records */
	struct array kept;
	struct array read; /* struct task, by index: tasks of records to read */
};

#define TIME_RECORDS_NONE \
	((struct time_records){ .kept = ARRAY_OF(const struct task *), \
				.read = ARRAY_OF(struct task) })

void time_records_free(struct time_records *records);

/* Writes @record. Returns 0 or -ERROR_MEMORY. */
int time_records_keep(struct time_records *records,
		      const struct time_record *record);

/* Reads *@record, unless that makes the pack fail. Its task lives as long as
 * @records.
 */
void time_records_read(const struct time_records *records, struct pack *pack,
		       struct time_record *record);

/* Writes or reads the tasks of the records. Reading must come before any
 * record.
 */
void time_records_pack_tasks(struct time_records *records, struct pack *pack);

#endif
