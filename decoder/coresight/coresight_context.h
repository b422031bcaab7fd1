/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CONTEXT_H
#define KT_DECODER_CORESIGHT_CONTEXT_H

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stdint.h>

struct coresight_code;
struct coresight_items;
struct coresight_unit;
struct task_ids;

/* As in FLOW_MODE. */
enum coresight_mode {
	CORESIGHT_MODE_32 = 1,
	CORESIGHT_MODE_64 = 2,
};

/* The CPU's state according to the trace: its mode and the running task. */
struct coresight_context {
	/* NULL: sideband records report the running task */
	struct task_ids *tasks;
	uint8_t mode;	  /* enum coresight_mode; 0 before the first */
	int64_t task;	  /* last task in the trace, or -1 */
	bool named_tasks; /* the trace contained a task ID other than 0 */
};

/* Consumes a context from the trace of @unit: adds changes to @items, and
 * switches @code to the task's code.
 */
void coresight_context_take(struct coresight_context *context,
			    const struct coresight_unit *unit,
			    struct coresight_items *items,
			    struct coresight_code *code,
			    const ocsd_pe_context *said);

#endif
