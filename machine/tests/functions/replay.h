/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_REPLAY_H
#define KT_MACHINE_TESTS_REPLAY_H

#include "machine/tests/functions/stack_rules.h"
#include "machine/tests/functions/task_frames.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_CPUS = 16 };

/* The truth of an interval of TSC as function entries and exits. */
struct replay {
	struct passages passages[REPLAY_CPUS]; /* of each CPU, in order */
	struct task_frames *tasks;
	size_t task_count;
	uint32_t cpus;
	/* times the trace was off and resumed */
	uint64_t pauses;
	uint64_t kernel_ticks[REPLAY_CPUS]; /* traced time in the kernel */
	uint64_t switches[REPLAY_CPUS];
};

/* Reads DIR/truth.* from @first to @last. Returns false, after a message on
 * stderr, if there is none.
 */
bool replay_truth(struct replay *replay, const char *truth,
		  const struct kernel_names *names,
		  const struct stack_rules *rules, uint64_t first,
		  uint64_t last);
void replay_free(struct replay *replay);

#endif
