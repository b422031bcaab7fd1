/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DUMP_DUMP_STAGES_H
#define KT_CMD_DUMP_DUMP_STAGES_H

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

dump_stage dump_records; /* records of the kernel and perf */
dump_stage dump_packets; /* trace packets */
dump_stage dump_blocks;	 /* executed blocks, switches and gaps */
dump_stage dump_events;	 /* function events */

#endif
