/* SPDX-License-Identifier: MIT */
#include "report/steps/step_select.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

struct named_functions
named_functions_of(const struct function_table *functions,
		   const struct name_choice *choice)
{
	return (struct named_functions){
		.functions = functions,
		.choice = choice,
		.answers = ARRAY_OF(uint8_t),
	};
}

void named_functions_free(struct named_functions *named)
{
	array_free(&named->answers);
}

bool named_functions_has(struct named_functions *named, uint32_t function)
{
	uint8_t *answer;

	if (!named->choice)
		return false;
	answer = array_reach(&named->answers, function);
	if (!answer) {
		named->status = -ERROR_MEMORY;
		return false;
	}
	if (*answer == ANSWER_UNKNOWN)
		*answer = function_is_chosen(function_at(named->functions,
							 function),
					     named->choice) ?
				  ANSWER_YES :
				  ANSWER_NO;
	return *answer == ANSWER_YES;
}

struct waiting {
	struct call_step step;
	/* serial number: of an exit, that of its entry; else its own */
	uint64_t number;
	bool is_open;  /* an entry whose exit has not arrived */
	bool is_short; /* an entry to be left out */
};

/* The open entries of one task, by serial number in the queue. */
struct task_entries {
	struct array numbers; /* uint64_t */
};

/* Delays call events, in order, until it is known whether each entered function
 * lasts at least min_ns. Passes on at most max_count such functions: the last one
 * is followed by the exits of functions entered before, and by nothing else.
 */
struct step_delay {
	struct step_callback callback;
	struct step_callback *next;
	uint64_t min_ns;
	uint64_t max_count;
	uint64_t count; /* of entries passed on */
	/* the serial number after that of the last entry to pass on; UINT64_MAX
	 * until that entry is passed on
	 */
	uint64_t limit;
	struct waiting *ring;
	uint64_t room;	    /* a power of two */
	uint64_t first;	    /* serial number of the oldest delayed event */
	uint64_t end;	    /* serial number of the next event */
	struct array tasks; /* struct task_entries by task index */
	int status;
};

static struct waiting *at(const struct step_delay *delay, uint64_t number)
{
	return &delay->ring[number & (delay->room - 1)];
}

static int grow(struct step_delay *delay)
{
	uint64_t room = delay->room ? delay->room * 2 : 1024;
	struct waiting *ring = calloc(room, sizeof(*ring));

	if (!ring)
		return -ERROR_MEMORY;
	for (uint64_t i = delay->first; i < delay->end; i++)
		ring[i & (room - 1)] = *at(delay, i);
	free(delay->ring);
	delay->ring = ring;
	delay->room = room;
	return 0;
}

static int append(struct step_delay *delay, const struct call_step *step,
		  uint64_t number, bool is_open)
{
	if (delay->end - delay->first == delay->room && grow(delay) < 0)
		return -ERROR_MEMORY;
	*at(delay, delay->end++) = (struct waiting){
		.step = *step,
		.number = number,
		.is_open = is_open,
	};
	return 0;
}

static struct array *entries_of(struct step_delay *delay, uint32_t task)
{
	while (delay->tasks.count <= task) {
		struct task_entries *entries = array_add(&delay->tasks);

		if (!entries)
			return NULL;
		entries->numbers = ARRAY_OF(uint64_t);
	}
	return &((struct task_entries *)array_at(&delay->tasks, task))->numbers;
}

static int delay_entry(struct step_delay *delay, struct array *entries,
		       const struct call_step *step)
{
	uint64_t number = delay->end;

	if (append(delay, step, number, true) < 0)
		return -ERROR_MEMORY;
	return array_append(entries, &number);
}

static int delay_exit(struct step_delay *delay, struct array *entries,
		      const struct call_step *step)
{
	uint64_t number = *(uint64_t *)array_at(entries, entries->count - 1);

	entries->count--;
	/* The entry was passed on already: its function has lasted long enough.
	 */
	if (number < delay->first)
		return append(delay, step, number, false);
	at(delay, number)->is_open = false;
	at(delay, number)->is_short = step->wall_ns < delay->min_ns;
	return at(delay, number)->is_short ? 0 :
					     append(delay, step, number, false);
}

static void pass_one(struct step_delay *delay, const struct waiting *oldest)
{
	if (oldest->is_short || oldest->number >= delay->limit)
		return;
	delay->count += oldest->step.kind == STEP_ENTER;
	if (delay->count == delay->max_count && delay->limit == UINT64_MAX)
		delay->limit = delay->first + 1;
	delay->next->consume(delay->next, &oldest->step);
}

