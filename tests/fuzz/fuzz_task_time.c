/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/time/task_time.h"
#include "attribution/time/time_span.h"
#include "common/bytes.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static const struct task tasks_list[] = {
	{ .index = 0 },
	{ .index = 1, .tid = 7, .pid = 7 },
	{ .index = 2, .tid = 8, .pid = 7 },
};

enum { TASKS = sizeof(tasks_list) / sizeof(*tasks_list) };

static const struct task *find_task(const void *tasks, size_t index)
{
	const struct task *list = tasks;

	return index < TASKS ? &list[index] : NULL;
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	(void)callback;
	assert(span->begin_ns < span->end_ns && span->task);
}

/* Lets threads continue from the state that was read, whatever it is. */
static void go_on(struct task_time *time)
{
	static const uint8_t kinds[] = { STEP_ENTER, STEP_EXIT,	  STEP_LEAVE,
					 STEP_ENTER, STEP_SWITCH, STEP_EXIT,
					 STEP_GAP,   STEP_END };

	for (uint32_t i = 0; i < 3 * sizeof(kinds); i++) {
		const struct call_step step = {
			.time_ns = 1000 + i,
			.kind = kinds[i % sizeof(kinds)],
			.function = i % 2,
			.task = &tasks_list[i % TASKS],
		};

		task_time_step(time, &step);
	}
	task_time_is_due(time, 2000);
	task_time_end(time);
}

static void read_all(const struct task_time_options *options,
		     const uint8_t *bytes, size_t size)
{
	struct span_callback callback = { .consume = consume_span };
	struct task_time *time = task_time_new(options, &callback);
	struct pack pack = pack_to_read(bytes, size);
	const struct task_pack tasks = { &pack, find_task, tasks_list };

	if (!time)
		return;
	task_time_pack(time, &tasks);
	if (!pack.failed)
		go_on(time);
	task_time_free(time);
}

/* The slices of interrupt work that tasks are in, which all end then. */
static void read_slices(const uint8_t *bytes, size_t size, uint32_t functions)
{
	struct interrupt_rows *rows = interrupt_rows_new();
	struct owners *owners = rows ? owners_new(rows, false) : NULL;
	struct interrupt_stacks *stacks =
		owners ? interrupt_stacks_new(TIME_WINDOW_ALL, rows, owners) :
			 NULL;
	struct pack pack = pack_to_read(bytes, size);
	const struct task_pack tasks = { &pack, find_task, tasks_list };
	struct interrupt_stack *stack;

	if (stacks)
		interrupt_stacks_pack(stacks, &tasks, functions);
	for (uint32_t i = 0; stacks && (stack = interrupt_stacks_at(stacks, i));
	     i++)
		while (interrupt_stack_top(stack)) {
			assert(interrupt_stack_top(stack)->kind <
			       INTERRUPT_KINDS);
			interrupt_stacks_pop(stacks, stack);
		}
	interrupt_stacks_free(stacks);
	if (owners)
		owners_free(owners);
	if (rows)
		interrupt_rows_free(rows);
}

static void add(struct function_table *functions, const char *name)
{
	const char *module = function_table_module(functions, "", 0);

	function_table_add(functions, name, strlen(name), module, 'k');
}

/* A checkpoint of threads and their time, and of interrupt work. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct function_table *functions = function_table_new();
	struct task_names *names = task_names_empty();
	struct task_time_options options = {
		.functions = functions,
		.names = names,
		.recorder = "ktrace-hw record",
		.evidence = { .has_switches = true,
			      .has_wakeups = true,
			      .has_all_cpus = true },
	};
	struct context_kinds *kinds;

	add(functions, "entry_SYSCALL_64");
	add(functions, "vfs_read");
	kinds = context_kinds_new(functions, &arch_x86_64);
	options.kinds = kinds;
	if (functions && names && kinds)
		read_all(&options, bytes, size);
	read_slices(bytes, size, 2);
	context_kinds_free(kinds);
	task_names_close(names);
	function_table_free(functions);
	return 0;
}
