/* SPDX-License-Identifier: MIT */
#include "report/steps/step_select.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/named_functions.h"
#include "report/steps/step_delay.h"

#include <stdbool.h>
#include <stdlib.h>

enum { NOT_INSIDE = UINT32_MAX };

struct task_selection {
	bool is_known;
	bool is_wanted;
	uint32_t base;	     /* depth of the open shown function */
	uint32_t hidden;     /* depth of the open hidden function */
	struct array passed; /* bool by depth: its entry was passed on */
};

struct step_select {
	struct step_callback callback;
	struct step_select_options options;
	struct named_functions shown;
	struct named_functions hidden;
	struct step_delay *delay; /* NULL without min_ns */
	struct step_callback *next;
	struct array tasks; /* struct task_selection by index */
	uint64_t count;
	uint64_t open_count; /* entries passed on without their exits */
	int status;
};

static struct task_selection *selection_of(struct step_select *select,
					   const struct task *task)
{
	struct task_selection *selection;

	while (select->tasks.count <= task->index) {
		selection = array_add(&select->tasks);
		if (!selection)
			return NULL;
		selection->base = NOT_INSIDE;
		selection->hidden = NOT_INSIDE;
		selection->passed = ARRAY_OF(bool);
	}
	selection = array_at(&select->tasks, task->index);
	if (!selection->is_known) {
		selection->is_known = true;
		selection->is_wanted =
			step_filter_task(select->options.filter, task);
	}
	return selection;
}

static bool is_in_window(const struct step_select *select,
			 const struct call_step *step)
{
	return time_window_has(select->options.window, step->time_ns) &&
	       step_filter_cpu(select->options.filter, step->cpu);
}

/* Returns whether an entry is shown; records the depth at which a shown or
 * hidden function begins.
 */
static bool wants_entry(struct step_select *select,
			struct task_selection *selection,
			const struct call_step *step)
{
	uint32_t base = 0;

	if (selection->hidden == NOT_INSIDE &&
	    named_functions_has(&select->hidden, step->function))
		selection->hidden = step->depth;
	if (select->options.shown) {
		if (selection->base == NOT_INSIDE &&
		    named_functions_has(&select->shown, step->function))
			selection->base = step->depth;
		base = selection->base;
	}
	return base != NOT_INSIDE && selection->hidden == NOT_INSIDE &&
	       step->depth - base < select->options.max_depth &&
	       is_in_window(select, step) &&
	       select->count < select->options.max_count;
}

static void enter(struct step_select *select, struct task_selection *selection,
		  const struct call_step *step)
{
	bool wanted = wants_entry(select, selection, step);
	bool *passed;

	passed = array_reach(&selection->passed, step->depth);
	if (!passed) {
		select->status = -ERROR_MEMORY;
		return;
	}
	*passed = wanted;
	if (!wanted)
		return;
	select->count++;
	select->open_count++;
	select->next->take(select->next, step);
}

static void leave(struct step_select *select, struct task_selection *selection,
		  const struct call_step *step)
{
	bool *passed = step->depth < selection->passed.count ?
			       array_at(&selection->passed, step->depth) :
			       NULL;

	if (passed && *passed) {
		*passed = false;
		select->open_count--;
		select->next->take(select->next, step);
	}
	if (selection->base == step->depth)
		selection->base = NOT_INSIDE;
	if (selection->hidden == step->depth)
		selection->hidden = NOT_INSIDE;
}

/* In a timeline of chosen functions, only gaps are shown while none is open. */
static bool wants_other(const struct step_select *select,
			const struct task_selection *selection,
			const struct call_step *step)
{
	bool is_inside = !select->options.shown ||
			 selection->base != NOT_INSIDE;

	return step->kind != STEP_COUNT && is_in_window(select, step) &&
	       select->count < select->options.max_count &&
	       (is_inside || step->kind == STEP_GAP || step->kind == STEP_END);
}

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct step_select *select = (struct step_select *)callback;
	struct task_selection *selection = selection_of(select, step->task);

	if (!selection) {
		select->status = -ERROR_MEMORY;
		return;
	}
	if (!selection->is_wanted)
		return;
	if (step->kind == STEP_ENTER)
		enter(select, selection, step);
	else if (step->kind == STEP_EXIT)
		leave(select, selection, step);
	else if (wants_other(select, selection, step))
		select->next->take(select->next, step);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct step_select *select = (const struct step_select *)callback;

	return !select->open_count &&
	       (time_ns >= select->options.window.until_ns ||
		select->count >= select->options.max_count);
}

struct step_select *step_select_new(const struct step_select_options *options,
				    const struct function_table *functions,
				    struct step_callback *next)
{
	struct step_select *select = calloc(1, sizeof(*select));

	if (!select)
		return NULL;
	select->callback.take = take;
	select->callback.is_done = is_done;
	select->options = *options;
	select->shown = named_functions_of(functions, options->shown);
	select->hidden = named_functions_of(functions, options->hidden);
	select->tasks = ARRAY_OF(struct task_selection);
	select->next = next;
	if (!options->min_ns)
		return select;
	select->delay = step_delay_new(options->min_ns, next);
	if (!select->delay) {
		step_select_free(select);
		return NULL;
	}
	select->next = step_delay_callback(select->delay);
	return select;
}

void step_select_free(struct step_select *select)
{
	if (!select)
		return;
	for (size_t i = 0; i < select->tasks.count; i++) {
		struct task_selection *selection = array_at(&select->tasks, i);

		array_free(&selection->passed);
	}
	array_free(&select->tasks);
	named_functions_free(&select->shown);
	named_functions_free(&select->hidden);
	step_delay_free(select->delay);
	free(select);
}

struct step_callback *step_select_callback(struct step_select *select)
{
	return &select->callback;
}

int step_select_end(struct step_select *select)
{
	int status = select->delay ? step_delay_end(select->delay) : 0;

	status = status ? status : select->shown.status;
	status = status ? status : select->hidden.status;
	return status ? status : select->status;
}
