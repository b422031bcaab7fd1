/* SPDX-License-Identifier: MIT */
#include "collector/recording_loop_internal.h"

#include "collector/chosen_calls_internal.h"
#include "collector/function_graph/function_graph.h"
#include "collector/hit_keeper_internal.h"
#include "collector/recording_output_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/writer/trace_writer.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

bool size_watch_is_news(struct size_watch *watch, uint64_t bytes)
{
	bool is_news = false;

	if (!watch->next_bytes)
		watch->next_bytes = SIZE_WATCH_FIRST;
	while (bytes >= watch->next_bytes && watch->next_bytes) {
		watch->next_bytes *= 2;
		is_news = true;
	}
	return is_news;
}

static void add(struct poll_list *list, int fd)
{
	list->polled[list->count++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Returns the number of the tracer's rings to poll. A snapshot polls none: the
 * unread data in the rings is the newest, which the snapshot saves.
 */
static size_t graph_rings(const struct recording_setup *setup)
{
	return setup->graph && !setup->options->snapshot ?
		       function_graph_ring_count(setup->graph) :
		       0;
}

static void add_rings(struct poll_list *list,
		      const struct recording_setup *setup)
{
	const struct cpu_rings *rings = setup->events.cpus.items;

	for (size_t i = 0; i < setup->events.cpus.count; i++)
		for (int kind = 0; kind < RING_COUNT; kind++)
			add(list, kind == RING_TRACE && rings[i].writer ?
					  trace_writer_wake(rings[i].writer) :
					  rings[i].fd[kind]);
	list->ring_end = list->count;
	for (size_t i = 0; i < graph_rings(setup); i++)
		add(list, function_graph_ring(setup->graph, i));
}

int poll_list_open(struct poll_list *list, const struct recording_setup *setup,
		   const struct hit_keeper *keeper)
{
	const struct array *processes = &keeper->processes.fds;
	const struct array *triggers = &keeper->triggers.triggers;
	size_t most = POLL_RINGS + setup->events.cpus.count * RING_COUNT +
		      graph_rings(setup) + triggers->count + processes->count;

	*list = (struct poll_list){
		.polled = calloc(most, sizeof(*list->polled)),
		.processes = processes->count,
	};
	if (!list->polled)
		return -ERROR_MEMORY;
	for (int i = 0; i < POLL_RINGS; i++)
		add(list, -1);
	add_rings(list, setup);
	for (size_t i = 0; i < triggers->count; i++)
		add(list, ((const struct trigger *)triggers->items)[i].line);
	for (size_t i = 0; i < processes->count; i++)
		add(list, ((const int *)processes->items)[i]);
	return 0;
}

void poll_list_free(struct poll_list *list)
{
	free(list->polled);
}

static int poll_for(struct poll_list *list, int most_ms)
{
	return poll(list->polled, list->count, most_ms) < 0 && errno != EINTR ?
		       -ERROR_SYSTEM :
		       0;
}

int poll_list_wait(struct poll_list *list)
{
	return poll_for(list, -1);
}

/* Like poll_list_wait(), but returns at once. */
static int poll_list_look(struct poll_list *list)
{
	return poll_for(list, 0);
}

void poll_list_set(struct poll_list *list, enum poll_entry entry, int fd)
{
	list->polled[entry].fd = fd;
}

bool poll_list_has(const struct poll_list *list, enum poll_entry entry)
{
	return list->polled[entry].revents;
}

bool poll_list_drop_rings(struct poll_list *list)
{
	bool is_traced = false;

	for (nfds_t i = POLL_RINGS; i < list->ring_end; i++) {
		if (list->polled[i].revents & (POLLHUP | POLLERR))
			list->polled[i].fd = -1;
		if ((i - POLL_RINGS) % RING_COUNT == RING_TRACE)
			is_traced |= list->polled[i].fd >= 0;
	}
	return !is_traced;
}

bool poll_list_drop_processes(struct poll_list *list)
{
	bool is_over = list->processes > 0;

	for (nfds_t i = list->count - list->processes; i < list->count; i++) {
		if (list->polled[i].revents)
			list->polled[i].fd = -1;
		is_over &= list->polled[i].fd < 0;
	}
	return is_over;
}

/* Checks whether the command has ended. */
static void reap(struct recording_loop *loop)
{
	int status;

	if (loop->workload.pid > 0 && !loop->command_ended &&
	    waitpid(loop->workload.pid, &status, WNOHANG) ==
		    loop->workload.pid) {
		loop->command_ended = true;
		loop->result->command_status = status;
		if (loop->result->end == COLLECTOR_FAILED)
			loop->result->end = COLLECTOR_COMMAND_ENDED;
	}
}

static int consume_signal(struct recording_loop *loop,
			  const struct signal_event *event)
{
	if (event->number == SIGCHLD) {
		reap(loop);
		return 0;
	}
	if (event->number == SIGUSR2)
		return loop->setup->options->snapshot ?
			       hit_keeper_snapshot(loop->keeper) :
			       0;
	loop->result->end = COLLECTOR_INTERRUPTED;
	loop->result->signal = event->number;
	if (loop->workload.pid > 0 && !loop->command_ended &&
	    !event->from_terminal)
		kill(loop->workload.pid, event->number);
	return 0;
}

static int consume_signals(struct recording_loop *loop)
{
	struct signal_event event;
	int error = 0;

	while (!error && signal_source_next(&loop->signals, &event))
		error = consume_signal(loop, &event);
	return error;
}

static void time_over(struct recording_loop *loop)
{
	loop->result->end = COLLECTOR_TIME_OVER;
	if (loop->workload.pid > 0 && !loop->command_ended)
		kill(loop->workload.pid, SIGTERM);
}

static void look_at_size(struct recording_loop *loop)
{
	const struct collector_options *options = loop->setup->options;
	uint64_t bytes = recording_output_size(loop->output).file_bytes;

	if (options->max_bytes && bytes >= options->max_bytes &&
	    loop->result->end == COLLECTOR_FAILED)
		loop->result->end = COLLECTOR_SIZE_REACHED;
	else if (size_watch_is_news(&loop->size_watch, bytes))
		log_message(loop->setup->log, LOG_NOTE, options->folder->path,
			    LOG_NO_OFFSET,
			    "%" PRIu64 " GiB so far; --max-size ends a "
			    "recording at a size",
			    bytes >> 30);
}

/* Consumes the pending signals and data. */
static int take(struct recording_loop *loop, const struct poll_list *list)
{
	const struct trace_clock clock = recording_setup_clock(loop->setup);
	const int *cpus = loop->setup->target.cpus.items;
	int error = hit_keeper_freeze(loop->keeper);

	hit_wait_take_lines(&loop->keeper->hits, &clock, cpus[0]);
	if (!error)
		error = chosen_calls_take(loop->calls);
	if (!error)
		error = ring_drain_all(loop->drain);
	if (!error)
		error = hit_keeper_keep(loop->keeper,
					poll_list_has(list, POLL_AFTER));
	if (!error)
		error = hit_keeper_unfreeze(loop->keeper);
	return error ? error : ring_drain_resume(loop->drain);
}

/* Checks whether all targets of the trace have ended. */
static void look_for_target(struct recording_loop *loop, struct poll_list *list)
{
	bool is_over = poll_list_drop_rings(list) &&
		       !loop->setup->options->command;

	is_over |= poll_list_drop_processes(list);
	if (is_over && loop->result->end == COLLECTOR_FAILED)
		loop->result->end = COLLECTOR_TARGET_GONE;
}

static int list_polled(const struct recording_loop *loop,
		       struct poll_list *list)
{
	int error = poll_list_open(list, loop->setup, loop->keeper);

	if (error)
		return error;
	poll_list_set(list, POLL_SIGNALS, loop->signals.fd);
	poll_list_set(list, POLL_TIMER, loop->timer);
	poll_list_set(list, POLL_CHOICE, loop->calls->gate.own.line);
	poll_list_set(list, POLL_AFTER, loop->keeper->hits.timer);
	poll_list_set(list, POLL_CPUS, loop->late.fd);
	return 0;
}

/* Traces CPUs that came online, and polls their rings. */
static int consume_cpus(struct recording_loop *loop, struct poll_list *list)
{
	bool is_news;
	int error = late_cpus_take(&loop->late, &is_news);

	if (error || !is_news)
		return error;
	poll_list_free(list);
	return list_polled(loop, list);
}

static int turn(struct recording_loop *loop, struct poll_list *list)
{
	int error;

	poll_list_set(list, POLL_AFTER, loop->keeper->hits.timer);
	error = program_copies_wait(loop->output->programs) ?
			poll_list_look(list) :
			poll_list_wait(list);
	if (error)
		return error;
	if (poll_list_has(list, POLL_SIGNALS))
		error = consume_signals(loop);
	if (poll_list_has(list, POLL_TIMER))
		time_over(loop);
	look_for_target(loop, list);
	if (!error)
		error = take(loop, list);
	if (!error)
		error = program_copies_step(loop->output->programs);
	look_at_size(loop);
	hit_keeper_end_turn(loop->keeper);
	return error ? error : consume_cpus(loop, list);
}

int recording_loop_run(struct recording_loop *loop)
{
	struct poll_list list;
	int error = list_polled(loop, &list);

	if (error)
		return error;
	error = consume_cpus(loop, &list);
	while (!error && loop->result->end == COLLECTOR_FAILED)
		error = turn(loop, &list);
	poll_list_free(&list);
	return error;
}

void recording_loop_wait_for_command(struct recording_loop *loop)
{
	struct pollfd polled = { .fd = loop->signals.fd, .events = POLLIN };
	struct signal_event event;

	if (loop->workload.pid <= 0 || loop->command_ended ||
	    loop->workload.go >= 0)
		return;
	for (;;) {
		if (waitpid(loop->workload.pid, &loop->result->command_status,
			    WNOHANG))
			return;
		poll(&polled, 1, -1);
		while (signal_source_next(&loop->signals, &event))
			if (event.number != SIGCHLD && event.number != SIGUSR2)
				return;
	}
}

enum { SECOND_NS = 1000000000 };

static int open_timer(int64_t instant_ns)
{
	const struct itimerspec spec = {
		.it_value = { .tv_sec = instant_ns / SECOND_NS,
			      .tv_nsec = instant_ns % SECOND_NS },
	};
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);

	if (fd >= 0 &&
	    timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Consumes the pending signals. Returns whether one of them ended the recording
 * before its start.
 */
static bool is_interrupted(struct recording_loop *loop)
{
	struct signal_event event;

	while (signal_source_next(&loop->signals, &event))
		if (event.number != SIGCHLD && event.number != SIGUSR2) {
			loop->result->end = COLLECTOR_NOT_BEGUN;
			loop->result->signal = event.number;
		}
	return loop->result->end == COLLECTOR_NOT_BEGUN;
}

/* Waits until @timer expires. The events that are already open fill the rings
 * meanwhile, so the rings are drained.
 */
static int wait_for(struct recording_loop *loop, int timer)
{
	struct poll_list list;
	int error = list_polled(loop, &list);

	if (error)
		return error;
	poll_list_set(&list, POLL_TIMER, timer);
	/* Other calls can be chosen, and CPUs be added, only after the start. */
	poll_list_set(&list, POLL_CHOICE, -1);
	poll_list_set(&list, POLL_CPUS, -1);
	while (!error) {
		error = poll_list_wait(&list);
		if (error || is_interrupted(loop) ||
		    poll_list_has(&list, POLL_TIMER))
			break;
		error = ring_drain_all(loop->drain);
	}
	poll_list_free(&list);
	return error;
}

static int refuse_late(const struct recording_loop *loop, int64_t late_ns)
{
	log_message(loop->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--activate: the preparations ended %.3f s after that "
		    "time: give a later one",
		    (double)late_ns / SECOND_NS);
	return -ERROR_NOT_FOUND;
}

int recording_loop_activate(struct recording_loop *loop, int64_t *begin_ns)
{
	const struct activation *activation = &loop->setup->options->activation;
	int64_t now_ns = realtime_ns();
	int64_t instant_ns = activation_instant(activation, now_ns);
	int error;
	int timer;

	*begin_ns = 0;
	if (activation->kind == ACTIVATE_AT_ONCE)
		return 0;
	if (instant_ns <= now_ns)
		return refuse_late(loop, now_ns - instant_ns);
	log_message(loop->setup->log, LOG_NOTE, NULL, LOG_NO_OFFSET,
		    "prepared; the recording starts in %.3f s",
		    (double)(instant_ns - now_ns) / SECOND_NS);
	*begin_ns = instant_ns;
	timer = open_timer(instant_ns);
	if (timer < 0)
		return -ERROR_SYSTEM;
	error = wait_for(loop, timer);
	close(timer);
	return error;
}
