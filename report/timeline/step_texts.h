/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_STEP_TEXTS_H
#define KT_REPORT_TIMELINE_STEP_TEXTS_H

/* Texts of functions, tasks and states in the formats of timelines, each made
 * once.
 *
 * A name is looked up, cut and escaped only for the first event that has it;
 * later events copy the cached text. The key is the function or the task, with
 * the time while the task has that name.
 *
 * 1. The list owns its texts. A text is valid until the next query.
 * 2. When memory runs out, texts are empty and status is -ERROR_MEMORY; the
 *    writer checks it at its end.
 *
 * One thread. Memory: one text for each function and task that occurs.
 */

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_context;

/* Return the names of an enum call_how and an enum cpu_state in all formats;
 * never NULL.
 */
const char *call_how_text(uint8_t how);
const char *cpu_state_text(uint8_t state);

/* A format's text for a function or a task, cached: its name is looked up, cut
 * and escaped only for the first event that has it.
 */
struct step_text {
	const char *text; /* NULL: not cached; owner: the list */
	size_t size;
	/* Cache key: other values replace the text. */
	int32_t tid;
	int32_t pid;
	uint64_t address;  /* of the function */
	uint64_t since_ns; /* start of the validity of the task's name */
	uint64_t until_ns;
};

/* Returns the text for @step, which the caller frees, and its length in *@size;
 * NULL when out of memory.
 */
typedef char *step_text_make(const void *ctx, const struct call_step *step,
			     size_t *size);

/* Texts of one kind in one format. */
struct step_texts {
	const struct timeline_context *context; /* borrowed */
	step_text_make *make;
	const void *ctx;   /* argument of make */
	struct array list; /* struct step_text */
	/* a function has the same text in all processes and at all times */
	bool has_one_each;
	int status; /* 0, or -ERROR_MEMORY: texts are missing */
};

struct step_texts step_texts_of(const struct timeline_context *context,
				step_text_make *make, const void *ctx);
void step_texts_free(struct step_texts *texts);

/* step_texts_function(), step_texts_task() and step_texts_number() return the
 * text of step->function (in step->task->pid, if by_process), of step->task (by
 * its name at step->time_ns) or of @index. The text is never NULL, but empty
 * when out of memory. Use one struct with only one of them. The functions with
 * "new" make texts that are not cached yet.
 */
const struct step_text *step_texts_new_function(struct step_texts *texts,
						const struct call_step *step);
const struct step_text *step_texts_new_task(struct step_texts *texts,
					    const struct call_step *step);
const struct step_text *step_texts_new_number(struct step_texts *texts,
					      size_t index,
					      const struct call_step *step);

static inline const struct step_text *
step_texts_function(struct step_texts *texts, const struct call_step *step)
{
	const struct step_text *items = texts->list.items;

	if (texts->has_one_each && step->function < texts->list.count &&
	    items[step->function].text)
		return &items[step->function];
	return step_texts_new_function(texts, step);
}

static inline bool step_text_is_of_task(const struct step_text *text,
					const struct call_step *step)
{
	return text->text && text->tid == step->task->tid &&
	       text->pid == step->task->pid &&
	       step->time_ns >= text->since_ns &&
	       step->time_ns < text->until_ns;
}

static inline const struct step_text *
step_texts_task(struct step_texts *texts, const struct call_step *step)
{
	const struct step_text *items = texts->list.items;
	uint32_t index = step->task->index;

	if (index < texts->list.count &&
	    step_text_is_of_task(&items[index], step))
		return &items[index];
	return step_texts_new_task(texts, step);
}

static inline const struct step_text *
step_texts_number(struct step_texts *texts, size_t index,
		  const struct call_step *step)
{
	const struct step_text *items = texts->list.items;

	if (index < texts->list.count && items[index].text)
		return &items[index];
	return step_texts_new_number(texts, index, step);
}

#endif
