/* SPDX-License-Identifier: MIT */
#include "explain/causes_internal.h"

#include "common/error.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"

#include <string.h>

struct causes causes_of(const struct lives *lives,
			const struct task_names *names)
{
	return (struct causes){
		.lives = lives,
		.names = names,
		.all = KEYED_ARRAY_OF(struct cause, actor),
		.details = KEYED_ARRAY_OF(struct cause_detail, actor_user),
		.processes = KEYED_ARRAY_OF(struct cause_process, pid),
		.programs = ARRAY_OF(const char *),
		.by_thread = ARRAY_OF(uint32_t),
	};
}

void causes_free(struct causes *causes)
{
	keyed_array_free(&causes->all);
	keyed_array_free(&causes->details);
	keyed_array_free(&causes->processes);
	array_free(&causes->programs);
	array_free(&causes->by_thread);
}

static uint32_t find_program(struct causes *causes, const char *name)
{
	const char *const *names = causes->programs.items;
	uint32_t count = (uint32_t)causes->programs.count;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return array_append(&causes->programs, &name) < 0 ? LIFE_NONE : count;
}

/* Returns the program of @thread; LIFE_NONE if there is no such thread, or when
 * out of memory.
 */
static uint32_t program_of(struct causes *causes, uint32_t thread)
{
	const struct life *life = lives_at(causes->lives, thread);
	uint32_t *known = life ? array_reach(&causes->by_thread, thread) : NULL;

	if (!known)
		return LIFE_NONE;
	if (!*known)
		*known = find_program(causes, task_names_last(causes->names,
							      life->tid)) +
			 1;
	return *known - 1;
}

static bool is_work(enum link_kind kind)
{
	return kind < LINK_CPU;
}

/* Returns the cause of a link of @kind. The recorder delays a thread by its
 * code in the thread and by its own threads: both are LINK_TRACER.
 */
static uint32_t why_of_kind(enum link_kind kind)
{
	return kind == LINK_RECORDER ? LINK_TRACER : kind;
}

static int32_t priority_of(const struct causes *causes, uint32_t thread)
{
	const struct life *life = lives_at(causes->lives, thread);

	return life ? life->priority : -1;
}

/* Returns whether the lock's owner waits for the CPU of a thread that the
 * waiter, which has a real-time priority, would preempt. The scheduler divides
 * time among threads of other priorities.
 */
static bool is_inversion(const struct causes *causes,
			 const struct path_link *link)
{
	enum { MOST_REAL_TIME = 99 };
	int32_t high;

	if (!link_kind_has_other(link->kind) || !link->cause_count)
		return false;
	high = priority_of(causes, link->causes->waiter);
	return high >= 0 && high <= MOST_REAL_TIME &&
	       high < priority_of(causes, link->other);
}

static uint32_t why_of(const struct causes *causes,
		       const struct path_link *link)
{
	if (is_inversion(causes, link))
		return WHY_INVERSION;
	if (!link->cause_count)
		return why_of_kind(link->kind);
	switch (link->causes->kind) {
	case CAUSE_LOCK:
		return WHY_LOCK;
	case CAUSE_FUTEX:
		return WHY_FUTEX;
	case CAUSE_REPLY:
		return WHY_REPLY;
	case CAUSE_HELPER:
		break;
	}
	return is_work(link->kind) ? WHY_HELPER : why_of_kind(link->kind);
}

/* Returns the thread for which the command's thread waited; LIFE_NONE: none. */
static uint32_t actor_of(const struct causes *causes,
			 const struct path_link *link)
{
	if (link->cause_count && !is_inversion(causes, link) &&
	    link->causes->kind != CAUSE_HELPER)
		return link->causes->actor;
	return link_kind_has_other(link->kind) ? link->other : LIFE_NONE;
}

/* Returns the thread of the command that @link is a part of. */
static uint32_t thread_of(const struct path_link *link)
{
	return link->cause_count ? link->causes->waiter : link->thread;
}

static struct cause_moment moment_of(const struct path_link *link)
{
	return (struct cause_moment){ .thread = thread_of(link),
				      .begin_ns = link->begin_ns,
				      .ns = link->ns };
}

static int32_t pid_of(const struct causes *causes, uint32_t thread)
{
	const struct life *life = lives_at(causes->lives, thread);

	return life ? life->pid : -1;
}

