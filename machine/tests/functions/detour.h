/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_DETOUR_H
#define KT_MACHINE_TESTS_DETOUR_H

#include "machine/tests/conformance/truth_reader.h"
#include "machine/tests/functions/kernel_names.h"

/* A transfer of control by way of thunks is one, from where it began to where
 * it ends.
 */
struct detour {
	bool is_active;
	uint8_t kind; /* of the branch that began it, enum truth_kind */
	bool is_return;
	const struct kernel_name *from;
	uint64_t site; /* where from is */
	uint64_t sp;
	uint64_t broken_at; /* interrupted there */
};

enum { DETOURS_MOST = 8 };

/* One CPU's. */
struct detours {
	struct detour now;
	struct detour broken[DETOURS_MOST];
	size_t broken_count;
};

/* A near branch.  True if it left all thunks: @detours->now says from where,
 * and @event where to.
 */
bool detours_follow(struct detours *detours, const struct truth_event *event,
		    const struct kernel_name *from,
		    const struct kernel_name *to);

/* A thunk that is interrupted at @address goes on when the interrupt is over
 * and returns there.
 */
void detours_break(struct detours *detours, uint64_t address);
void detours_mend(struct detours *detours, uint64_t address);

#endif
