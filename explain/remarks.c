/* SPDX-License-Identifier: MIT */
#include "explain/remarks_internal.h"

#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"

#include <string.h>

enum {
	LEAST_SHARE = 10, /* a remark is about at least 1/10 of the path */
	/* A thread with fewer returns to the call (struct life_loop) is not an
	 * event loop.
	 */
	LEAST_RETURNS = 8,
	/* Two threads take turns if they sleep in the call at once for at most
	 * 1/50 of the time for which the other one does.
	 */
	TOGETHER_SHARE = 50,
};

/* Returns the thread whose work @link is: the waiter, if a server or a kernel
 * thread works for it; otherwise the thread of @link. (The owner of a lock is
 * itself a thread of the command.)
 */
static uint32_t worker_of(const struct path_link *link)
{
	for (uint32_t i = 0; i < link->cause_count; i++)
		if (link->causes[i].kind == CAUSE_REPLY ||
		    link->causes[i].kind == CAUSE_HELPER)
			return link->causes[i].waiter;
	return link->thread;
}

static int32_t parent_of(const struct path_options *options,
			 const struct life *life)
{
	const struct life_birth *birth = life_birth_by(life, UINT64_MAX);
	const struct life *parent =
		birth ? lives_at(options->lives, birth->parent) : NULL;

	return parent ? parent->pid : -1;
}

/* Returns whether @a and @b are workers of one pool. */
static bool are_mates(const struct path_options *options,
		      const struct task_names *names, const struct life *a,
		      const struct life *b)
{
	bool is_process = a->tid == a->pid;

	if (a->tid <= 0 || b->tid <= 0 || is_process != (b->tid == b->pid))
		return false;
	if (is_process ?
		    parent_of(options, a) < 0 ||
			    parent_of(options, a) != parent_of(options, b) :
		    a->pid != b->pid)
		return false;
	return !strcmp(task_names_last(names, a->tid),
		       task_names_last(names, b->tid));
}

/* Returns whether the thread of @row waits for another thread, as a worker
 * waits for work.
 */
static bool is_idle(const struct path_options *options,
		    const struct life_row *row)
{
	const struct life_sleep *sleep = lives_sleep(options->lives, row);

	return sleep && sleep->wake != WAKE_BY_INTERRUPT &&
	       (sleep->wake != WAKE_BY_THREAD ||
		!options->is_kernel(options->ctx, sleep->waker));
}

/* Returns the time up to which @life last worked, at most @end_ns; 0 if it did
 * not work before @end_ns.
 */
static uint64_t worked_until(const struct path_options *options,
			     const struct life *life, uint64_t end_ns)
{
	const struct life_row *first = life->rows.items;
	const struct life_row *row = life_before(life, end_ns);

	while (row && is_idle(options, row))
		row = row == first ? NULL : row - 1;
	if (!row)
		return 0;
	return row->end_ns < end_ns ? row->end_ns : end_ns;
}

static bool is_long(const struct path_options *options, uint64_t begin_ns,
		    uint64_t end_ns)
{
	return end_ns > begin_ns &&
	       end_ns - begin_ns >=
		       (options->end_ns - options->begin_ns) / LEAST_SHARE;
}

/* Ends the current stretch, a part of the path in one thread without a break.
 * Its thread becomes the last worker if no other worker of its pool worked in
 * the last part of the stretch, and that part is longer than the longest one so
 * far.
 */
static void end_stretch(struct last_worker *last,
			const struct path_options *options,
			const struct task_names *names)
{
	const struct life *worker =
		lives_at(options->lives, last->stretch_thread);
	const struct life_row *first = worker ? worker->rows.items : NULL;
	uint64_t begin_ns = last->stretch_begin_ns;
	const uint64_t end_ns = last->stretch_end_ns;
	uint32_t workers = 1;

	if (!first || !is_long(options, begin_ns, end_ns) ||
	    !options->is_chosen(options->ctx, last->stretch_thread))
		return;
	for (uint32_t i = 0; i < options->lives->threads.count; i++) {
		const struct life *mate = lives_at(options->lives, i);
		uint64_t until_ns;

		if (mate == worker || !are_mates(options, names, worker, mate))
			continue;
		until_ns = worked_until(options, mate, end_ns);
		if (until_ns <= first->begin_ns)
			continue;
		workers++;
		if (until_ns > begin_ns)
			begin_ns = until_ns;
	}
	if (workers == 1 || !is_long(options, begin_ns, end_ns) ||
	    end_ns - begin_ns <= last->end_ns - last->begin_ns)
		return;
	last->thread = last->stretch_thread;
	last->workers = workers;
	last->begin_ns = begin_ns;
	last->end_ns = end_ns;
}

void last_worker_consume(struct last_worker *last,
			 const struct path_options *options,
			 const struct task_names *names,
			 const struct path_link *link)
{
	uint32_t thread = worker_of(link);

	if (thread != last->stretch_thread ||
	    link->end_ns < last->stretch_begin_ns) {
		end_stretch(last, options, names);
		last->stretch_thread = thread;
		last->stretch_begin_ns = link->begin_ns;
		last->stretch_end_ns = link->end_ns;
	}
	if (link->begin_ns < last->stretch_begin_ns)
		last->stretch_begin_ns = link->begin_ns;
}

