/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_TEXTS_H
#define KT_REPORT_STEP_TEXTS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stddef.h>

struct timeline_context;

/* This is what a format writes of a function or a task, made once: names are
 * looked up, cut and escaped for the first step alone that has them.
 */
struct step_text {
	const char *text; /* NULL: not made; owner: the list */
	size_t size;
	/* This is what it was made for: others make it anew. */
	int32_t tid;
	int32_t pid;
	uint64_t address;  /* of the function */
	uint64_t since_ns; /* of the task's name */
	uint64_t until_ns;
};

/* Returns the text for @step, to be freed, and its length in *@size; NULL when
 * out of memory.
 */
typedef char *step_text_make(const void *ctx, const struct call_step *step,
			     size_t *size);

/* Texts of one kind in one format. */
struct step_texts {
	const struct timeline_context *context; /* borrowed */
	step_text_make *make;
	const void *ctx;   /* of make */
	struct array list; /* struct step_text */
	int status;	   /* 0, or -ERROR_MEMORY: texts are missing */
};

struct step_texts step_texts_of(const struct timeline_context *context,
				step_text_make *make, const void *ctx);
void step_texts_free(struct step_texts *texts);

/* Return the text that step->function (and step->task->pid if by_process), or
 * step->task (and its name at step->time_ns), or the number @index lead to:
 * never NULL, but empty when out of memory.  One struct holds texts of one of
 * these kinds.
 */
const struct step_text *step_texts_function(struct step_texts *texts,
					    const struct call_step *step);
const struct step_text *step_texts_task(struct step_texts *texts,
					const struct call_step *step);
const struct step_text *step_texts_new_number(struct step_texts *texts,
					      size_t index,
					      const struct call_step *step);

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
