/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/graph_formats.h"
#include "common/array.h"

#include <stdbool.h>
#include <string.h>

/* The sizes of number fields that are supported. */
static bool is_number(const struct tracepoint_field *field)
{
	return field && !field->is_dynamic &&
	       (field->size == 1 || field->size == 2 || field->size == 4 ||
		field->size == 8);
}

static bool take_field(const struct tracepoint *format, const char *name,
		       struct tracepoint_field *field)
{
	const struct tracepoint_field *found = tracepoint_field(format, name);

	if (!is_number(found))
		return false;
	*field = *found;
	return true;
}

static const struct tracepoint *
find_format(const struct array *formats, const char *system, const char *name)
{
	for (size_t i = 0; i < formats->count; i++) {
		const struct tracepoint *format = array_at(formats, i);

		if (!strcmp(format->system, system) &&
		    !strcmp(format->name, name))
			return format;
	}
	return NULL;
}

static bool take_function(const struct array *formats, const char *name,
			  enum graph_event event, struct graph_trace *graph)
{
	const struct tracepoint *format = find_format(formats, "ftrace", name);

	if (!format || !take_field(format, "func", &graph->function[event]) ||
	    !take_field(format, "depth", &graph->depth[event]))
		return false;
	graph->ids[event] = format->id;
	/* All events have these at the same offsets. */
	return take_field(format, "common_type", &graph->type) &&
	       take_field(format, "common_flags", &graph->flags) &&
	       take_field(format, "common_pid", &graph->pid);
}

static void take_switch(const struct array *formats, struct graph_trace *graph)
{
	const struct tracepoint *format =
		find_format(formats, "sched", "sched_switch");

	if (format && take_field(format, "prev_pid", &graph->previous_pid) &&
	    take_field(format, "prev_state", &graph->previous_state) &&
	    take_field(format, "next_pid", &graph->next_pid))
		graph->ids[GRAPH_SWITCH] = format->id;
}

void graph_formats_find(const struct array *formats,
			const struct tracepoint *page, uint32_t page_bytes,
			struct graph_trace *graph)
{
	struct tracepoint_field commit;
	struct tracepoint_field data;

	*graph = (struct graph_trace){ 0 };
	if (!take_function(formats, "funcgraph_entry", GRAPH_ENTRY, graph) ||
	    !take_function(formats, "funcgraph_exit", GRAPH_EXIT, graph) ||
	    !take_field(page, "commit", &commit) || commit.size < 4 ||
	    commit.offset != sizeof(uint64_t) ||
	    !tracepoint_field(page, "data"))
		return;
	data = *tracepoint_field(page, "data");
	if (data.offset < commit.offset + commit.size ||
	    data.offset > page_bytes / 2)
		return;
	take_function(formats, "funcgraph_retaddr_entry", GRAPH_ENTRY_FROM,
		      graph);
	take_switch(formats, graph);
	graph->commit_bytes = commit.size;
	graph->data_offset = data.offset;
	graph->page_bytes = page_bytes;
}
