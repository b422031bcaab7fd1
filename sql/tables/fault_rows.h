/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_FAULT_ROWS_H
#define KT_SQL_FAULT_ROWS_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "sql/tables/comm_cache.h"

struct row_out;
struct attribution_input;

/* Page faults and exceptions, assembled from the time spans that threads spent
 * in them.
 */
struct fault_rows {
	struct row_out *out;		       /* borrowed; or NULL */
	const struct attribution_input *input; /* borrowed */
	struct array threads;		       /* struct array by task index */
	int status;
};

struct fault_rows fault_rows_of(const struct attribution_input *input,
				struct row_out *out);
void fault_rows_free(struct fault_rows *rows);

/* Consumes the next span of a thread. */
void fault_rows_take(struct fault_rows *rows, const struct time_span *span);

/* Emits the faults that have not ended. */
void fault_rows_end(struct fault_rows *rows);

#endif
