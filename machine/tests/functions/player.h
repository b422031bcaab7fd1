/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PLAYER_H
#define KT_MACHINE_TESTS_PLAYER_H

#include "machine/tests/functions/detour.h"
#include "machine/tests/functions/replay.h"
#include "machine/tests/functions/stack_rules.h"

/* Applies the truth's records to the open functions of the task on each CPU. */
struct player_cpu {
	uint32_t number;
	struct truth_reader reader;
	struct truth_event next;
	bool has_next;
	size_t task; /* index; SIZE_MAX: none yet */
	struct detours detours;
	/* branch to an exception vector that is still running */
	struct truth_event vectored;
	bool is_in_vector;
	uint64_t traced_from; /* tsc; 0: in user space, or trace off */
};

struct player {
	struct replay *replay;
	const struct kernel_names *names;
	const struct stack_rules *rules;
	uint64_t first;
	uint64_t last;
	struct player_cpu cpus[REPLAY_CPUS];
};

/* Puts the task of a TRUTH_SWITCH on @cpu. */
void player_switch(struct player *player, struct player_cpu *cpu,
		   const struct truth_event *event);

/* Applies any other record. */
void player_play(struct player *player, struct player_cpu *cpu,
		 const struct truth_event *event);

#endif
