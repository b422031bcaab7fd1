/* SPDX-License-Identifier: MIT */
#include "attribution/time/wait_channels.h"

#include "attribution/events/function_marks.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/kernel/text_file.h"

#include <stdlib.h>

enum {
	PLACE_SCHEDULER = 1,  /* in_sched_functions(): sched and lock text */
	PLACE_WAKES = 2,      /* helps to wake */
	PLACE_DISPATCHER = 4, /* calls the handlers of interrupts */
	/* a task leaves its CPU there for the last time */
	PLACE_ENDS = 8,
};

/* kernel/sched/, kernel/locking/, kernel/exit.c, fs/eventpoll.c, mm/filemap.c,
 * kernel/softirq.c and kernel/irq/handle.c of Linux 5.10 to 6.15.
 */
static const struct name_rule rules[] = {
	{ "try_to_wake_up", false, PLACE_WAKES },
	{ "wake_up_process", false, PLACE_WAKES },
	{ "wake_up_state", false, PLACE_WAKES },
	{ "wake_up_q", false, PLACE_WAKES },
	{ "wake_up_bit", false, PLACE_WAKES },
	{ "wake_up_var", false, PLACE_WAKES },
	{ "wake_bit_function", false, PLACE_WAKES },
	{ "wake_page_function", false, PLACE_WAKES },
	{ "var_wake_function", false, PLACE_WAKES },
	{ "__wake_up", true, PLACE_WAKES },
	{ "swake_up_", true, PLACE_WAKES },
	{ "rcuwait_wake_up", false, PLACE_WAKES },
	{ "complete", false, PLACE_WAKES },
	{ "complete_all", false, PLACE_WAKES },
	{ "complete_with_flags", false, PLACE_WAKES },
	{ "default_wake_function", false, PLACE_WAKES },
	{ "autoremove_wake_function", false, PLACE_WAKES },
	{ "woken_wake_function", false, PLACE_WAKES },
	{ "child_wait_callback", false, PLACE_WAKES },
	{ "receiver_wake_function", false, PLACE_WAKES },
	{ "pollwake", false, PLACE_WAKES },
	{ "ep_autoremove_wake_function", false, PLACE_WAKES },
	{ "ep_poll_callback", false, PLACE_WAKES },
	{ "do_task_dead", false, PLACE_ENDS },
	{ "handle_softirqs", false, PLACE_DISPATCHER },
	{ "__do_softirq", false, PLACE_DISPATCHER },
	{ "__handle_irq_event_percpu", false, PLACE_DISPATCHER },
};

/* Used if the marks around the scheduler's text are unknown. */
static const struct name_rule unmarked_rules[] = {
	{ "schedule", true, PLACE_SCHEDULER },
	{ "__schedule", true, PLACE_SCHEDULER },
	{ "preempt_schedule", true, PLACE_SCHEDULER },
	{ "io_schedule", true, PLACE_SCHEDULER },
	{ "__mutex_", true, PLACE_SCHEDULER },
	{ "mutex_", true, PLACE_SCHEDULER },
	{ "__down", true, PLACE_SCHEDULER },
	{ "down_", true, PLACE_SCHEDULER },
	{ "rwsem_down_", true, PLACE_SCHEDULER },
	{ "wait_for_completion", true, PLACE_SCHEDULER },
	{ "__wait_for_common", false, PLACE_SCHEDULER },
	{ "__wait_on_bit", true, PLACE_SCHEDULER },
	{ "out_of_line_wait_on_bit", true, PLACE_SCHEDULER },
	{ "bit_wait", true, PLACE_SCHEDULER },
	{ "do_nanosleep", false, PLACE_SCHEDULER },
};

struct wait_channels {
	const struct context_kinds *kinds;
	struct function_marks *places; /* PLACE_* bits by function */
};

struct wait_marks wait_marks_of(const struct recording *recording)
{
	const char *path = recording_kallsyms_path(recording);
	struct wait_marks marks = { .sched = { 0, 0 } };
	struct text_file file;

	if (!path || text_file_read(path, NULL, &file) < 0)
		return marks;
	kernel_range_find(file.text, file.size_bytes, "sched", &marks.sched);
	kernel_range_find(file.text, file.size_bytes, "lock", &marks.lock);
	text_file_free(&file);
	return marks;
}

static bool is_in(const struct kernel_range *range, uint64_t address)
{
	return address >= range->start && address < range->end;
}