void last_worker_end(struct last_worker *last,
		     const struct path_options *options,
		     const struct task_names *names)
{
	end_stretch(last, options, names);
	last->stretch_thread = LIFE_NONE;
}

static const struct life_row *row_at(const struct life *life, size_t index)
{
	return array_at(&life->rows, index);
}

static bool is_call(const struct lives *lives, uint32_t call, uint32_t function)
{
	return function != FUNCTION_NONE &&
	       lives_call_function(lives, call) == function;
}

/* Returns whether the thread of @row sleeps in the system call @function. */
static bool sleeps_in(const struct lives *lives, const struct life_row *row,
		      uint32_t function)
{
	const struct life_sleep *sleep =
		row->kind == LIFE_SLEEPS ? lives_sleep(lives, row) : NULL;

	return sleep && is_call(lives, sleep->call, function);
}

/* Returns whether the thread of @row is in the system call @function at some
 * time.
 */
static bool is_in(const struct lives *lives, const struct life_row *row,
		  uint32_t function)
{
	for (uint32_t i = 0; row->kind == LIFE_RUNS && i < row->part_count;
	     i++) {
		const struct life_part *part =
			array_at(&lives->parts, row->first_part + i);

		if (part->kind == WORK_CALL &&
		    is_call(lives, part->function, function))
			return true;
	}
	return sleeps_in(lives, row, function);
}

/* Returns whether @life is in the system call @function between @begin_ns and
 * @end_ns.
 */
static bool calls_between(const struct lives *lives, const struct life *life,
			  uint32_t function, uint64_t begin_ns, uint64_t end_ns)
{
	for (size_t i = 0; i < life->rows.count; i++) {
		const struct life_row *row = row_at(life, i);

		if (row->begin_ns >= end_ns)
			return false;
		if (row->end_ns > begin_ns && is_in(lives, row, function))
			return true;
	}
	return false;
}

/* Returns for how long both threads sleep in the system call @function at once,
 * and adds the time for which @b does to *@b_ns.
 */
static uint64_t sleep_together_ns(const struct lives *lives,
				  const struct life *a, const struct life *b,
				  uint32_t function, uint64_t *b_ns)
{
	uint64_t both_ns = 0;
	size_t first = 0;

	for (size_t i = 0; i < b->rows.count; i++) {
		const struct life_row *row = row_at(b, i);

		if (!sleeps_in(lives, row, function))
			continue;
		*b_ns += row->end_ns - row->begin_ns;
		while (first < a->rows.count &&
		       row_at(a, first)->end_ns <= row->begin_ns)
			first++;
		for (size_t j = first;
		     j < a->rows.count && row_at(a, j)->begin_ns < row->end_ns;
		     j++) {
			const struct life_row *other = row_at(a, j);
			uint64_t begin_ns = other->begin_ns > row->begin_ns ?
						    other->begin_ns :
						    row->begin_ns;
			uint64_t end_ns = other->end_ns < row->end_ns ?
						  other->end_ns :
						  row->end_ns;

			if (sleeps_in(lives, other, function))
				both_ns += end_ns - begin_ns;
		}
	}
	return both_ns;
}

/* Returns whether another thread of the process waited for the events of
 * @thread's loop while this one was held. In Go, and in Rust's tokio, any
 * thread may do so, but only one at a time; threads with a loop each often wait
 * at once. A thread that never sleeps there, because it only polls, takes
 * turns, too.
 */
static bool is_served_by_others(const struct path_options *options,
				uint32_t thread)
{
	const struct lives *lives = options->lives;
	const struct life *life = lives_at(lives, thread);
	const struct life_loop *loop = &life->loop;
	uint32_t function = lives_call_function(lives, loop->call);

	for (uint32_t i = 0; i < lives->threads.count; i++) {
		const struct life *other = lives_at(lives, i);
		uint64_t other_ns = 0;
		uint64_t both_ns;

		if (i == thread || other->pid != life->pid ||
		    !calls_between(lives, other, function, loop->held_begin_ns,
				   loop->held_end_ns))
			continue;
		both_ns = sleep_together_ns(lives, life, other, function,
					    &other_ns);
		if (both_ns <= other_ns / TOGETHER_SHARE)
			return true;
	}
	return false;
}

uint32_t longest_held(const struct path_options *options, uint64_t begin_ns)
{
	uint64_t longest_ns = 0;
	uint32_t found = LIFE_NONE;

	for (uint32_t i = 0; i < options->lives->threads.count; i++) {
		const struct life_loop *loop =
			&lives_at(options->lives, i)->loop;

		if (loop->returns < LEAST_RETURNS ||
		    loop->held_begin_ns < begin_ns ||
		    loop->held_end_ns > options->end_ns ||
		    loop->held_end_ns - loop->held_begin_ns <= longest_ns ||
		    !options->is_chosen(options->ctx, i) ||
		    !is_long(options, loop->held_begin_ns, loop->held_end_ns) ||
		    is_served_by_others(options, i))
			continue;
		longest_ns = loop->held_end_ns - loop->held_begin_ns;
		found = i;
	}
	return found;
}