static struct cause *cause_of(struct causes *causes,
			      const struct path_link *link)
{
	struct cause *cause = keyed_array_add(
		&causes->all,
		&(struct cause){
			.why = why_of(causes, link),
			.program = program_of(causes, thread_of(link)),
			.actor = program_of(causes, actor_of(causes, link)),
			.index = LIFE_NONE,
			.pid = -1,
		});

	if (!cause)
		return NULL;
	if (cause->index == LIFE_NONE) {
		cause->index = (uint32_t)causes->all.items.count - 1;
		cause->is_sibling =
			cause->why == WHY_REPLY &&
			pid_of(causes, link->causes->actor) ==
				pid_of(causes, link->causes->waiter);
	}
	return cause;
}

static int add_process(struct causes *causes, const struct cause *cause,
		       const struct path_link *link)
{
	struct cause_process *process =
		keyed_array_add(&causes->processes,
				&(struct cause_process){
					.cause = cause->index,
					.pid = pid_of(causes, thread_of(link)),
				});

	if (!process)
		return -ERROR_MEMORY;
	process->ns += link->ns;
	return 0;
}

/* Returns the sleep of a thread of the command that @link is part of. */
static const struct life_sleep *sleep_of(const struct path_link *link)
{
	return link->cause_count ? link->causes->sleep : link->sleep;
}

/* Returns the relation of the thread that worked, that of @link, to the actor,
 * for which the command's thread waited.
 */
static enum further further_of(const struct causes *causes,
			       const struct path_link *link)
{
	if (pid_of(causes, link->thread) == pid_of(causes, link->causes->actor))
		return FURTHER_NONE;
	for (uint32_t i = 1; i < link->cause_count; i++)
		if (link->causes[i].kind == CAUSE_LOCK)
			return FURTHER_LOCK;
	return FURTHER_PROCESS;
}

static int add_detail(struct causes *causes, const struct cause *cause,
		      const struct path_link *link)
{
	const struct life_sleep *sleep = sleep_of(link);
	bool is_of_actor = why_is_of_actor(cause->why) &&
			   cause->actor != LIFE_NONE;
	const struct life_sleep *actors = is_of_actor ? link->sleep : NULL;
	struct cause_detail *detail = keyed_array_add(
		&causes->details,
		&(struct cause_detail){
			.cause = cause->index,
			.kind = link->kind,
			.function = link->function,
			.program = is_of_actor ?
					   program_of(causes, link->thread) :
					   LIFE_NONE,
			.further = is_of_actor ? further_of(causes, link) :
						 FURTHER_NONE,
			.call = sleep ? sleep->call : FUNCTION_NONE,
			.refused = sleep && link->kind == LINK_TIMER ?
					   sleep->refused :
					   FUNCTION_NONE,
			.inside = sleep ? sleep->inside : FUNCTION_NONE,
			.user = sleep ? sleep->user : FUNCTION_NONE,
			.user_offset = sleep ? sleep->user_offset : 0,
			.actor_call = actors ? actors->call : FUNCTION_NONE,
			.actor_user = actors ? actors->user : FUNCTION_NONE,
		});

	if (!detail)
		return -ERROR_MEMORY;
	detail->ns += link->ns;
	detail->count += link->count;
	detail->sleeps += sleep && sleep != detail->last_sleep;
	detail->last_sleep = sleep;
	return 0;
}

/* Returns whether both links are waits with the same cause, in one call at one
 * position in the program. Only the longest of them is stored.
 */
static bool is_alike(const struct long_link *kept, uint32_t cause,
		     const struct life_sleep *sleep)
{
	const struct life_sleep *other = kept->link.sleep;

	if (kept->cause != cause || !sleep != !other)
		return false;
	return !sleep ||
	       (sleep->call == other->call && sleep->inside == other->inside &&
		sleep->user == other->user &&
		sleep->user_offset == other->user_offset);
}

/* Removes the link at @at. */
static void drop_long(struct causes *causes, size_t at)
{
	causes->long_count--;
	memmove(causes->longest + at, causes->longest + at + 1,
		(causes->long_count - at) * sizeof(*causes->longest));
}

