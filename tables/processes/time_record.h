/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TIME_RECORD_H
#define KT_TABLES_TIME_RECORD_H

#include "attribution/time/time_span.h"
#include "common/array.h"

#include <stdint.h>

struct kept_file_writer;
struct pack;

enum time_record_kind {
	RECORD_SPAN,	    /* a stretch of a thread's time */
	RECORD_SWITCH,	    /* it left a CPU */
	RECORD_SYSTEM_CALL, /* it began one */
	RECORD_FAULT,
	TIME_RECORD_KINDS,
};

/* What a thread's account adds up. */
struct time_record {
	uint8_t kind; /* enum time_record_kind */
	/* RECORD_SPAN: the class of provisional ones of the thread before it. */
	uint8_t resolved;
	/* Others have only the task, the CPU and when it was, as begin and end.
	 * Without contexts.
	 */
	struct time_span span;
};

/* Records that are kept, or read. */
struct time_records {
	struct kept_file_writer *writer; /* NULL: they are not kept */
	struct array kept; /* const struct task *, by index: whose they are */
	struct array read; /* struct task, by index: the same */
};

#define TIME_RECORDS_NONE \
	((struct time_records){ .kept = ARRAY_OF(const struct task *), \
				.read = ARRAY_OF(struct task) })

void time_records_free(struct time_records *records);

/* Returns 0 or -ERROR_MEMORY. */
int time_records_keep(struct time_records *records,
		      const struct time_record *record);

/* Sets *@record to what it reads, if that does not make the pack fail.  Its task
 * stays as long as @records.
 */
void time_records_read(const struct time_records *records, struct pack *pack,
		       struct time_record *record);

/* Writes who the tasks of the records are, or reads that, before any record. */
void time_records_pack_tasks(struct time_records *records, struct pack *pack);

#endif
