/* SPDX-License-Identifier: MIT */
#include "attribution/trackers.h"

#include "attribution/allowed_cpus.h"
#include "attribution/attribution_input.h"
#include "attribution/events/step_join.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/lock_waits.h"
#include "attribution/requests/requests.h"
#include "attribution/table_records.h"
#include "attribution/task_tracker.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_stack.h"

#include <stdlib.h>
#include <string.h>

struct trackers {
	struct trackers_options options;
	/* copy of the options' input, with these trackers */
	struct attribution_input input;
	struct thread_tracker *threads;
	/* NULL: not requested; also the next five */
	struct task_tracker *tasks;
	struct lock_tracker *locks;
	struct interrupt_accounts *interrupts;
	struct requests *requests;
	struct allowed_cpus *allowed;
	struct wait_channels *channels;
	bool has_user_stacks;
	/* struct event_handler *: the handlers of the pass, in the order in
	 * which they receive its events. The thread tracker is first, since the
	 * other handlers query it.
	 */
	struct array followed;
	size_t own; /* number of trackers in front of the tables' handlers */
};

int trackers_follow(struct trackers *trackers, struct event_handler *handler)
{
	return array_append(&trackers->followed, &handler);
}

/* Like trackers_follow(), but for a tracker: inserts it before the handlers of
 * tables.
 */
static int follow_own(struct trackers *trackers, struct event_handler *handler)
{
	struct event_handler **items;

	if (trackers_follow(trackers, handler) < 0)
		return -ERROR_MEMORY;
	items = trackers->followed.items;
	memmove(items + trackers->own + 1, items + trackers->own,
		(trackers->followed.count - 1 - trackers->own) *
			sizeof(*items));
	items[trackers->own++] = handler;
	return 0;
}

struct trackers *trackers_new(const struct attribution_input *input)
{
	const struct trackers_options options = {
		.input = input,
		.time = task_time_options_of(input),
		.arch = symbols_arch(input->symbols),
		.results_are_behind = recording_is_gated(input->recording),
	};

	return trackers_new_with(&options);
}

struct trackers *trackers_new_with(const struct trackers_options *options)
{
	struct trackers *trackers = calloc(1, sizeof(*trackers));

	if (!trackers)
		return NULL;
	trackers->options = *options;
	if (options->input)
		trackers->input = *options->input;
	trackers->input.trackers = trackers;
	trackers->followed = ARRAY_OF(struct event_handler *);
	trackers->threads = thread_tracker_new(&options->time);
	if (trackers->threads &&
	    !follow_own(trackers, thread_tracker_handler(trackers->threads)))
		return trackers;
	trackers_free(trackers);
	return NULL;
}

void trackers_free(struct trackers *trackers)
{
	if (!trackers)
		return;
	requests_free(trackers->requests);
	allowed_cpus_free(trackers->allowed);
	interrupt_accounts_free(trackers->interrupts);
	lock_tracker_free(trackers->locks);
	task_tracker_free(trackers->tasks);
	wait_channels_free(trackers->channels);
	thread_tracker_free(trackers->threads);
	array_free(&trackers->followed);
	free(trackers);
}

void trackers_reset(struct trackers *trackers,
		    const struct off_cpu_evidence *evidence)
{
	thread_tracker_reset(trackers->threads, evidence);
	if (trackers->tasks)
		task_tracker_reset(trackers->tasks);
}

struct thread_tracker *trackers_threads(struct trackers *trackers)
{
	return trackers->threads;
}

const struct wait_channels *trackers_wait_channels(struct trackers *trackers)
{
	const struct trackers_options *options = &trackers->options;
	struct wait_marks marks = { .sched = { 0, 0 } };

	if (trackers->channels)
		return trackers->channels;
	if (trackers->input.recording)
		marks = wait_marks_of(trackers->input.recording);
	trackers->channels = wait_channels_new(options->time.functions,
					       options->time.kinds, &marks);
	return trackers->channels;
}

static struct task_tracker *open_tasks(struct trackers *trackers)
{
	const struct trackers_options *options = &trackers->options;
	const struct task_tracker_options task_options = {
		.functions = options->time.functions,
		.arch = options->arch,
		.kinds = options->time.kinds,
		.threads = trackers->threads,
		.channels = trackers_wait_channels(trackers),
		.results_are_behind = options->results_are_behind,
	};

	if (trackers->tasks || !task_options.channels)
		return trackers->tasks;
	trackers->tasks = task_tracker_new(&task_options);
	if (!trackers->tasks ||
	    follow_own(trackers, task_tracker_handler(trackers->tasks)) < 0)
		return NULL;
	return trackers->tasks;
}

struct task_tracker *trackers_plain_tasks(struct trackers *trackers,
					  struct task_listener *listener)
{
	struct task_tracker *tasks = open_tasks(trackers);

	return tasks && !task_tracker_listen(tasks, listener) ? tasks : NULL;
}

struct task_tracker *trackers_tasks(struct trackers *trackers,
				    struct task_listener *listener)
{
	const struct attribution_input *input = &trackers->input;
	struct task_tracker *tasks = trackers_plain_tasks(trackers, listener);

	if (tasks && input->recording && !trackers->has_user_stacks) {
		trackers->has_user_stacks = true;
		task_tracker_unwind(tasks, user_stack_new(input->recording,
							  input->symbols));
	}
	return tasks;
}

