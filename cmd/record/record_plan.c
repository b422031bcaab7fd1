/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_plan.h"

#include "cmd/console/console.h"
#include "cmd/record/command_path.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_values.h"
#include "collector/diagnosis.h"
#include "collector/events/tracefs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_of_chosen_code(const struct record_options *options)
{
	return options->collector.filter || options->collector.only;
}

/* Chooses the scheduler's tracepoints. Prints why, except if they cannot be
 * read either, which the collector reports.
 */
static void choose_sched(struct collector_options *collector,
			 const struct diagnosis *diagnosis)
{
	collector->tracepoints = TRACEPOINTS_SCHED;
	if (tracepoint_set_can_be_read(TRACEPOINTS_SCHED))
		note_of("record",
			"recording with --events=sched only, without the causes "
			"of interrupts: %s: %s",
			diagnosis->finding, diagnosis->fix);
}

static void choose_tracepoints(struct record_options *options)
{
	struct collector_options *collector = &options->collector;
	struct diagnosis diagnosis;

	if (!collector->tracepoints_may_miss || is_of_chosen_code(options))
		return;
	if (diagnosis_attribution(&diagnosis))
		collector->tracepoints = TRACEPOINTS_ATTRIBUTION;
	else
		choose_sched(collector, &diagnosis);
	record_options_widen_for_events(collector);
}

/* Returns whether the trace contains the calls of the program from its start
 * on. Copies of user stacks, the most expensive part of a recording, would then
 * add nothing.
 */
static bool has_stacks_in_trace(const struct collector_options *collector)
{
	return collector->user && collector->command &&
	       !collector->process_count && !collector->snapshot &&
	       !collector->trigger_count;
}

/* Completes --everything: function_graph does not see user space; user stacks
 * are copied, unless their size was given or the trace has the stacks.
 */
static void choose_user(struct collector_options *collector)
{
	if (collector->source == SOURCE_FUNCTION_GRAPH)
		collector->user = false;
	if (!collector->user_stack_bytes && !has_stacks_in_trace(collector))
		record_value_stack(&collector->user_stack_bytes, NULL);
}

/* Without a list, ids are recorded of the command or of the processes. */
static void choose_goroutine_programs(struct record_options *options)
{
	struct collector_options *collector = &options->collector;
	char *list = options->goroutine_programs;
	size_t length = 0;

	if (!collector->goroutines || *collector->goroutines)
		return;
	if (collector->command)
		command_path_find(collector->command[0], list);
	for (size_t i = 0; i < collector->process_count; i++)
		length += (size_t)snprintf(list + length, PATH_MAX - length,
					   "%s/proc/%d/exe", i ? "," : "",
					   (int)collector->processes[i]);
	collector->goroutines = list;
}

void record_plan_choose(struct record_options *options)
{
	struct collector_options *collector = &options->collector;

	if (options->is_everything)
		choose_user(collector);
	choose_tracepoints(options);
	choose_goroutine_programs(options);
	/* Data of arguments belong to events of system calls, which have the
	 * call's number and arguments.
	 */
	if (collector->call_data)
		collector->tracepoints |= TRACEPOINTS_SYSCALLS;
}

/* Copies of user stacks up to this size cost little. */
enum { SMALL_STACK = 1024 };

static const char *cost_of(const struct collector_options *collector)
{
	if (collector->source == SOURCE_FUNCTION_GRAPH)
		return "the kernel's code takes 30 to 50 times as long";
	if (collector->user_stack_bytes > SMALL_STACK)
		return collector->call_data ?
			       "about 35 us for each system call (12 us with "
			       "--user-stacks=1K)" :
			       "about 25 us for each system call (4 us with "
			       "--user-stacks=1K)";
	if (collector->call_data)
		return "about 12 us for each system call with a file or path, "
		       "4 us for others";
	if (collector->user_stack_bytes)
		return "about 4 us for each system call";
	if (collector->tracepoints & TRACEPOINTS_SYSCALLS)
		return "about 3 us for each system call";
	return "switches between threads take up to 1.6 times as long, system "
	       "calls no longer";
}

/* Appends @what to the list in @text if @is_missing. */
static void list(char text[RECORD_PLAN_SIZE], const char **separator,
		 bool is_missing, const char *what)
{
	size_t used = strlen(text);

	if (!is_missing)
		return;
	snprintf(text + used, RECORD_PLAN_SIZE - used, "%s%s", *separator,
		 what);
	*separator = ", ";
}

void record_plan_describe(const struct record_options *options,
			  char text[RECORD_PLAN_SIZE])
{
	const struct collector_options *collector = &options->collector;
	const unsigned int sets = collector->tracepoints;
	const char *separator = "; not recorded: ";
	size_t used;

	snprintf(text, RECORD_PLAN_SIZE, "cost: %s", cost_of(collector));
	list(text, &separator, !(sets & TRACEPOINTS_SCHED), "wake-ups");
	list(text, &separator, !(sets & TRACEPOINTS_OBJECTS),
	     "causes of interrupts");
	list(text, &separator, !collector->user, "user space");
	list(text, &separator, !(sets & TRACEPOINTS_SYSCALLS),
	     "arguments of system calls");
	list(text, &separator,
	     sets & TRACEPOINTS_SYSCALLS && !collector->call_data,
	     "files and paths of system calls");
	list(text, &separator, !(sets & TRACEPOINTS_LOCKS), "locks");
	list(text, &separator, !(sets & TRACEPOINTS_FAULTS),
	     "addresses of page faults");
	list(text, &separator, !collector->user_stack_bytes && !collector->user,
	     "user stacks");
	used = strlen(text);
	if (*separator == ',' && !options->is_everything)
		snprintf(text + used, RECORD_PLAN_SIZE - used,
			 " (--everything records them)");
}
