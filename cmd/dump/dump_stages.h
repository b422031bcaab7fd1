/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DUMP_STAGES_H
#define KT_CMD_DUMP_STAGES_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* State of a dump. */
struct dump {
	const struct session *session;
	uint64_t left; /* lines that may still be written */
};

/* Writes the output of one stage of the pipeline to session->out, one line per
 * item.
 *
 * Returns 0 or a negative enum error.
 */
typedef int dump_stage(struct dump *dump);

/* Returns whether to write the item at @time_ns, and counts it if so. */
bool dump_wants(struct dump *dump, uint64_t time_ns);

/* Returns whether a stream that has reached @time_ns has no more items to
 * write.
 */
bool dump_is_done(const struct dump *dump, uint64_t time_ns);

/* Returns whether @cpu is among the selected CPUs. */
bool dump_wants_cpu(const struct dump *dump, int32_t cpu);

dump_stage dump_records; /* the sideband */
dump_stage dump_packets; /* trace packets */
dump_stage dump_blocks;	 /* flow items */
dump_stage dump_events;	 /* function events */

#endif
