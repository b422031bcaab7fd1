/* SPDX-License-Identifier: MIT */
#include "tables/lanes/call_lanes.h"

#include "attribution/calls/system_calls.h"
#include "report/timeline/lane_callback.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/call_argument.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"

#include <string.h>

int call_lanes_open(struct call_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback)
{
	int status;

	*lanes = (struct call_lanes){ .options = *options,
				      .callback = callback };
	status = lane_text_open(&lanes->arguments);
	return status ? status : lane_text_open(&lanes->result);
}

void call_lanes_free(struct call_lanes *lanes)
{
	lane_text_free(&lanes->arguments);
	lane_text_free(&lanes->result);
}

static bool is_wanted(const struct call_lanes *lanes,
		      const struct system_call *call)
{
	return call->end_ns - call->begin_ns >= lanes->options.min_ns &&
	       table_wants(lanes->options.input, call->task, call->begin_ns);
}

static const char *arguments_of(struct call_lanes *lanes,
				const struct system_call *call,
				const char *name, const struct arch *arch)
{
	call_arguments_write(call, name, strcmp(arch->name, "x86_64"),
			     lane_text_begin(&lanes->arguments));
	return lane_text_end(&lanes->arguments);
}

/* Returns the result as text, "3", without the " = " that call_result_write()
 * writes.
 */
static const char *result_of(struct call_lanes *lanes,
			     const struct system_call *call, const char *name)
{
	call_result_write(call, name, lane_text_begin(&lanes->result));
	return lane_text_end(&lanes->result) + strlen(" = ");
}

static size_t fill_notes(struct call_lanes *lanes,
			 const struct system_call *call, const char *name,
			 struct span_note *notes)
{
	size_t count = 0;

	if (call->has_enter)
		notes[count++] = (struct span_note){
			.name = NOTE_ARGUMENTS,
			.text = arguments_of(
				lanes, call, name,
				symbols_arch(lanes->options.input->symbols)),
		};
	if (call->has_exit)
		notes[count++] = (struct span_note){
			.name = NOTE_RESULT,
			.text = result_of(lanes, call, name),
		};
	if (call->end != CALL_RETURNED)
		notes[count++] = (struct span_note){
			.name = NOTE_END,
			.text = system_call_end_text(call->end),
		};
	return count;
}

void call_lanes_take(struct call_lanes *lanes, const struct system_call *call)
{
	const struct symbols *symbols = lanes->options.input->symbols;
	const struct lane lane = { .kind = SPAN_CALLS, .task = call->task };
	struct span_note notes[3];
	struct span span = {
		.time_ns = call->begin_ns,
		.number = call->function,
		.name = system_call_name(symbols_functions(symbols),
					 symbols_arch(symbols), call->function),
		.category = "syscall",
		.notes = notes,
	};

	if (!is_wanted(lanes, call))
		return;
	span.note_count = fill_notes(lanes, call, span.name, notes);
	lanes->callback->begin(lanes->callback, &lane, &span);
	lanes->callback->end(lanes->callback, &lane, call->end_ns);
}
