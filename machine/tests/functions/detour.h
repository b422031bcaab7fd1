/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_DETOUR_H
#define KT_MACHINE_TESTS_DETOUR_H

#include "machine/tests/conformance/truth_reader.h"
#include "machine/tests/functions/kernel_names.h"

/* A transfer of control through thunks, which counts as one transfer from its
 * first branch to its destination.
 */
struct detour {
	bool is_active;
	uint8_t kind; /* of its first branch, enum truth_kind */
	bool is_return;
	const struct kernel_name *from;
	uint64_t site; /* address of the first branch */
	uint64_t sp;
	uint64_t broken_at; /* address of the interruption */
};

enum { DETOURS_MOST = 8 };

/* The detours of one CPU. */
struct detours {
	struct detour now;
	struct detour broken[DETOURS_MOST];
	size_t broken_count;
};

/* Consumes a near branch. Returns true if it is not in a thunk any more:
 * @detours->now is the source of the transfer, and @event the destination.
 */
bool detours_follow(struct detours *detours, const struct truth_event *event,
		    const struct kernel_name *from,
		    const struct kernel_name *to);

/* Save the detour of a thunk that is interrupted at @address, and restore it
 * when the interrupt returns there.
 */
void detours_break(struct detours *detours, uint64_t address);
void detours_mend(struct detours *detours, uint64_t address);

#endif
