/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "report/text/line_buffer.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct raw_callback {
	struct step_callback callback;
	const struct function_table *functions;
	struct line_buffer line;
};

static void take(struct step_callback *callback, const struct call_step *step)
{
	enum { ADDRESS_DIGITS = 16 };
	struct raw_callback *raw = (struct raw_callback *)callback;
	struct line_buffer *line = &raw->line;
	char *text;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	text = line_buffer_room(line, 2 + ADDRESS_DIGITS);
	text[0] = step->kind == STEP_ENTER ? 'E' : 'X';
	text[1] = ' ';
	digits_hex_padded(text + 2,
			  function_at(raw->functions, step->function)->address,
			  ADDRESS_DIGITS);
	line->size += 2 + ADDRESS_DIGITS;
	line_buffer_put(line, " ", 1);
	line_buffer_number(line, step->time_ns);
	line_buffer_put(line, " ", 1);
	line_buffer_signed(line, step->task->pid);
	line_buffer_put(line, "\n", 1);
	line_buffer_end(line);
}

static struct step_callback *open_raw(const struct timeline_context *context)
{
	struct raw_callback *raw = calloc(1, sizeof(*raw));

	if (!raw)
		return NULL;
	raw->callback.take = take;
	raw->functions = context->functions;
	line_buffer_start(&raw->line, context->out);
	return &raw->callback;
}

static int close_raw(struct step_callback *callback)
{
	struct raw_callback *raw = (struct raw_callback *)callback;

	line_buffer_flush(&raw->line);
	free(raw);
	return 0;
}

const struct timeline_renderer timeline_raw = {
	.command = "timeline",
	.format = "raw",
	.open = open_raw,
	.close = close_raw,
};