static void pass_on(struct step_delay *delay, uint64_t now_ns)
{
	for (; delay->first < delay->end; delay->first++) {
		const struct waiting *oldest = at(delay, delay->first);

		if (oldest->is_open &&
		    now_ns < oldest->step.time_ns + delay->min_ns)
			break;
		pass_one(delay, oldest);
	}
}

static void delay_step(struct step_callback *callback,
		       const struct call_step *step)
{
	struct step_delay *delay = (struct step_delay *)callback;
	struct array *entries = entries_of(delay, step->task->index);
	int status = -ERROR_MEMORY;

	if (!entries)
		delay->status = status;
	else if (step->kind == STEP_ENTER)
		status = delay_entry(delay, entries, step);
	else if (step->kind == STEP_EXIT && entries->count)
		status = delay_exit(delay, entries, step);
	else
		status = append(delay, step, delay->end, false);
	if (status < 0)
		delay->status = status;
	pass_on(delay, step->time_ns);
}

/* Borrows @next.  Returns NULL when out of memory. */
static struct step_delay *delay_new(const struct step_select_options *options,
				    struct step_callback *next)
{
	struct step_delay *delay = calloc(1, sizeof(*delay));

	if (!delay)
		return NULL;
	delay->callback.consume = delay_step;
	delay->next = next;
	delay->min_ns = options->min_ns;
	delay->max_count = options->max_count;
	delay->limit = options->max_count ? UINT64_MAX : 0;
	delay->tasks = ARRAY_OF(struct task_entries);
	return delay;
}

static void delay_free(struct step_delay *delay)
{
	if (!delay)
		return;
	for (size_t i = 0; i < delay->tasks.count; i++) {
		struct task_entries *entries = array_at(&delay->tasks, i);

		array_free(&entries->numbers);
	}
	array_free(&delay->tasks);
	free(delay->ring);
	free(delay);
}

/* Passes on the delayed events. Returns 0, or -ERROR_MEMORY if events were
 * lost.
 */
static int delay_end(struct step_delay *delay)
{
	pass_on(delay, UINT64_MAX);
	return delay->status;
}

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
	/* every function of a selected task is shown */
	bool has_all_functions;
	uint64_t count;	     /* of entries passed on */
	uint64_t open_count; /* entries passed on without their exits */
	int status;
};

static struct task_selection *make_selection(struct step_select *select,
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
	selection->is_known = true;
	selection->is_wanted = step_filter_task(select->options.filter, task);
	return selection;
}

/* Returns NULL when out of memory. */
static inline struct task_selection *selection_of(struct step_select *select,
						  const struct task *task)
{
	struct task_selection *selections = select->tasks.items;

	if (task->index < select->tasks.count &&
	    selections[task->index].is_known)
		return &selections[task->index];
	return make_selection(select, task);
}

static bool is_in_window(const struct step_select *select,
			 const struct call_step *step)
{
	return time_window_has(select->options.window, step->time_ns) &&
	       step_filter_cpu(select->options.filter, step->cpu);
}

/* Returns whether all functions that may be shown have begun. */
static bool has_last(const struct step_select *select)
{
	return select->delay ? select->delay->limit != UINT64_MAX :
			       select->count >= select->options.max_count;
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
	       is_in_window(select, step) && !has_last(select);
}

static void select_entry(struct step_select *select,
			 struct task_selection *selection,
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
	select->next->consume(select->next, step);
}

static void select_exit(struct step_select *select,
			struct task_selection *selection,
			const struct call_step *step)
{
	bool *passed = step->depth < selection->passed.count ?
			       array_at(&selection->passed, step->depth) :
			       NULL;

	if (passed && *passed) {
		*passed = false;
		select->open_count--;
		select->next->consume(select->next, step);
	}
	if (selection->base == step->depth)
		selection->base = NOT_INSIDE;
	if (selection->hidden == step->depth)
		selection->hidden = NOT_INSIDE;
}

/* Returns whether an event that is neither an entry nor an exit is selected.
 * With chosen functions, only gaps and ends are shown while none of these
 * functions is open.
 */
