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

/* As FLOW_MODE has it. */
enum coresight_mode {
	CORESIGHT_MODE_32 = 1,
	CORESIGHT_MODE_64 = 2,
};

/* What the trace says of the CPU's state: its mode, and who runs. */
struct coresight_context {
	struct task_ids *tasks; /* NULL: other records tell who runs */
	uint8_t mode;		/* enum coresight_mode; 0 before the first */
	int64_t task;		/* that the trace named last, or -1 */
	bool named_tasks;	/* it named one that is not 0 */
};

/* Takes what the trace of @unit says: what is new of it is added to @items, and
 * @code is that task's.
 */
void coresight_context_take(struct coresight_context *context,
			    const struct coresight_unit *unit,
			    struct coresight_items *items,
			    struct coresight_code *code,
			    const ocsd_pe_context *said);

#endif
