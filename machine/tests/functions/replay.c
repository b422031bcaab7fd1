/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/replay.h"

#include "machine/tests/functions/player.h"

#include <stdlib.h>
#include <string.h>

static bool advance(const struct player *player, struct player_cpu *cpu)
{
	cpu->has_next = truth_reader_next(&cpu->reader, &cpu->next) &&
			cpu->next.tsc <= player->last;
	return cpu->has_next;
}

/* Plays the next record, preceded by the switch that it leads to. The function
 * entered belongs to the next task: it is on its stack already, or on the stack
 * that its only branch, the return, finds.
 */
static void step(struct player *player, struct player_cpu *cpu)
{
	struct truth_event event = cpu->next;

	if (advance(player, cpu) && cpu->next.kind == TRUTH_SWITCH &&
	    event.tsc >= player->first) {
		struct truth_event next = cpu->next;

		if (advance(player, cpu) && player->rules->switches_inside)
			event.sp = next.sp = cpu->next.sp;
		player_switch(player, cpu, &next);
	}
	if (event.tsc >= player->first)
		player_play(player, cpu, &event);
}

/* Returns the CPU with the earliest next record. */
static struct player_cpu *choose(struct player *player)
{
	struct player_cpu *best = NULL;

	for (uint32_t i = 0; i < player->replay->cpus; i++) {
		struct player_cpu *cpu = &player->cpus[i];

		if (cpu->has_next && (!best || cpu->next.tsc < best->next.tsc))
			best = cpu;
	}
	return best;
}

static bool open_cpus(struct player *player, const char *truth)
{
	for (uint32_t i = 0; i < REPLAY_CPUS && truth_has_cpu(truth, i); i++) {
		struct player_cpu *cpu = &player->cpus[i];

		if (!truth_reader_open_cpu(&cpu->reader, truth, i))
			return false;
		cpu->number = i;
		cpu->task = SIZE_MAX;
		player->replay->cpus = i + 1;
		advance(player, cpu);
	}
	return true;
}

bool replay_truth(struct replay *replay, const char *truth,
		  const struct kernel_names *names,
		  const struct stack_rules *rules, uint64_t first,
		  uint64_t last)
{
	struct player *player = calloc(1, sizeof(*player));
	struct player_cpu *cpu;
	bool good;

	if (!player)
		abort();
	memset(replay, 0, sizeof(*replay));
	player->replay = replay;
	player->names = names;
	player->rules = rules;
	player->first = first;
	player->last = last;
	good = open_cpus(player, truth);
	while (good && (cpu = choose(player)))
		step(player, cpu);
	for (uint32_t i = 0; i < replay->cpus; i++)
		truth_reader_close(&player->cpus[i].reader);
	free(player);
	return good;
}

void replay_free(struct replay *replay)
{
	for (size_t i = 0; i < replay->task_count; i++)
		frames_free(&replay->tasks[i]);
	for (uint32_t i = 0; i < REPLAY_CPUS; i++)
		free(replay->passages[i].items);
	free(replay->tasks);
}
