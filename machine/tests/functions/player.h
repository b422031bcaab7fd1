/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PLAYER_H
#define KT_MACHINE_TESTS_PLAYER_H

#include "machine/tests/functions/detour.h"
#include "machine/tests/functions/replay.h"
#include "machine/tests/functions/stack_rules.h"

/* This is what a record of the truth means for the open functions of the task
 * that is on its CPU.
 */
struct player_cpu {
	uint32_t number;
	struct truth_reader reader;
	struct truth_event next;
	bool has_next;
	size_t task; /* index; SIZE_MAX: none yet */
	struct detours detours;
	struct truth_event vectored; /* led to a vector, that is under way */
	bool is_in_vector;
	uint64_t traced_from; /* tsc; 0: not in the kernel, or off */
};

struct player {
	struct replay *replay;
	const struct kernel_names *names;
	const struct stack_rules *rules;
	uint64_t first;
	uint64_t last;
	struct player_cpu cpus[REPLAY_CPUS];
};

/* The task of a TRUTH_SWITCH is on @cpu from now on. */
void player_switch(struct player *player, struct player_cpu *cpu,
		   const struct truth_event *event);

/* Any other record. */
void player_play(struct player *player, struct player_cpu *cpu,
		 const struct truth_event *event);

#endif
