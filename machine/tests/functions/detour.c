/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/detour.h"

#include <string.h>

static bool is_thunk(const struct kernel_name *name)
{
	return name->kind == KIND_RETURN_THUNK ||
	       name->kind == KIND_INDIRECT_THUNK;
}

static bool is_call(uint8_t kind)
{
	return kind == TRUTH_CALL || kind == TRUTH_INDIRECT_CALL;
}

bool detours_follow(struct detours *detours, const struct truth_event *event,
		    const struct kernel_name *from,
		    const struct kernel_name *to)
{
	struct detour *now = &detours->now;

	if (!now->is_active || !is_thunk(from))
		*now = (struct detour){
			.kind = event->kind,
			.is_return = event->kind == TRUTH_RETURN,
			.from = from,
			.site = event->from,
			.sp = event->sp,
		};
	if (is_thunk(to) && !now->is_active) {
		now->is_active = true;
		now->is_return |= to->kind == KIND_RETURN_THUNK &&
				  !is_call(now->kind);
	}
	/* The return at a thunk's end determines the stack pointer. */
	if (now->is_return && event->kind == TRUTH_RETURN)
		now->sp = event->sp;
	if (is_thunk(to))
		return false;
	now->is_active = false;
	return true;
}

void detours_break(struct detours *detours, uint64_t address)
{
	if (!detours->now.is_active)
		return;
	if (detours->broken_count == DETOURS_MOST) {
		memmove(detours->broken, detours->broken + 1,
			(DETOURS_MOST - 1) * sizeof(*detours->broken));
		detours->broken_count--;
	}
	detours->now.broken_at = address;
	detours->broken[detours->broken_count++] = detours->now;
	detours->now.is_active = false;
}

void detours_mend(struct detours *detours, uint64_t address)
{
	for (size_t i = detours->broken_count; i-- > 0;) {
		if (detours->broken[i].broken_at != address)
			continue;
		detours->now = detours->broken[i];
		detours->broken_count = i;
		return;
	}
}