static bool wants_other(const struct step_select *select,
			const struct task_selection *selection,
			const struct call_step *step)
{
	bool is_inside = !select->options.shown ||
			 selection->base != NOT_INSIDE;

	return step->kind != STEP_COUNT && is_in_window(select, step) &&
	       !has_last(select) &&
	       (is_inside || step->kind == STEP_GAP || step->kind == STEP_END);
}

static void select_step(struct step_callback *callback,
			const struct call_step *step)
{
	struct step_select *select = (struct step_select *)callback;
	struct task_selection *selection = selection_of(select, step->task);

	if (!selection) {
		select->status = -ERROR_MEMORY;
		return;
	}
	if (!selection->is_wanted)
		return;
	if (select->has_all_functions && step->kind <= STEP_EXIT)
		select->next->consume(select->next, step);
	else if (step->kind == STEP_ENTER)
		select_entry(select, selection, step);
	else if (step->kind == STEP_EXIT)
		select_exit(select, selection, step);
	else if (wants_other(select, selection, step))
		select->next->consume(select->next, step);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct step_select *select = (const struct step_select *)callback;

	return !select->open_count &&
	       (time_ns >= select->options.window.until_ns || has_last(select));
}

/* Returns the number of the outermost frames up to the innermost whose entry was
 * passed on.
 */
static uint32_t passed_frames(const struct task_selection *selection)
{
	const bool *passed = selection->passed.items;
	size_t count = selection->passed.count;

	while (count && !passed[count - 1])
		count--;
	return (uint32_t)count;
}

/* Skips calls and returns outside the window: those before it, from a checkpoint
 * on, and those after it, up to the exits of the calls that began in it.
 */
static uint32_t skip_outside(struct step_callback *callback,
			     const struct call_step *step,
			     struct call_stack *stack,
			     const struct function_event *events,
			     uint32_t count, struct call_times *times)
{
	struct step_select *select = (struct step_select *)callback;
	const struct time_window *window = &select->options.window;
	const struct task_selection *selection;
	struct plain_frames open;
	uint64_t until_ns;
	uint32_t frames;
	uint32_t i;

	if (!count || time_window_has(*window, events->time_ns) ||
	    !times->is_running || events->time_ns < times->last_ns)
		return 0;
	until_ns = events->time_ns < window->since_ns ? window->since_ns :
							UINT64_MAX;
	selection = selection_of(select, step->task);
	if (!selection)
		return 0;
	frames = passed_frames(selection);
	open = plain_frames_of(stack);
	for (i = 0; i < count && events[i].time_ns < until_ns; i++) {
		const struct function_event *event = &events[i];
		uint32_t depth = (uint32_t)(open.next - open.first);

		if ((event->kind != FUNCTION_CALL && depth <= frames) ||
		    !plain_call_consume(&open, event, event->time_ns,
					call_times_clock(times, event)))
			break;
	}
	plain_frames_put_back(&open, stack);
	if (i)
		times->last_ns = events[i - 1].time_ns;
	return i;
}

static bool has_all_functions(const struct step_select_options *options)
{
	return !options->shown && !options->hidden &&
	       options->max_depth == UINT32_MAX &&
	       options->max_count == UINT64_MAX &&
	       time_window_is_all(options->window) &&
	       (!options->filter || !options->filter->cpu_count);
}

struct step_select *step_select_new(const struct step_select_options *options,
				    const struct function_table *functions,
				    struct step_callback *next)
{
	struct step_select *select = calloc(1, sizeof(*select));

	if (!select)
		return NULL;
	select->callback.consume = select_step;
	select->callback.is_done = is_done;
	select->options = *options;
	select->has_all_functions = has_all_functions(options);
	if (!select->has_all_functions && !options->shown && !options->hidden)
		select->callback.consume_plain = skip_outside;
	select->shown = named_functions_of(functions, options->shown);
	select->hidden = named_functions_of(functions, options->hidden);
	select->tasks = ARRAY_OF(struct task_selection);
	select->next = next;
	if (!options->min_ns)
		return select;
	select->delay = delay_new(options, next);
	if (!select->delay) {
		step_select_free(select);
		return NULL;
	}
	select->next = &select->delay->callback;
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
	delay_free(select->delay);
	free(select);
}

struct step_callback *step_select_callback(struct step_select *select)
{
	return &select->callback;
}

int step_select_end(struct step_select *select)
{
	int status = select->delay ? delay_end(select->delay) : 0;

	status = status ? status : select->shown.status;
	status = status ? status : select->hidden.status;
	return status ? status : select->status;
}
