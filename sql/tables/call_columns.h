/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CALL_COLUMNS_H
#define KT_SQL_CALL_COLUMNS_H

#include "report/profile/profile.h"
#include "report/steps/call_step.h"
#include "sql/rows/row_chunk.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;

/* The columns of the table "call". */
enum call_column {
	CALL_BEGIN,
	CALL_END,
	CALL_WALL,
	CALL_ON_CPU,
	CALL_SELF,
	CALL_CPU,
	CALL_PID,
	CALL_TID,
	CALL_COMM,
	CALL_DEPTH,
	CALL_FUNCTION,
	CALL_MODULE,
	CALL_FUNCTION_ID,
	CALL_CALLER,
	CALL_CALLER_ID,
	CALL_HOW,
	CALL_PART,
	CALL_BEGIN_UNSEEN,
	CALL_END_UNSEEN,
	CALL_NOT_ALL_SEEN,
	CALL_COLUMNS,
};

/* Data of a call that its last step does not have. */
struct call_facts {
	uint64_t begin_ns;
	uint64_t self_ns;
	uint32_t depth;
	uint32_t cpu; /* CPU of the call's start */
	enum profile_part part;
	bool has_caller;
	uint32_t caller;
};

/* Fills in all cells except CALL_COMM. */
void call_columns_fill(union sql_cell *cells,
		       const struct function_table *functions,
		       const struct call_step *step,
		       const struct call_facts *facts);

#endif
