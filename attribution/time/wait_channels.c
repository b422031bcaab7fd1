/* SPDX-License-Identifier: MIT */
#include "attribution/time/wait_channels.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_frames.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/kernel/kernel_symbols.h"

#include <stdlib.h>

struct task_paths {
	/* struct array of struct path_frame, by task index */
	struct array tasks;
	const struct task *last; /* task of the newest entry; its path exists */
};

struct task_paths *task_paths_new(void)
{
	struct task_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->tasks = ARRAY_OF(struct array);
	return paths;
}

static struct array *frames_of(const struct task_paths *paths, size_t index)
{
	return (struct array *)paths->tasks.items + index;
}

void task_paths_reset(struct task_paths *paths)
{
	for (size_t i = 0; i < paths->tasks.count; i++)
		frames_of(paths, i)->count = 0;
	paths->last = NULL;
}

void task_paths_free(struct task_paths *paths)
{
	if (!paths)
		return;
	for (size_t i = 0; i < paths->tasks.count; i++)
		array_free(frames_of(paths, i));
	array_free(&paths->tasks);
	free(paths);
}

/* Returns the frames of @task; NULL when out of memory. */
static struct array *add_task(struct task_paths *paths, const struct task *task)
{
	if (task != paths->last &&
	    !array_reach_like(&paths->tasks, task->index,
			      &ARRAY_OF(struct path_frame)))
		return NULL;
	paths->last = task;
	return frames_of(paths, task->index);
}

static int enter(struct task_paths *paths, const struct call_step *step)
{
	struct array *frames = add_task(paths, step->task);
	struct path_frame *frame;

	if (!frames)
		return -ERROR_MEMORY;
	if ((step->depth > frames->count || step->depth >= frames->room) &&
	    !array_reach(frames, step->depth))
		return -ERROR_MEMORY;
	frame = (struct path_frame *)frames->items + step->depth;
	frames->count = step->depth + 1;
	*frame = (struct path_frame){
		.begin_ns = step->time_ns,
		.return_address = step->place,
		.function = step->function,
		.how = step->how,
	};
	return 0;
}

static void leave(const struct task_paths *paths, const struct call_step *step)
{
	struct array *frames;

	if (step->task->index >= paths->tasks.count)
		return;
	frames = frames_of(paths, step->task->index);
	if (frames->count > step->depth)
		frames->count = step->depth;
}

int task_paths_consume(struct task_paths *paths, const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return enter(paths, step);
	if (step->kind == STEP_EXIT)
		leave(paths, step);
	return 0;
}

int task_paths_skip(struct task_paths *paths,
		    const struct skipped_calls *skipped)
{
	struct array *frames = add_task(paths, skipped->last->task);
	struct path_frame *path;

	if (!frames || (skipped->frame_count > frames->room &&
			!array_reach(frames, skipped->frame_count - 1)))
		return -ERROR_MEMORY;
	path = frames->items;
	for (uint32_t i = skipped->unchanged; i < skipped->frame_count; i++)
		path[i] = (struct path_frame){
			.begin_ns = skipped->frames[i].start_ns,
			.return_address = skipped->frames[i].return_address,
			.function = skipped->frames[i].function,
			.how = skipped->frames[i].how,
		};
	frames->count = skipped->frame_count;
	return 0;
}

const struct path_frame *task_paths_of(const struct task_paths *paths,
				       uint32_t index, size_t *count)
{
	if (index >= paths->tasks.count) {
		*count = 0;
		return NULL;
	}
	*count = frames_of(paths, index)->count;
	return frames_of(paths, index)->items;
}

enum {
	MARK_SCHEDULER = 1,  /* in_sched_functions(): sched and lock text */
	MARK_WAKES = 2,	     /* helps to wake */
	MARK_DISPATCHER = 4, /* calls the handlers of interrupts */
	/* a task leaves its CPU there for the last time */
	MARK_ENDS = 8,
};

/* kernel/sched/, kernel/locking/, kernel/exit.c, fs/eventpoll.c, mm/filemap.c,
 * kernel/softirq.c and kernel/irq/handle.c of Linux 5.10 to 6.15.
 */
static const struct name_rule rules[] = {
	{ "try_to_wake_up", false, MARK_WAKES },
	{ "wake_up_process", false, MARK_WAKES },
	{ "wake_up_state", false, MARK_WAKES },
	{ "wake_up_q", false, MARK_WAKES },
	{ "wake_up_bit", false, MARK_WAKES },
	{ "wake_up_var", false, MARK_WAKES },
	{ "wake_bit_function", false, MARK_WAKES },
	{ "wake_page_function", false, MARK_WAKES },
	{ "var_wake_function", false, MARK_WAKES },
	{ "__wake_up", true, MARK_WAKES },
	{ "swake_up_", true, MARK_WAKES },
	{ "rcuwait_wake_up", false, MARK_WAKES },
	{ "complete", false, MARK_WAKES },
	{ "complete_all", false, MARK_WAKES },
	{ "complete_with_flags", false, MARK_WAKES },
	{ "default_wake_function", false, MARK_WAKES },
	{ "autoremove_wake_function", false, MARK_WAKES },
	{ "woken_wake_function", false, MARK_WAKES },
	{ "child_wait_callback", false, MARK_WAKES },
	{ "receiver_wake_function", false, MARK_WAKES },
	{ "pollwake", false, MARK_WAKES },
	{ "ep_autoremove_wake_function", false, MARK_WAKES },
	{ "ep_poll_callback", false, MARK_WAKES },
	{ "do_task_dead", false, MARK_ENDS },
	{ "handle_softirqs", false, MARK_DISPATCHER },
	{ "__do_softirq", false, MARK_DISPATCHER },
	{ "__handle_irq_event_percpu", false, MARK_DISPATCHER },
};

