/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_source.h"

#include "cmd/console/console.h"
#include "cmd/record/record_options.h"
#include "collector/collector.h"

static int refuse(const char *source, const char *refusal, const char *fix)
{
	say_of("record", "%s%s: %s", source, refusal, fix);
	return -1;
}

static int choose_machine(struct record_options *options, const char *unit,
			  const char *graph, const char *fix)
{
	if (!options->machine_may_be) {
		say_of("record",
		       "%s (see `ktrace-hw doctor`); function_graph cannot be "
		       "used either: %s: %s; to record in a virtual machine "
		       "with a trace unit: ktrace-hw record --machine -- "
		       "COMMAND",
		       unit, graph, fix);
		return -1;
	}
	say_of("record",
	       "%s; function_graph cannot be used either: %s (%s); the command "
	       "runs in a virtual machine with a trace unit, as with --machine",
	       unit, graph, fix);
	options->machine = true;
	return 0;
}

/* Returns the reason why function_graph cannot do the requested recording, or
 * NULL.
 */
static const char *graph_refusal(const struct record_options *options,
				 const char **fix)
{
	const struct collector_options *collector = &options->collector;

	*fix = "omit that option, or use a trace unit";
	if (collector->user && !options->is_everything)
		return "it does not see user space (--user)";
	if (options->triggers.count)
		return "it has no trace that a hit can stop (--trigger)";
	if (*options->only)
		return "it has no trace that can be paused (--only; --filter "
		       "selects functions)";
	if (collector->sink)
		return "it has no sinks (--sink)";
	if (collector->return_stack)
		return "it has no return stack (--return-stack)";
	return collector_refusal(SOURCE_FUNCTION_GRAPH, fix);
}

int record_source_choose(struct record_options *options)
{
	const char *fix;
	const char *graph_fix;
	const char *unit;
	const char *graph;

	/* The recorder in the machine chooses its own source. */
	if (options->machine)
		return 0;
	options->collector.source = SOURCE_TRACE_UNIT;
	unit = options->source == RECORD_BY_FUNCTION_GRAPH ?
		       NULL :
		       collector_refusal(SOURCE_TRACE_UNIT, &fix);
	if (unit && options->source == RECORD_BY_TRACE_UNIT)
		return refuse("", unit, fix);
	if (!unit && options->source != RECORD_BY_FUNCTION_GRAPH)
		return 0;
	options->collector.source = SOURCE_FUNCTION_GRAPH;
	graph = graph_refusal(options, &graph_fix);
	if (graph && !unit)
		return refuse("function_graph: ", graph, graph_fix);
	if (graph)
		return choose_machine(options, unit, graph, graph_fix);
	if (unit)
		say_of("record",
		       "%s: recording with the kernel's function_graph tracer, "
		       "which slows the kernel down and does not see all "
		       "functions (docs/function_graph.md)",
		       unit);
	return 0;
}
