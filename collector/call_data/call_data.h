/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CALL_DATA_CALL_DATA_H
#define KT_COLLECTOR_CALL_DATA_CALL_DATA_H

#include "collector/trigger/trigger_set.h"

/* record --syscall-data: what the arguments of system calls refer to: strings,
 * structures, and the files of descriptors.
 *
 *	sys_enter, sys_exit ─► BPF program ─► a sample for each call with any
 *	                          │            (common/formats/call_data.h)
 *	                          └ map of fetches, by the call's number
 *
 * Each sample describes itself: names of descriptors come from the kernel's own
 * table of the process's files at that time, not from earlier calls. So a
 * window, a snapshot or a loss changes nothing for the calls that are there.
 *
 * The kernel reads a program's memory without waiting for it. A page that is
 * not in memory at the start of a call is there at its end, because the call
 * used it: then the end's sample has the item.
 *
 * Invariants: as in trigger_set.h. The recorder's own calls have no samples.
 */
struct call_data_recorder {
	struct trigger_set set;
	struct trigger own; /* for messages and the output's event */
};

struct call_data_recorder call_data_recorder_new(void);

/* Detaches the programs. The events must be closed. */
void call_data_recorder_free(struct call_data_recorder *recorder);

/* Opens the output's event and attaches the programs. Without the kernel's
 * types (/sys/kernel/btf/vmlinux) files have no names, which is logged.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_SYSTEM with the reason in the log.
 */
int call_data_record(struct call_data_recorder *recorder,
		     const struct trigger_setup *setup);

#endif