struct interrupt_accounts *trackers_interrupts(struct trackers *trackers)
{
	if (trackers->interrupts)
		return trackers->interrupts;
	trackers->interrupts =
		interrupt_accounts_new(&trackers->input, trackers->threads);
	if (!trackers->interrupts ||
	    follow_own(trackers,
		       interrupt_accounts_handler(trackers->interrupts)) < 0)
		return NULL;
	return trackers->interrupts;
}

bool trackers_packets(struct trackers *trackers, struct net_callback *callback)
{
	struct interrupt_accounts *accounts = trackers_interrupts(trackers);

	if (accounts)
		interrupt_accounts_packets(accounts, callback);
	return accounts;
}

static struct event_handler *tasks_handler(struct trackers *trackers)
{
	struct task_tracker *tasks = open_tasks(trackers);

	return tasks ? task_tracker_handler(tasks) : NULL;
}

static struct event_handler *interrupts_handler(struct trackers *trackers)
{
	struct interrupt_accounts *accounts = trackers_interrupts(trackers);

	return accounts ? interrupt_accounts_handler(accounts) : NULL;
}

const struct table_records system_call_records = {
	.name = "syscalls",
	.tracker = tasks_handler,
	.keep = task_tracker_keep_calls,
	.pack_rest = table_records_refer_to_nothing,
	.consume = task_tracker_read_call,
	.wanted = table_records_begin_in,
};

const struct table_records sleep_records = {
	.name = "sleeps",
	.tracker = tasks_handler,
	.keep = task_tracker_keep_sleeps,
	.pack_rest = task_tracker_pack_numbers,
	.consume = task_tracker_read_sleep,
	.wanted = table_records_begin_in,
};

static struct lock_tracker *open_locks(struct trackers *trackers)
{
	const struct wait_channels *channels = trackers_wait_channels(trackers);

	if (trackers->locks || !channels)
		return trackers->locks;
	trackers->locks = lock_tracker_new(trackers->options.time.functions,
					   trackers->threads, channels);
	if (!trackers->locks ||
	    trackers_follow(trackers, lock_tracker_handler(trackers->locks)) <
		    0)
		return NULL;
	return trackers->locks;
}

struct lock_tracker *trackers_locks(struct trackers *trackers,
				    struct lock_callback *callback)
{
	struct lock_tracker *locks = open_locks(trackers);

	return locks && !lock_tracker_listen(locks, callback) ? locks : NULL;
}

static struct event_handler *locks_handler(struct trackers *trackers)
{
	struct lock_tracker *locks = open_locks(trackers);

	return locks ? lock_tracker_handler(locks) : NULL;
}

const struct table_records lock_records = {
	.name = "locks",
	.tracker = locks_handler,
	.keep = lock_tracker_keep,
	.pack_rest = table_records_refer_to_nothing,
	.consume = lock_tracker_read,
	.wanted = table_records_begin_in,
};

const struct table_records interrupt_records = {
	.name = "interrupts",
	.tracker = interrupts_handler,
	.keep = interrupt_accounts_keep,
	.pack_rest = interrupt_accounts_pack_rest,
	.consume = interrupt_accounts_read,
	.wanted = table_records_overlap,
};

struct allowed_cpus *trackers_allowed_cpus(struct trackers *trackers)
{
	if (trackers->allowed)
		return trackers->allowed;
	trackers->allowed = allowed_cpus_new(trackers->input.recording,
					     trackers->options.time.functions);
	if (!trackers->allowed ||
	    follow_own(trackers, allowed_cpus_handler(trackers->allowed)) < 0)
		return NULL;
	return trackers->allowed;
}

static struct requests *open_requests(struct trackers *trackers)
{
	struct requests_options options = requests_options_of(&trackers->input);

	options.threads = trackers->threads;
	trackers->requests = requests_new(&options);
	return trackers->requests &&
			       !trackers_follow(
				       trackers,
				       requests_handler(trackers->requests)) ?
		       trackers->requests :
		       NULL;
}

struct requests *trackers_requests(struct trackers *trackers,
				   struct request_callback *callback)
{
	struct requests *requests = trackers->requests;

	if (!requests)
		requests = open_requests(trackers);
	return requests && !requests_listen(requests, callback) ? requests :
								  NULL;
}

struct event_handler *const *trackers_handlers(const struct trackers *trackers,
					       size_t *count)
{
	struct event_handler *const *items = trackers->followed.items;
	bool skips_threads = !thread_tracker_is_asked(trackers->threads);

	*count = trackers->followed.count - skips_threads;
	return items + skips_threads;
}

struct step_join *trackers_join(const struct trackers *trackers)
{
	size_t count;
	struct event_handler *const *handlers =
		trackers_handlers(trackers, &count);

	return step_join_new(trackers->input.recording, trackers->input.events,
			     handlers, count);
}

int trackers_end(struct trackers *trackers)
{
	int status = thread_tracker_end(trackers->threads);

	if (trackers->tasks && task_tracker_end(trackers->tasks) < 0)
		status = -ERROR_MEMORY;
	if (trackers->interrupts &&
	    interrupt_accounts_end(trackers->interrupts) < 0)
		status = -ERROR_MEMORY;
	if (trackers->allowed && allowed_cpus_status(trackers->allowed) < 0)
		status = -ERROR_MEMORY;
	if (trackers->requests && requests_end(trackers->requests) < 0)
		status = -ERROR_MEMORY;
	return status;
}
