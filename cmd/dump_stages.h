/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DUMP_STAGES_H
#define KT_CMD_DUMP_STAGES_H

struct session;

/* Writes what one stage of the pipeline hands to the next, a line an item,
 * to session->out.
 *
 * Returns 0 or a negative enum error.
 */
typedef int dump_stage(const struct session *session);

dump_stage dump_records;	/* the sideband */
dump_stage dump_packets;	/* of the trace hardware */
dump_stage dump_blocks;		/* flow items */
dump_stage dump_events;		/* function events */

#endif
