/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_TEXTS_H
#define KT_REPORT_STEP_TEXTS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stddef.h>

struct timeline_context;

/* What a format writes of a function or a task, made once: names are looked
 * up, cut and escaped for the first step alone that has them.
 */
struct step_text {
	char *text;		/* NULL: not made */
	size_t size;
	/* What it was made for: others make it anew. */
	int32_t tid;
	int32_t pid;
	uint64_t address;	/* of the function */
	uint64_t since_ns;	/* of the task's name */
	uint64_t until_ns;
};

/* Returns the text for @step, to be freed, and its length in *@size; NULL when
 * out of memory.
 */
typedef char *step_text_make(const void *ctx, const struct call_step *step,
			     size_t *size);

/* The texts of one format. */
struct step_texts {
	const struct timeline_context *context;	/* borrowed */
	const void *ctx;	/* of the functions below */
	step_text_make *make_function;	/* from step->function, and
					 * step->task->pid if by_process */
	step_text_make *make_task;	/* from step->task and step->time_ns */
	struct array functions;	/* struct step_text by number */
	struct array tasks;	/* struct step_text by index */
	int status;		/* 0, or -ERROR_MEMORY: texts are missing */
};

struct step_texts step_texts_of(const struct timeline_context *context,
				step_text_make *make_function,
				step_text_make *make_task, const void *ctx);
void step_texts_free(struct step_texts *texts);

/* Return the text for the function, or the task, of @step: never NULL, but
 * empty when out of memory.
 */
const struct step_text *step_texts_function(struct step_texts *texts,
					    const struct call_step *step);
const struct step_text *step_texts_task(struct step_texts *texts,
					const struct call_step *step);

/* Returns item @index of @list (struct step_text), which does not depend on
 * anything else and is made by @make if it has not been.
 */
const struct step_text *step_texts_constant(struct step_texts *texts,
					    struct array *list, size_t index,
					    step_text_make *make,
					    const struct call_step *step);

/* Frees what is in such a list. */
void step_texts_free_list(struct array *list);


#endif
