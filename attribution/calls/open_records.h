/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OPEN_RECORDS_H
#define KT_ATTRIBUTION_OPEN_RECORDS_H

#include "attribution/calls/call_trace.h"
#include "attribution/sleeps/sleep_places.h"

struct call_record;
struct sleep;
struct system_call;

/* What is known of the system calls that tasks are in. */
struct open_records {
	struct array all; /* struct open_record by task index */
};

struct open_record {
	struct call_trace trace;
	struct sleep_places places;
	bool is_open;
};

#define OPEN_RECORDS_EMPTY \
	((struct open_records){ .all = ARRAY_OF(struct open_record) })

void open_records_free(struct open_records *records);

/* Begins a record of @call; of calls without one nothing is kept.  These three
 * return 0 or -ERROR_MEMORY.
 */
int open_records_begin(struct open_records *records,
		       const struct system_call *call);
int open_records_step(struct open_records *records,
		      const struct call_step *step);
int open_records_sleep(struct open_records *records, const struct sleep *sleep);

/* Ends the record of @call.  Returns whether there was one, and @record, which
 * is good until the task's next call.
 */
bool open_records_end(struct open_records *records,
		      const struct system_call *call,
		      struct call_record *record);

#endif
