/* SPDX-License-Identifier: MIT */
#include "explain/lives_internal.h"

#include "attribution/allowed_cpus.h"
#include "common/error.h"
#include "common/maps.h"
#include "symbolize/functions/function_table.h"

#include <string.h>

/* More CPUs than any kernel supports; only damaged recordings exceed it. */
enum { MOST_CPUS = 1 << 16 };

void lives_free(struct lives *lives)
{
	for (size_t i = 0; i < lives->threads.count; i++) {
		struct life *life = array_at(&lives->threads, i);

		array_free(&life->rows);
		array_free(&life->births);
	}
	for (size_t i = 0; i < lives->cpus.count; i++)
		array_free(array_at(&lives->cpus, i));
	array_free(&lives->threads);
	array_free(&lives->parts);
	array_free(&lives->sleeps);
	array_free(&lives->cpus);
	keyed_array_free(&lives->calls);
	string_pool_free(lives->files);
}

/* Returns the number of @file + 1; 0 if it is NULL, or when out of memory. */
static uint32_t add_file(struct lives *lives, const char *file)
{
	if (file && !lives->files)
		lives->files = string_pool_new();
	/* STRING_POOL_NONE + 1 is 0. */
	return file && lives->files ?
		       string_pool_add(lives->files, file, strlen(file)) + 1 :
		       0;
}

uint32_t lives_add_call(struct lives *lives, uint32_t function,
			const char *file)
{
	const struct life_call *call = keyed_array_add(
		&lives->calls, &(struct life_call){
				       .function = function,
				       .file = add_file(lives, file),
			       });

	return call ? (uint32_t)(call -
				 (struct life_call *)lives->calls.items.items) :
		      LIFE_NONE;
}

static const struct life_call *call_at(const struct lives *lives, uint32_t call)
{
	return call < lives->calls.items.count ?
		       array_at(&lives->calls.items, call) :
		       NULL;
}

uint32_t lives_call_function(const struct lives *lives, uint32_t call)
{
	const struct life_call *known = call_at(lives, call);

	return known ? known->function : FUNCTION_NONE;
}

const char *lives_call_file(const struct lives *lives, uint32_t call)
{
	const struct life_call *known = call_at(lives, call);

	return known && known->file ?
		       string_pool_text(lives->files, known->file - 1) :
		       NULL;
}

struct life *lives_reach(struct lives *lives, uint32_t thread)
{
	if (thread == LIFE_NONE)
		return NULL;
	return array_reach_like(
		&lives->threads, thread,
		&(struct life){ .tid = -1,
				.pid = -1,
				.priority = -1,
				.rows = ARRAY_OF(struct life_row),
				.births = ARRAY_OF(struct life_birth) });
}

void lives_set_priority(struct lives *lives, uint32_t thread, int64_t priority)
{
	struct life *life = lives_reach(lives, thread);

	if (life)
		life->priority = (int32_t)priority;
}

void lives_start(struct lives *lives, uint32_t thread, uint64_t time_ns)
{
	struct life *life = lives_reach(lives, thread);
	struct life_birth *birth;

	if (!life || !life->births.count)
		return;
	birth = array_at(&life->births, life->births.count - 1);
	birth->time_ns = time_ns;
}

const struct life *lives_at(const struct lives *lives, uint32_t thread)
{
	return thread < lives->threads.count ?
		       array_at(&lives->threads, thread) :
		       NULL;
}

const struct life_row *life_before(const struct life *life, uint64_t time_ns)
{
	size_t count = array_count_below(
		&life->rows, KEYS(RISING(struct life_row, begin_ns)), time_ns);

	return count ? array_at(&life->rows, count - 1) : NULL;
}

const struct life_birth *life_birth_by(const struct life *life,
				       uint64_t time_ns)
{
	const struct life_birth *births = life->births.items;
	size_t count = life->births.count;

	while (count && births[count - 1].time_ns > time_ns)
		count--;
	return count ? &births[count - 1] : NULL;
}

const struct life_sleep *lives_sleep(const struct lives *lives,
				     const struct life_row *row)
{
	return row->kind == LIFE_SLEEPS && row->detail < lives->sleeps.count ?
		       array_at(&lives->sleeps, row->detail) :
		       NULL;
}

int lives_switch(struct lives *lives, uint32_t cpu,
		 const struct life_switch *change)
{
	struct array *list;

	/* Per-thread traces have no CPU. */
	if (cpu >= MOST_CPUS)
		return 0;
	list = array_reach_like(&lives->cpus, cpu,
				&ARRAY_OF(struct life_switch));
	return list ? array_append(list, change) : -ERROR_MEMORY;
}

const struct array *lives_switches(const struct lives *lives, uint32_t cpu,
				   uint64_t time_ns, size_t *first)
{
	const struct array *list =
		cpu < lives->cpus.count ? array_at(&lives->cpus, cpu) : NULL;

	if (!list)
		return NULL;
	*first = array_count_up_to(
		list, KEYS(RISING(struct life_switch, time_ns)), time_ns);
	*first -= *first > 0;
	return list;
}

/* Adds when CPU @cpu was idle in @window, by the list of its switches, of which
 * @first is in effect when it begins.
 */
static int add_idle(const struct lives *lives, int32_t tid, uint32_t cpu,
		    const struct array *switches, size_t first,
		    struct time_window window, struct idle_elsewhere *idle)
{
	int status = 0;

	for (size_t i = first; i < switches->count && !status; i++) {
		const struct life_switch *change = array_at(switches, i);
		const struct life_switch *next =
			i + 1 < switches->count ? change + 1 : NULL;
		const struct time_window part = {
			time_window_clip(window, change->time_ns),
			next ? time_window_clip(window, next->time_ns) :
			       window.until_ns,
		};

		if (change->time_ns >= window.until_ns)
			break;
		if (change->is_idle && part.since_ns < part.until_ns)
			status = idle_elsewhere_add(idle, lives->allowed, tid,
						    cpu, part);
	}
	return status;
}

int lives_forbidden(const struct lives *lives, uint32_t thread,
		    struct time_window window, struct array *parts)
{
	const struct life *life = lives_at(lives, thread);
	struct idle_elsewhere idle = IDLE_ELSEWHERE_NONE;
	int status = 0;

	if (!life || !lives->allowed)
		return 0;
	for (uint32_t i = 0; i < lives->cpus.count && !status; i++) {
		size_t first = 0;
		const struct array *switches =
			lives_switches(lives, i, window.since_ns, &first);

		if (switches)
			status = add_idle(lives, life->tid, i, switches, first,
					  window, &idle);
	}
	if (!status)
		status = idle_elsewhere_forbidden(&idle, parts);
	idle_elsewhere_free(&idle);
	return status;
}

void lives_loop_returns(struct lives *lives, uint32_t thread, uint32_t call,
			uint64_t begin_ns, uint64_t end_ns)
{
	struct life *life = lives_reach(lives, thread);
	struct life_loop *loop = life ? &life->loop : NULL;

	if (!loop)
		return;
	if (loop->returns && begin_ns > loop->last_ns &&
	    begin_ns - loop->last_ns >
		    loop->held_end_ns - loop->held_begin_ns) {
		loop->held_begin_ns = loop->last_ns;
		loop->held_end_ns = begin_ns;
	}
	loop->returns++;
	loop->call = call;
	loop->last_ns = end_ns;
}
