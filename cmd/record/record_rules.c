/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_rules.h"
#include "cmd/record/record_options.h"
#include "collector/events/tracepoint_set.h"
#include "collector/gate/gate.h"

#include <string.h>

static bool is_gated(const struct record_options *options)
{
	return *options->only || options->only_line;
}

const char *record_rules_conflict(const struct record_options *options)
{
	const struct collector_options *collector = &options->collector;
	bool processes = options->processes.count > 0;

	if (processes && collector->whole_cpus)
		return "-a records all processes: leave out -p";
	if (processes && collector->command)
		return "give either -p or a command";
	if (!processes && !collector->command && !collector->whole_cpus &&
	    !collector->cpus)
		return "give a command, -p PID or -a";
	if ((collector->after_ns || collector->max_hits) &&
	    !options->triggers.count)
		return "--after and --hits need --trigger";
	if (is_gated(options) &&
	    (options->triggers.count || collector->snapshot))
		return "--only cannot be combined with --snapshot or --trigger";
	if (is_gated(options) && collector->user)
		return "--only traces calls of the kernel: leave out --user";
	if (options->machine && processes)
		return "the virtual machine does not have the processes of "
		       "this machine: give a command";
	if (options->arch && !options->machine)
		return "--arch is for the virtual machine: give --machine too";
	if (options->discard && !options->machine)
		return "--discard is for the virtual machine: give --machine "
		       "too";
	if (options->machine && !collector->command)
		return "give the command to run in the virtual machine";
	return NULL;
}

/* Any task may wake the command's tasks, and any task's interrupts may be
 * charged to them: to identify them, records everything that runs while the
 * command does.
 */
void record_rules_widen_for_events(struct collector_options *collector)
{
	if (collector->tracepoints & TRACEPOINTS_OBJECTS &&
	    collector->command && !collector->cpus)
		collector->whole_cpus = true;
}

/* The cause of a slow call is mostly another task, so recordings with triggers
 * include everything that runs. Also, tracing can be paused per CPU but not per
 * thread, since threads migrate. The processes whose hits and calls count do
 * not change.
 */
static void widen_for_probes(struct record_options *options)
{
	struct collector_options *collector = &options->collector;

	collector->triggers = options->triggers.items;
	collector->trigger_count = options->triggers.count;
	if (options->only_line && !*options->only)
		strcpy(options->only, GATE_NONE);
	collector->only = *options->only ? options->only : NULL;
	collector->only_line = options->only_line;
	collector->hits_of_all = collector->whole_cpus;
	if ((collector->trigger_count || collector->only) && !collector->cpus)
		collector->whole_cpus = true;
}

void record_rules_widen(struct record_options *options)
{
	widen_for_probes(options);
	record_rules_widen_for_events(&options->collector);
}
