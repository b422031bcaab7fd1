/* SPDX-License-Identifier: MIT */
#include "report/timeline/text_names.h"

#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/source_label.h"
#include "report/text/task_label.h"
#include "report/text/user_mark.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* Converts a result of asprintf(), @text and @length, to the result of a
 * step_text_make.
 */
static char *made(char *text, int length, size_t *size)
{
	*size = (size_t)length;
	return length < 0 ? NULL : text;
}

char *text_name_function(const void *ctx, const struct call_step *step,
			 size_t *size)
{
	const struct timeline_context *context = ctx;
	char *text = name_made(NAME_TEXT, function_text(context->functions,
							step->function));

	*size = text ? strlen(text) : 0;
	return text;
}

char *text_name_origin(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	const struct timeline_context *context = ctx;
	const struct function *function =
		function_at(context->functions, step->function);
	const char *mark = user_mark(function);
	struct source_label label = { "" };
	char *source;
	char *text = NULL;
	int length = -1;

	if (context->lines)
		label = source_label_of(context->lines, context->functions,
					step->function);
	source = name_made(NAME_TEXT, label.text);
	if (source)
		length = asprintf(&text, *source ? "%s  /* %s */" : "%s%s",
				  mark, source);
	free(source);
	return made(text, length, size);
}

char *text_name_task(const void *ctx, const struct call_step *step,
		     size_t *size)
{
	const struct timeline_context *context = ctx;
	struct task_label label =
		task_label_of(context->names, step->task->tid, step->time_ns);
	char *name = name_made(NAME_TEXT, label.text);
	char *text = NULL;
	int length = name ? asprintf(&text, ")  %-20s | ", name) : -1;

	free(name);
	return made(text, length, size);
}
