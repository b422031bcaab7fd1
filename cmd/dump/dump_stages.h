/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DUMP_STAGES_H
#define KT_CMD_DUMP_STAGES_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* One dump being written. */
struct dump {
	const struct session *session;
	uint64_t left; /* lines that may still be written */
};

/* Writes what one stage of the pipeline hands to the next, a line an item,
 * to session->out.
 *
 * Returns 0 or a negative enum error.
 */
typedef int dump_stage(struct dump *dump);

/* Returns whether the item of @time_ns is to be written, and counts it. */
bool dump_wants(struct dump *dump, uint64_t time_ns);

/* Returns whether nothing of a stream that has come to @time_ns is still
 * wanted.
 */
bool dump_is_done(const struct dump *dump, uint64_t time_ns);

/* Returns whether what ran on @cpu is to be looked at. */
bool dump_wants_cpu(const struct dump *dump, int32_t cpu);

dump_stage dump_records; /* the sideband */
dump_stage dump_packets; /* of the trace hardware */
dump_stage dump_blocks;	 /* flow items */
dump_stage dump_events;	 /* function events */

#endif