static void insert_long(struct causes *causes, const struct long_link *item)
{
	size_t at = causes->long_count;

	while (at && causes->longest[at - 1].link.ns < item->link.ns)
		at--;
	if (at == LONG_LINKS)
		return;
	if (causes->long_count < LONG_LINKS)
		causes->long_count++;
	memmove(causes->longest + at + 1, causes->longest + at,
		(causes->long_count - 1 - at) * sizeof(*causes->longest));
	causes->longest[at] = *item;
}

static void keep_if_long(struct causes *causes, const struct path_link *link,
			 uint32_t cause)
{
	struct long_link item = { *link, moment_of(link), cause };
	size_t at = 0;

	if (link->kind < LINK_CPU)
		return;
	item.link.sleep = sleep_of(link);
	item.link.causes = NULL;
	while (at < causes->long_count &&
	       !is_alike(&causes->longest[at], cause, item.link.sleep))
		at++;
	if (at < causes->long_count) {
		if (causes->longest[at].link.ns >= link->ns)
			return;
		drop_long(causes, at);
	}
	insert_long(causes, &item);
}

static void add_certainty(struct causes *causes, const struct path_link *link)
{
	causes->ns += link->ns;
	causes->links++;
	if (link->certainty == LINK_INFERRED)
		causes->inferred_ns += link->ns;
	if (link->certainty == LINK_NOT_KNOWN)
		causes->unknown_ns += link->ns;
	if (link->kind == LINK_UNKNOWN)
		causes->reasons_ns[link->reason] += link->ns;
}

int causes_add(struct causes *causes, const struct path_link *link)
{
	struct cause *cause = cause_of(causes, link);

	if (!cause)
		return -ERROR_MEMORY;
	cause->ns += link->ns;
	cause->count++;
	if (link->ns >= cause->longest.ns)
		cause->longest = moment_of(link);
	add_certainty(causes, link);
	keep_if_long(causes, link, cause->index);
	return add_process(causes, cause, link) < 0 ?
		       -ERROR_MEMORY :
		       add_detail(causes, cause, link);
}

static int compare_ns(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_causes(const void *a, const void *b)
{
	const struct cause *left = a;
	const struct cause *right = b;
	int order = compare_ns(left->ns, right->ns);

	return order ? order : compare_ns(right->index, left->index);
}

static int compare_details(const void *a, const void *b)
{
	const struct cause_detail *left = a;
	const struct cause_detail *right = b;
	int order = compare_ns(left->ns, right->ns);

	return order ? order :
		       memcmp(left, right, offsetof(struct cause_detail, ns));
}

/* Sets the main process of each cause. Must be called while each cause is at
 * its index, so before they are sorted.
 */
static void set_processes(struct causes *causes)
{
	const struct cause_process *processes = causes->processes.items.items;

	for (size_t i = 0; i < causes->processes.items.count; i++) {
		struct cause *cause =
			array_at(&causes->all.items, processes[i].cause);

		cause->has_pids |= cause->main_ns > 0;
		if (processes[i].ns <= cause->main_ns)
			continue;
		cause->pid = processes[i].pid;
		cause->main_ns = processes[i].ns;
	}
}

void causes_sort(struct causes *causes)
{
	set_processes(causes);
	array_sort(&causes->all.items, compare_causes);
	array_sort(&causes->details.items, compare_details);
}

struct process_sum causes_short_processes(const struct causes *causes,
					  int32_t pid)
{
	enum { LEAST_COUNT = 20, MOST_NS = 20000000 };

	const struct cause_process *parts = causes->processes.items.items;
	struct keyed_array found = KEYED_ARRAY_OF(struct cause_process, pid);
	struct process_sum sum = { 0 };

	for (size_t i = 0; i < causes->processes.items.count; i++) {
		const struct cause_process key = { .pid = parts[i].pid };

		if (key.pid != pid && keyed_array_add(&found, &key))
			sum.ns += parts[i].ns;
	}
	sum.count = found.items.count;
	keyed_array_free(&found);
	if (sum.count < LEAST_COUNT || sum.ns / sum.count > MOST_NS ||
	    sum.ns < causes->ns / 2)
		return (struct process_sum){ 0 };
	return sum;
}

const char *causes_program(const struct causes *causes, uint32_t index)
{
	return index < causes->programs.count ?
		       *(const char *const *)array_at(&causes->programs,
						      index) :
		       "?";
}
