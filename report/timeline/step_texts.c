/* SPDX-License-Identifier: MIT */
#include "report/timeline/step_texts.h"

#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

const char *call_how_text(uint8_t how)
{
	switch ((enum call_how)how) {
	case HOW_CALL:
		return "call";
	case HOW_TAIL:
		return "tail";
	case HOW_EXCEPTION:
		return "interrupt";
	case HOW_SYSTEM_CALL:
		return "system_call";
	case HOW_START:
		return "start";
	case HOW_INFERRED:
		return "inferred";
	case HOW_RESUMED:
		return "resumed";
	}
	return "?";
}

const char *cpu_state_text(uint8_t state)
{
	switch ((enum cpu_state)state) {
	case CPU_UNSEEN:
		return "unseen";
	case CPU_TRACED:
		return "traced";
	case CPU_OUTSIDE:
		return "outside";
	case CPU_FILTERED:
		return "filtered";
	case CPU_NOT_ASKED:
		return "not asked for";
	case CPU_GUEST:
		return "guest";
	case CPU_OFF:
		return "off";
	case CPU_GAP:
		return "gap";
	case CPU_STATES:
		break;
	}
	return "?";
}

static const struct step_text nothing = { .text = "" };

struct step_texts step_texts_of(const struct timeline_context *context,
				step_text_make *make, const void *ctx)
{
	return (struct step_texts){
		.context = context,
		.make = make,
		.ctx = ctx,
		.list = ARRAY_OF(struct step_text),
		.has_one_each = !context->by_process && !context->lines,
	};
}

static void forget(struct step_text *text)
{
	free((void *)(uintptr_t)text->text);
	*text = (struct step_text){ .text = NULL };
}

void step_texts_free(struct step_texts *texts)
{
	for (size_t i = 0; i < texts->list.count; i++) {
		struct step_text *text = array_at(&texts->list, i);

		forget(text);
	}
	array_free(&texts->list);
}

/* Returns item @index, created if needed; NULL when out of memory. */
static struct step_text *reach(struct step_texts *texts, size_t index)
{
	struct step_text *items = texts->list.items;
	struct step_text *text = index < texts->list.count ?
					 items + index :
					 array_reach(&texts->list, index);

	if (!text)
		texts->status = -ERROR_MEMORY;
	return text;
}

/* Makes @text for @step and returns it, or an empty text when out of memory. */
static const struct step_text *make_anew(struct step_texts *texts,
					 struct step_text *text,
					 const struct call_step *step)
{
	forget(text);
	text->text = texts->make(texts->ctx, step, &text->size);
	if (text->text)
		return text;
	texts->status = -ERROR_MEMORY;
	return &nothing;
}

const struct step_text *step_texts_new_function(struct step_texts *texts,
						const struct call_step *step)
{
	const struct timeline_context *context = texts->context;
	struct step_text *text = reach(texts, step->function);
	int32_t pid = context->by_process ? step->task->pid : -1;
	const struct step_text *made;
	uint64_t address = 0;

	if (!text)
		return &nothing;
	/* A function's line is at its lowest entry address, which may change
	 * when a lower one is found.
	 */
	if (context->lines)
		address =
			function_at(context->functions, step->function)->address;
	if (text->text && text->pid == pid && text->address == address)
		return text;
	made = make_anew(texts, text, step);
	text->pid = pid;
	text->address = address;
	return made;
}

const struct step_text *step_texts_new_task(struct step_texts *texts,
					    const struct call_step *step)
{
	struct step_text *text = reach(texts, step->task->index);
	const struct step_text *made;
	struct task_name_time time;

	if (!text)
		return &nothing;
	made = make_anew(texts, text, step);
	time = task_names_time(texts->context->names, step->task->tid,
			       step->time_ns);
	text->tid = step->task->tid;
	text->pid = step->task->pid;
	text->since_ns = time.since_ns;
	text->until_ns = time.until_ns;
	return made;
}

const struct step_text *step_texts_new_number(struct step_texts *texts,
					      size_t index,
					      const struct call_step *step)
{
	struct step_text *text = reach(texts, index);

	if (!text)
		return &nothing;
	return text->text ? text : make_anew(texts, text, step);
}