/* Used if the marks around the scheduler's text are unknown. */
static const struct name_rule unmarked_rules[] = {
	{ "schedule", true, MARK_SCHEDULER },
	{ "__schedule", true, MARK_SCHEDULER },
	{ "preempt_schedule", true, MARK_SCHEDULER },
	{ "io_schedule", true, MARK_SCHEDULER },
	{ "__mutex_", true, MARK_SCHEDULER },
	{ "mutex_", true, MARK_SCHEDULER },
	{ "__down", true, MARK_SCHEDULER },
	{ "down_", true, MARK_SCHEDULER },
	{ "rwsem_down_", true, MARK_SCHEDULER },
	{ "wait_for_completion", true, MARK_SCHEDULER },
	{ "__wait_for_common", false, MARK_SCHEDULER },
	{ "__wait_on_bit", true, MARK_SCHEDULER },
	{ "out_of_line_wait_on_bit", true, MARK_SCHEDULER },
	{ "bit_wait", true, MARK_SCHEDULER },
	{ "do_nanosleep", false, MARK_SCHEDULER },
};

struct wait_channels {
	const struct context_kinds *kinds;
	struct function_marks *roles; /* MARK_* bits by function */
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
static void mark_scheduler(struct function_marks *roles,
			   const struct function_marks *unmarked,
			   const struct function_table *functions,
			   const struct wait_marks *marks)
{
	for (uint32_t i = 0; i < roles->count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k' &&
		    (is_in(&marks->sched, function->address) ||
		     is_in(&marks->lock, function->address)))
			roles->values[i] |= MARK_SCHEDULER;
		/* A function split into parts may have no start in the kernel's
		 * symbols.
		 */
		if (!marks->sched.start || !function->address)
			roles->values[i] |= unmarked->values[i];
	}
}

#define MARKS_BY(list) \
	function_marks_by_rules(functions, list, sizeof(list) / sizeof(*(list)))

struct wait_channels *wait_channels_new(const struct function_table *functions,
					const struct context_kinds *kinds,
					const struct wait_marks *marks)
{
	struct wait_channels *channels = calloc(1, sizeof(*channels));
	struct function_marks *unmarked = MARKS_BY(unmarked_rules);

	if (channels)
		channels->roles = MARKS_BY(rules);
	if (!unmarked || !channels || !channels->roles) {
		free(unmarked);
		wait_channels_free(channels);
		return NULL;
	}
	channels->kinds = kinds;
	mark_scheduler(channels->roles, unmarked, functions, marks);
	free(unmarked);
	return channels;
}

void wait_channels_free(struct wait_channels *channels)
{
	if (!channels)
		return;
	free(channels->roles);
	free(channels);
}

static bool has_mark(const struct wait_channels *channels,
		     const struct path_frame *frame, uint8_t mark)
{
	return function_marks_at(channels->roles, frame->function) & mark;
}

bool wait_channels_find(const struct wait_channels *channels,
			const struct path_frame *frames, size_t count,
			struct wait_channel *channel)
{
	size_t at = count;

	/* The innermost frames may be those that record the switch. */
	while (at &&
	       context_kind_of(channels->kinds, frames[at - 1].function) !=
		       CONTEXT_SCHEDULE)
		at--;
	if (!at)
		return false;
	channel->depth = at--;
	while (at && has_mark(channels, &frames[at], MARK_SCHEDULER))
		at--;
	channel->label = at;
	return true;
}

bool wait_channels_is_end(const struct wait_channels *channels,
			  const struct path_frame *frames, size_t count,
			  bool is_exiting)
{
	struct wait_channel channel;

	return wait_channels_find(channels, frames, count, &channel) ?
		       has_mark(channels, &frames[channel.label], MARK_ENDS) :
		       is_exiting;
}

/* Returns the number of frames that enclose the innermost run of frames with
 * @mark, so that the last of them is the caller of the run; 0: there are none.
 */
static size_t find_caller(const struct wait_channels *channels,
			  const struct path_frame *frames, size_t count,
			  uint8_t mark)
{
	while (count && !has_mark(channels, &frames[count - 1], mark))
		count--;
	while (count && has_mark(channels, &frames[count - 1], mark))
		count--;
	return count;
}

uint32_t wait_channels_caller(const struct wait_channels *channels,
			      const struct path_frame *frames, size_t count,
			      uint64_t *return_address)
{
	size_t at = find_caller(channels, frames, count, MARK_SCHEDULER);

	*return_address = at && at < count ? frames[at].return_address : 0;
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
static uint32_t find_interrupt(const struct wait_channels *channels,
			       const struct path_frame *frames, size_t inner)
{
	uint32_t handler = FUNCTION_NONE;

	for (size_t i = inner; i-- > 0;) {
		if (handler == FUNCTION_NONE &&
		    has_mark(channels, &frames[i], MARK_DISPATCHER))
			handler = frames[i + 1].function;
		if (is_interrupt(context_kind_of(channels->kinds,
						 frames[i].function)))
			return handler == FUNCTION_NONE ? frames[i].function :
							  handler;
	}
	return FUNCTION_NONE;
}

struct wake_source wait_channels_wake(const struct wait_channels *channels,
				      const struct path_frame *frames,
				      size_t count)
{
	struct wake_source source = { FUNCTION_UNKNOWN, FUNCTION_NONE };
	size_t at = find_caller(channels, frames, count, MARK_WAKES);

	if (!at)
		return source;
	source.function = frames[at - 1].function;
	source.interrupt = find_interrupt(channels, frames, at);
	return source;
}