/* Marks the functions of the kernel's scheduler and locks. */
static void mark_scheduler(struct function_marks *places,
			   const struct function_marks *unmarked,
			   const struct function_table *functions,
			   const struct wait_marks *marks)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k' &&
		    (is_in(&marks->sched, function->address) ||
		     is_in(&marks->lock, function->address)))
			places->values[i] |= PLACE_SCHEDULER;
		/* A function split into parts may have no start in the kernel's
		 * symbols.
		 */
		if (!marks->sched.start || !function->address)
			places->values[i] |= unmarked->values[i];
	}
}

#define MARKS_BY(list) \
	function_marks_by_rules(functions, list, sizeof(list) / sizeof(*(list)))

struct wait_channels *wait_channels_new(const struct function_table *functions,
					const struct context_kinds *kinds,
					const struct wait_marks *marks)
{
	struct wait_channels *places = calloc(1, sizeof(*places));
	struct function_marks *unmarked = MARKS_BY(unmarked_rules);

	if (places)
		places->places = MARKS_BY(rules);
	if (!unmarked || !places || !places->places) {
		free(unmarked);
		wait_channels_free(places);
		return NULL;
	}
	places->kinds = kinds;
	mark_scheduler(places->places, unmarked, functions, marks);
	free(unmarked);
	return places;
}

void wait_channels_free(struct wait_channels *places)
{
	if (!places)
		return;
	free(places->places);
	free(places);
}

static bool is_place(const struct wait_channels *places,
		     const struct path_frame *frame, uint8_t place)
{
	return function_marks_at(places->places, frame->function) & place;
}

bool wait_channels_find(const struct wait_channels *places,
			const struct path_frame *frames, size_t count,
			struct wait_channel *place)
{
	size_t at = count;

	/* The innermost frames may be those that record the switch. */
	while (at && context_kind_of(places->kinds, frames[at - 1].function) !=
			     CONTEXT_SCHEDULE)
		at--;
	if (!at)
		return false;
	place->depth = at--;
	while (at && is_place(places, &frames[at], PLACE_SCHEDULER))
		at--;
	place->label = at;
	return true;
}

bool wait_channels_is_end(const struct wait_channels *places,
			  const struct path_frame *frames, size_t count,
			  bool is_exiting)
{
	struct wait_channel place;

	return wait_channels_find(places, frames, count, &place) ?
		       is_place(places, &frames[place.label], PLACE_ENDS) :
		       is_exiting;
}

/* Returns the number of frames outside of the innermost ones of @place; 0:
 * there are none.
 */
static size_t find_caller(const struct wait_channels *places,
			  const struct path_frame *frames, size_t count,
			  uint8_t place)
{
	while (count && !is_place(places, &frames[count - 1], place))
		count--;
	while (count && is_place(places, &frames[count - 1], place))
		count--;
	return count;
}

uint32_t wait_channels_caller(const struct wait_channels *places,
			      const struct path_frame *frames, size_t count)
{
	size_t at = find_caller(places, frames, count, PLACE_SCHEDULER);

	return at ? frames[at - 1].function : FUNCTION_UNKNOWN;
}

static bool is_interrupt(enum context_kind kind)
{
	return kind == CONTEXT_INTERRUPT || kind == CONTEXT_NMI ||
	       kind == CONTEXT_SOFTIRQ;
}

/* Returns the handler of the innermost interrupt around frame @inner: the
 * function that the dispatcher called, or else the entry itself.
 */
static uint32_t find_interrupt(const struct wait_channels *places,
			       const struct path_frame *frames, size_t inner)
{
	uint32_t handler = FUNCTION_NONE;

	for (size_t i = inner; i-- > 0;) {
		if (handler == FUNCTION_NONE &&
		    is_place(places, &frames[i], PLACE_DISPATCHER))
			handler = frames[i + 1].function;
		if (is_interrupt(
			    context_kind_of(places->kinds, frames[i].function)))
			return handler == FUNCTION_NONE ? frames[i].function :
							  handler;
	}
	return FUNCTION_NONE;
}

struct wake_source wait_channels_wake(const struct wait_channels *places,
				      const struct path_frame *frames,
				      size_t count)
{
	struct wake_source place = { FUNCTION_UNKNOWN, FUNCTION_NONE };
	size_t at = find_caller(places, frames, count, PLACE_WAKES);

	if (!at)
		return place;
	place.function = frames[at - 1].function;
	place.interrupt = find_interrupt(places, frames, at);
	return place;
}
