/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "symbolize/function_table.h"

#include <inttypes.h>
#include <stdlib.h>

struct raw_sink {
	struct step_sink sink;
	struct timeline_context context;
};

static void take(struct step_sink *sink, const struct call_step *step)
{
	const struct raw_sink *raw = (const struct raw_sink *)sink;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	fprintf(raw->context.out, "%c %016" PRIx64 " %" PRIu64 " %d\n",
		step->kind == STEP_ENTER ? 'E' : 'X',
		function_at(raw->context.functions, step->function)->address,
		step->time_ns, step->task->pid);
}

static struct step_sink *open_raw(const struct timeline_context *context)
{
	struct raw_sink *raw = calloc(1, sizeof(*raw));

	if (!raw)
		return NULL;
	raw->sink.take = take;
	raw->context = *context;
	return &raw->sink;
}

static int close_raw(struct step_sink *sink)
{
	free(sink);
	return 0;
}

const struct timeline_renderer timeline_raw = {
	.command = "timeline",
	.format = "raw",
	.open = open_raw,
	.close = close_raw,
};
