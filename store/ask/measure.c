/* SPDX-License-Identifier: MIT */
#include "store/ask/measure.h"

#include <string.h>

static const struct measure measures[] = {
	{ "syscall", TABLE_SYSCALL, "call", "call", "wall_ns", "end_ns",
	  "ended = 'returned' AND is_recorder = 0" },
	{ "sleep", TABLE_SLEEP, "function", "coalesce(function, '[unseen]')",
	  "asleep_ns", "end_ns", "is_cut = 0 AND is_recorder = 0" },
	{ "runqueue", TABLE_THREAD_STATE, "comm", "comm", "duration_ns",
	  "end_ns", "class = 'runnable' AND is_recorder = 0" },
	{ "fault", TABLE_FAULT, "function", "function", "wall_ns", "end_ns",
	  "begin_unseen = 0 AND end_unseen = 0 AND is_recorder = 0" },
	{ "request", TABLE_REQUEST, "comm", "coalesce(comm, '?')", "wall_ns",
	  "begin_ns + wall_ns", "is_answered = 1" },
	{ "call", TABLE_CALL, "function", "function", "wall_ns", "end_ns",
	  "begin_unseen = 0 AND end_unseen = 0 AND part = 'work'" },
};

const struct measure *measure_at(size_t index)
{
	return index < sizeof(measures) / sizeof(*measures) ? &measures[index] :
							      NULL;
}

const struct measure *measure_find(const char *name)
{
	for (size_t i = 0; measure_at(i); i++)
		if (!strcmp(measures[i].name, name))
			return &measures[i];
	return NULL;
}
