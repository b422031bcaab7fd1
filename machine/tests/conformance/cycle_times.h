/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_CYCLE_TIMES_H
#define KT_MACHINE_TESTS_CYCLE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* The time at each byte of a stream with cycle counts: the last TSC packet plus
 * the CYC packets since. A cycle of the virtual CPU is a tick of its TSC.
 * (libipt measures the CPU's frequency from TSC to TSC, and mistakes untraced
 * time for a very slow CPU.)
 */
struct cycle_times {
	struct cycle_time *times;
	size_t count;
	size_t at;		 /* position of the last query */
	struct cycle_time *ends; /* of the TIP.PGD packets only */
	size_t end_count;
	size_t end_at;
};

struct cycle_time {
	uint64_t offset; /* of the packet's end */
	uint64_t tsc;
};

void cycle_times_init(struct cycle_times *times, uint8_t *bytes, size_t size);
void cycle_times_fini(struct cycle_times *times);

/* Returns the time of the packets before @offset; @offset must not decrease
 * from one call to the next.
 */
uint64_t cycle_times_at(struct cycle_times *times, uint64_t offset);

/* Returns the time of the last TIP.PGD packet before @offset: libipt has often
 * read on by the time it reports that the trace was disabled.
 */
uint64_t cycle_times_at_end(struct cycle_times *times, uint64_t offset);

#endif
