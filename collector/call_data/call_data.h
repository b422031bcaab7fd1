/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CALL_DATA_CALL_DATA_H
#define KT_COLLECTOR_CALL_DATA_CALL_DATA_H

#include "collector/trigger/trigger_set.h"

/* Implements record --syscall-data: records the data to which the arguments of
 * system calls refer: strings, structures, and the files of descriptors.
 *
 *	sys_enter, sys_exit ─► BPF program ─► a sample for each call with data
 *	                          │            (common/formats/call_data.h)
 *	                          └ map of fetches, by the call's number
 *
 * Each sample describes itself: names of descriptors come from the kernel's own
 * table of the process's files at that time, not from earlier calls. So a
 * sample can be understood even if earlier calls were not recorded, because of
 * a time window, a snapshot or a loss.
 *
 * A BPF program cannot wait for a page fault. If an argument's page is not in
 * memory at the start of a call, the item is read again at the end, when the
 * call itself has used the page: the sample of sys_exit then has the item.
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

/* Opens the event of the samples and attaches the programs. Without the
 * kernel's types (/sys/kernel/btf/vmlinux), logs a warning and records no
 * files.
 *
 * Returns 0, or -ERROR_SYSTEM with the reason in the log.
 */
int call_data_record(struct call_data_recorder *recorder,
		     const struct trigger_setup *setup);

#endif
