/* SPDX-License-Identifier: MIT */
#include "execution/walk/execution.h"

#include <assert.h>
#include <string.h>

size_t event_marks_ready(const struct event_marks *marks, size_t records,
			 bool all)
{
	size_t count = marks->count;

	while (count && !all && marks->marks[count - 1].index >= records)
		count--;
	return count;
}

void event_marks_drop(struct event_marks *marks, size_t count, size_t records)
{
	size_t left = marks->count - count;

	assert(count <= marks->count);
	memmove(marks->marks, marks->marks + count,
		left * sizeof(*marks->marks));
	marks->count = left;
	for (size_t i = 0; records && i < left; i++) {
		assert(marks->marks[i].index >= records);
		marks->marks[i].index -= (uint32_t)records;
	}
}

void execution_reset(struct execution *execution)
{
	execution->block = BLOCK_NONE;
	execution->sets.current = INSTRUCTION_X86_64;
	execution->sets.next = INSTRUCTION_X86_64;
	execution->sets.listed = INSTRUCTION_SETS;
	execution->targets_ahead = 0;
	execution->page_table = 0;
	execution->guest.page_table = 0;
	execution->guest.machine = 0;
	execution->guest.state = GUEST_NONE;
	execution->evidence = (struct user_evidence){
		.switches = -1,
		.is_table_lost = true,
	};
	execution->sync.low_ns = 0;
	execution->sync.high_ns = UINT64_MAX;
	execution->calls.nmi_return = NO_NMI;
	execution_forget_time(execution, UINT64_MAX);
	execution->is_lost = true;
	execution->is_off = false;
	execution->outside = false;
	execution->has_wrong_ip_base = false;
	execution->calls.untraced = 0;
	execution_forget_source(execution, EXIT_UNTRACED);
	event_times_init(&execution->times);
}

void execution_set_conversion(struct execution *execution,
			      const struct time_conversion *conversion)
{
	execution->conversion = conversion;
	execution->scale = tick_scale_of(conversion);
}

void execution_forget_source(struct execution *execution, uint8_t exit)
{
	execution->exit = exit;
	execution->edge_kind = EDGE_KIND_OTHER;
	execution->from = BLOCK_NONE;
	execution->calls.fold.active = false;
	execution->calls.folds.count = 0;
}
