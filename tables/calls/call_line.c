/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"

#include "attribution/calls/system_calls.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_label.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_argument.h"
#include "tables/sleeps/sleep_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void call_line_head(FILE *out)
{
	fprintf(out, "# %14s  %-20s %9s  %s\n", "time_s", "task", "duration",
		"call");
}

void call_line_call(const struct call_record_context *context,
		    const struct system_call *call)
{
	char text[64];
	const char *name = system_call_text(call, context->functions,
					    context->arch, text, sizeof(text));
	const char *refusal = system_call_refusal_text(call->refusal);
	FILE *out = context->out;

	name_write(out, NAME_TEXT, name);
	call_arguments_write(call, name, strcmp(context->arch->name, "x86_64"),
			     out);
	call_result_write(call, name, out);
	if (call->end != CALL_RETURNED)
		fprintf(out, "  [%s]", system_call_end_text(call->end));
	if (refusal)
		fprintf(out, "  [by %s]", refusal);
}

static const struct sleep_place *longest(const struct sleep_places *places)
{
	const struct sleep_place *found = NULL;

	for (size_t i = 0; i < places->all.items.count; i++) {
		const struct sleep_place *place = sleep_places_at(places, i);

		if (!found || place->asleep_ns > found->asleep_ns)
			found = place;
	}
	return found;
}

static void write_sleep(const struct call_record_context *context,
			const struct call_record *record)
{
	const struct sleep_place *place = longest(record->places);
	uint64_t asleep_ns = record->call->class_ns[TIME_ASLEEP];

	if (!place || !asleep_ns)
		return;
	fprintf(context->out, "  [asleep %s, ",
		duration_text_of(asleep_ns).text);
	fputs(record->places->all.items.count > 1 ? "most in " : "in ",
	      context->out);
	function_name_write(context->functions, place->label, context->out);
	fputc(']', context->out);
}

/* Pads to the column of the header. */
static void write_task(const struct call_record_context *context,
		       const struct system_call *call)
{
	enum { WIDTH = 20 };
	struct task_label label =
		task_label_of(context->names, call->task->tid, call->begin_ns);
	char *name = name_made(NAME_TEXT, label.text);

	fprintf(context->out, "%-*s", WIDTH, name ? name : "?");
	free(name);
}

void call_line_text(const struct call_record_context *context,
		    const struct call_record *record)
{
	const struct system_call *call = record->call;
	FILE *out = context->out;

	fprintf(out, "%6" PRIu64 ".%09" PRIu64 "  ",
		call->begin_ns / 1000000000, call->begin_ns % 1000000000);
	write_task(context, call);
	fprintf(out, " %9s  ",
		duration_text_of(call->end_ns - call->begin_ns).text);
	call_line_call(context, call);
	write_sleep(context, record);
	fputc('\n', out);
}
