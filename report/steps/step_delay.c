/* SPDX-License-Identifier: MIT */
#include "report/steps/step_delay.h"

#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <stdlib.h>

struct waiting {
	struct call_step step;
	bool is_open;  /* an entry whose exit has not arrived */
	bool is_short; /* an entry to be left out */
};

/* The open entries of one task, by serial number in the queue. */
struct task_entries {
	struct array numbers; /* uint64_t */
};

struct step_delay {
	struct step_callback callback;
	struct step_callback *next;
	uint64_t min_ns;
	struct waiting *ring;
	uint64_t room;	    /* a power of two */
	uint64_t first;	    /* serial number of the oldest delayed event */
	uint64_t end;	    /* serial number of the next event */
	struct array tasks; /* struct task_entries by task index */
	int status;
};

static struct waiting *at(const struct step_delay *delay, uint64_t number)
{
	return &delay->ring[number & (delay->room - 1)];
}

static int grow(struct step_delay *delay)
{
	uint64_t room = delay->room ? delay->room * 2 : 1024;
	struct waiting *ring = calloc(room, sizeof(*ring));

	if (!ring)
		return -ERROR_MEMORY;
	for (uint64_t i = delay->first; i < delay->end; i++)
		ring[i & (room - 1)] = *at(delay, i);
	free(delay->ring);
	delay->ring = ring;
	delay->room = room;
	return 0;
}

static int append(struct step_delay *delay, const struct call_step *step,
		  bool is_open)
{
	if (delay->end - delay->first == delay->room && grow(delay) < 0)
		return -ERROR_MEMORY;
	*at(delay, delay->end++) = (struct waiting){
		.step = *step,
		.is_open = is_open,
	};
	return 0;
}

static struct array *entries_of(struct step_delay *delay, uint32_t task)
{
	while (delay->tasks.count <= task) {
		struct task_entries *entries = array_add(&delay->tasks);

		if (!entries)
			return NULL;
		entries->numbers = ARRAY_OF(uint64_t);
	}
	return &((struct task_entries *)array_at(&delay->tasks, task))->numbers;
}

static int enter(struct step_delay *delay, struct array *entries,
		 const struct call_step *step)
{
	uint64_t *number = array_add(entries);

	if (!number)
		return -ERROR_MEMORY;
	*number = delay->end;
	return append(delay, step, true);
}

static int leave(struct step_delay *delay, struct array *entries,
		 const struct call_step *step)
{
	uint64_t number = *(uint64_t *)array_at(entries, entries->count - 1);

	entries->count--;
	/* Entries that were passed on have already lasted long enough. */
	if (number < delay->first)
		return append(delay, step, false);
	at(delay, number)->is_open = false;
	at(delay, number)->is_short = step->wall_ns < delay->min_ns;
	return at(delay, number)->is_short ? 0 : append(delay, step, false);
}

static void pass_on(struct step_delay *delay, uint64_t now_ns)
{
	for (; delay->first < delay->end; delay->first++) {
		const struct waiting *oldest = at(delay, delay->first);

		if (oldest->is_open &&
		    now_ns < oldest->step.time_ns + delay->min_ns)
			break;
		if (!oldest->is_short)
			delay->next->take(delay->next, &oldest->step);
	}
}

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct step_delay *delay = (struct step_delay *)callback;
	struct array *entries = entries_of(delay, step->task->index);
	int status = -ERROR_MEMORY;

	if (!entries)
		delay->status = status;
	else if (step->kind == STEP_ENTER)
		status = enter(delay, entries, step);
	else if (step->kind == STEP_EXIT && entries->count)
		status = leave(delay, entries, step);
	else
		status = append(delay, step, false);
	if (status < 0)
		delay->status = status;
	pass_on(delay, step->time_ns);
}

struct step_delay *step_delay_new(uint64_t min_ns, struct step_callback *next)
{
	struct step_delay *delay = calloc(1, sizeof(*delay));

	if (!delay)
		return NULL;
	delay->callback.take = take;
	delay->next = next;
	delay->min_ns = min_ns;
	delay->tasks = ARRAY_OF(struct task_entries);
	return delay;
}

void step_delay_free(struct step_delay *delay)
{
	if (!delay)
		return;
	for (size_t i = 0; i < delay->tasks.count; i++) {
		struct task_entries *entries = array_at(&delay->tasks, i);

		array_free(&entries->numbers);
	}
	array_free(&delay->tasks);
	free(delay->ring);
	free(delay);
}

struct step_callback *step_delay_callback(struct step_delay *delay)
{
	return &delay->callback;
}

int step_delay_end(struct step_delay *delay)
{
	pass_on(delay, UINT64_MAX);
	return delay->status;
}
