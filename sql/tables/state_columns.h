/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_STATE_COLUMNS_H
#define KT_SQL_STATE_COLUMNS_H

#include "attribution/time/time_span.h"
#include "sql/rows/row_out.h"
#include "sql/tables/comm_cache.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;

/* The data of a row of the table "thread_state": a stored span. */
struct state_fact {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t work;	   /* serial of the innermost kernel context; 0: none */
	uint32_t function; /* the context's first function */
	uint32_t begin_error_ns;
	int32_t cpu;
	int32_t waker_tid;
	uint8_t time_class;
	uint8_t reason;
	bool is_provisional; /* its class is not known yet */
};

struct state_fact state_fact_of(const struct time_span *span);

/* The sources of the row's cells. */
struct state_columns {
	const struct attribution_input *input; /* borrowed */
	struct comm_cache comms;
};

struct state_columns state_columns_of(const struct attribution_input *input);
void state_columns_free(struct state_columns *columns);

/* Adds a row to @out. */
void state_columns_add(struct state_columns *columns, struct row_out *out,
		       const struct state_fact *fact);

#endif
