/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_tasks.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/flow/switch_feed.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function_role {
	uint32_t entry;
	uint8_t role; /* enum graph_role */
};

struct graph_roles {
	uint32_t idle;
	uint32_t count;
	struct function_role roles[];
};

/* Returns the kernel's own function named @name, or FUNCTION_UNKNOWN. */
static uint32_t find_function(const struct function_table *functions,
			      const char *name)
{
	uint32_t found = function_table_kernel(functions, name);

	return found == FUNCTION_NONE ? FUNCTION_UNKNOWN : found;
}

/* Caches the last entry found: hundreds of functions, all system calls, imply
 * the same one.
 */
struct entry_search {
	const struct arch *arch;
	const struct function_table *functions;
	const char *last;
	uint32_t last_found;
};

static uint32_t find_entry(struct entry_search *search,
			   const struct arch_graph_rule *rule, const char *name)
{
	char entry[256];

	if (!*rule->entry)
		return FUNCTION_UNKNOWN;
	if (*rule->entry == '+') {
		snprintf(entry, sizeof(entry), "%s%s", rule->entry + 1,
			 name + 2);
		return find_function(search->functions, entry);
	}
	if (!search->last || strcmp(search->last, rule->entry) != 0) {
		search->last = rule->entry;
		search->last_found =
			find_function(search->functions, rule->entry);
	}
	return search->last_found;
}

static struct function_role role_of(struct entry_search *search,
				    uint32_t number)
{
	const struct function *function =
		function_at(search->functions, number);
	const struct arch_graph_rule *rule =
		function->space == 'k' ?
			arch_graph_rule(search->arch, function->base) :
			NULL;
	struct function_role role = { .entry = FUNCTION_UNKNOWN };

	if (!rule)
		return role;
	role.entry = find_entry(search, rule, function->base);
	role.role = (uint8_t)rule->role;
	/* Without an entry of that name, the function stands for its entry,
	 * unless its role is at an interrupt's end or on a way out.
	 */
	if (role.entry == FUNCTION_UNKNOWN &&
	    rule->role != GRAPH_ROLE_INTERRUPT_END &&
	    rule->role != GRAPH_ROLE_INTERRUPT_TAIL &&
	    !graph_role_is_way_out(rule->role))
		role.entry = number;
	return role;
}

/* Determines the roles of all functions of @symbols. Returns NULL when out of
 * memory.
 */
static struct graph_roles *graph_roles_new(const struct symbols *symbols)
{
	const struct function_table *functions = symbols_functions(symbols);
	uint32_t count = function_count(functions);
	struct entry_search search = {
		.arch = symbols_arch(symbols),
		.functions = functions,
	};
	struct graph_roles *roles =
		calloc(1, sizeof(*roles) + count * sizeof(*roles->roles));

	if (!roles)
		return NULL;
	roles->count = count;
	roles->idle = find_function(functions, "do_idle");
	for (uint32_t i = 0; i < count; i++)
		roles->roles[i] = role_of(&search, i);
	return roles;
}

enum graph_role graph_role_of(const struct graph_roles *roles,
			      uint32_t function)
{
	return function < roles->count ?
		       (enum graph_role)roles->roles[function].role :
		       GRAPH_ROLE_NONE;
}

uint32_t graph_role_entry(const struct graph_roles *roles, uint32_t function)
{
	return function < roles->count ? roles->roles[function].entry :
					 FUNCTION_UNKNOWN;
}

uint32_t graph_roles_idle(const struct graph_roles *roles)
{
	return roles->idle;
}

struct graph_frame *graph_task_top(const struct graph_task *task)
{
	return task->frames.count ?
		       array_at(&task->frames, task->frames.count - 1) :
		       NULL;
}

int graph_task_push(struct graph_task *task, enum graph_frame_kind kind,
		    uint32_t function, int32_t depth)
{
	return array_append(&task->frames, &(struct graph_frame){
						   .function = function,
						   .depth = depth,
						   .kind = (uint8_t)kind,
					   });
}

void graph_task_pop(struct graph_task *task)
{
	task->frames.count--;
}

bool graph_task_is_in(const struct graph_task *task, enum graph_frame_kind kind)
{
	const struct graph_frame *top = graph_task_top(task);

	return top && top->kind == kind;
}

uint32_t graph_task_running(const struct graph_task *task)
{
	for (size_t i = task->frames.count; i-- > 0;) {
		const struct graph_frame *frame = array_at(&task->frames, i);

		if (frame->kind != GRAPH_UNTRACED)
			return frame->function;
	}
	return FUNCTION_UNKNOWN;
}

/* Returns whether the tracer counts @frame in its depths. */
static bool is_counted(const struct graph_frame *frame)
{
	return frame->kind == GRAPH_FUNCTION || frame->kind == GRAPH_UNTRACED;
}

/* Returns whether @frame must have ended when a function at @depth starts or
 * ends. The depth of an inferred frame is that of its callees.
 */
static bool is_over(const struct graph_frame *frame, int32_t depth)
{
	return is_counted(frame) ? frame->depth >= depth : frame->depth > depth;
}

int graph_task_fit(struct graph_task *task, int32_t depth)
{
	const struct graph_frame *top = graph_task_top(task);
	int32_t next = 0;
	int has_changed = 0;

	while (top && is_over(top, depth)) {
		has_changed = 1;
		graph_task_pop(task);
		top = graph_task_top(task);
	}
	if (top)
		next = top->depth + is_counted(top);
	for (; next < depth; next++) {
		if (graph_task_push(task, GRAPH_UNTRACED, FUNCTION_UNKNOWN,
				    next))
			return -ERROR_MEMORY;
		has_changed = 1;
	}
	return has_changed;
}

struct graph_tasks *graph_tasks_new(const struct recording *recording,
				    const struct symbols *symbols)
{
	struct graph_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->tasks = ARRAY_OF(struct graph_task *);
	tasks->roles = graph_roles_new(symbols);
	tasks->ids = task_ids_new(recording);
	if (tasks->roles && tasks->ids)
		return tasks;
	graph_tasks_free(tasks);
	return NULL;
}

void graph_tasks_free(struct graph_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->tasks.count; i++) {
		struct graph_task **task = array_at(&tasks->tasks, i);

		array_free(&(*task)->frames);
		free(*task);
	}
	array_free(&tasks->tasks);
	number_map_free(&tasks->places);
	task_ids_free(tasks->ids);
	free(tasks->roles);
	free(tasks);
}

static struct graph_task *add_task(struct graph_tasks *tasks, int32_t tid)
{
	struct graph_task *task = calloc(1, sizeof(*task));
	struct graph_task **place = task ? array_add(&tasks->tasks) : NULL;

	if (!place) {
		free(task);
		return NULL;
	}
	*task = (struct graph_task){
		.tid = tid,
		.pid = task_ids_process(tasks->ids, tid),
		.frames = ARRAY_OF(struct graph_frame),
	};
	*place = task;
	return task;
}

struct graph_task *graph_tasks_get(struct graph_tasks *tasks, int32_t cpu,
				   int32_t tid)
{
	/* Each CPU has an idle task, and all of them have tid 0. */
	uint64_t key = tid ? (uint32_t)tid : UINT64_C(1) << 32 | (uint32_t)cpu;
	uint64_t *place = number_map_add(&tasks->places, key);
	struct graph_task **task;

	if (!place)
		return NULL;
	if (!*place) {
		if (!add_task(tasks, tid))
			return NULL;
		*place = tasks->tasks.count;
	}
	task = array_at(&tasks->tasks, *place - 1);
	return *task;
}
