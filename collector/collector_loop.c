/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_polled(struct pollfd *polled, nfds_t *count, int fd)
{
	polled[(*count)++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* The tracer's rings.  What is not read of them is the newest: that is what a
 * snapshot keeps.
 */
static size_t graph_rings(const struct collector *collector)
{
	return collector->graph && !collector->options->snapshot ?
		       function_graph_ring_count(collector->graph) :
		       0;
}

struct pollfd *collector_list_polled(const struct collector *collector,
				     nfds_t *count)
{
	const struct cpu_rings *rings = collector->cpus.items;
	const struct array *processes = &collector->processes.fds;
	const struct array *triggers = &collector->triggers.triggers;
	struct pollfd *polled =
		calloc(POLL_RINGS + collector->cpus.count * RING_COUNT +
			       graph_rings(collector) + triggers->count +
			       processes->count,
		       sizeof(*polled));

	*count = POLL_RINGS;
	if (!polled)
		return NULL;
	for (nfds_t i = 0; i < POLL_RINGS; i++)
		polled[i].events = POLLIN;
	polled[POLL_SIGNALS].fd = collector->signals.fd;
	polled[POLL_TIMER].fd = collector->timer;
	polled[POLL_CHOICE].fd = collector->gate.own.line;
	polled[POLL_AFTER].fd = collector->hits.timer;
	for (size_t i = 0; i < collector->cpus.count; i++)
		for (int kind = 0; kind < RING_COUNT; kind++)
			add_polled(polled, count, rings[i].fd[kind]);
	for (size_t i = 0; i < graph_rings(collector); i++)
		add_polled(polled, count,
			   function_graph_ring(collector->graph, i));
	for (size_t i = 0; i < triggers->count; i++)
		add_polled(polled, count,
			   ((const struct trigger *)triggers->items)[i].line);
	for (size_t i = 0; i < processes->count; i++)
		add_polled(polled, count, ((const int *)processes->items)[i]);
	return polled;
}

/* Stops waiting for the processes that have ended.  Returns whether it was for
 * them, and all have.
 */
static bool drop_processes(const struct collector *collector,
			   struct pollfd *polled, nfds_t count)
{
	nfds_t watched = collector->processes.fds.count;
	bool is_over = watched > 0;

	for (nfds_t i = count - watched; i < count; i++) {
		if (polled[i].revents)
			polled[i].fd = -1;
		is_over &= polled[i].fd < 0;
	}
	return is_over;
}

/* Stops waiting for the rings whose tasks have all ended.
 *
 * Returns whether no trace can come any more.
 */
static bool drop_ended(const struct collector *collector, struct pollfd *polled)
{
	nfds_t end = POLL_RINGS + collector->cpus.count * RING_COUNT;
	bool traced = false;

	for (nfds_t i = POLL_RINGS; i < end; i++) {
		if (polled[i].revents & (POLLHUP | POLLERR))
			polled[i].fd = -1;
		if ((i - POLL_RINGS) % RING_COUNT == RING_TRACE)
			traced |= polled[i].fd >= 0;
	}
	return !traced && !collector->options->command;
}

/* Looks whether the command has ended. */
static void reap(struct collector *collector)
{
	int status;

	if (collector->workload.pid > 0 && !collector->command_ended &&
	    waitpid(collector->workload.pid, &status, WNOHANG) ==
		    collector->workload.pid) {
		collector->command_ended = true;
		collector->result->command_status = status;
		if (collector->result->end == COLLECTOR_FAILED)
			collector->result->end = COLLECTOR_COMMAND_ENDED;
	}
}

static int take_signal(struct collector *collector,
		       const struct signal_event *event)
{
	if (event->number == SIGCHLD) {
		reap(collector);
		return 0;
	}
	if (event->number == SIGUSR2)
		return collector->options->snapshot ?
			       collector_snapshot(collector, false) :
			       0;
	collector->result->end = COLLECTOR_INTERRUPTED;
	collector->result->signal = event->number;
	if (collector->workload.pid > 0 && !collector->command_ended &&
	    !event->from_terminal)
		kill(collector->workload.pid, event->number);
	return 0;
}

static int take_signals(struct collector *collector)
{
	struct signal_event event;
	int error = 0;

	while (!error && signal_source_next(&collector->signals, &event))
		error = take_signal(collector, &event);
	return error;
}

static void time_over(struct collector *collector)
{
	collector->result->end = COLLECTOR_TIME_OVER;
	if (collector->workload.pid > 0 && !collector->command_ended)
		kill(collector->workload.pid, SIGTERM);
}

static void look_at_size(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	uint64_t bytes = recording_writer_bytes(collector->writer);

	if (options->max_bytes && bytes >= options->max_bytes &&
	    collector->result->end == COLLECTOR_FAILED)
		collector->result->end = COLLECTOR_SIZE_REACHED;
	else if (size_watch_is_news(&collector->size_watch, bytes))
		log_message(collector->log, LOG_NOTE, options->folder,
			    LOG_NO_OFFSET,
			    "%" PRIu64 " GiB so far; --max-size ends a "
			    "recording at a size",
			    bytes >> 30);
}

static int loop(struct collector *collector, struct pollfd *polled,
		nfds_t count)
{
	const struct trace_clock clock = collector_clock(collector);
	const int *cpus = collector->target.cpus.items;
	struct collector_result *result = collector->result;
	int error = 0;

	while (!error && result->end == COLLECTOR_FAILED) {
		polled[POLL_AFTER].fd = collector->hits.timer;
		if (poll(polled, count, -1) < 0 && errno != EINTR)
			return -ERROR_SYSTEM;
		if (polled[POLL_SIGNALS].revents)
			error = take_signals(collector);
		if (polled[POLL_TIMER].revents)
			time_over(collector);
		if ((drop_ended(collector, polled) ||
		     drop_processes(collector, polled, count)) &&
		    result->end == COLLECTOR_FAILED)
			result->end = COLLECTOR_TARGET_GONE;
		if (!error)
			error = collector_freeze(collector);
		hit_wait_take_lines(&collector->hits, &clock, cpus[0]);
		if (!error)
			error = collector_take_choice(collector);
		if (!error)
			error = collector_drain(collector);
		if (!error)
			error = collector_keep_hit(collector,
						   polled[POLL_AFTER].revents);
		if (!error)
			error = collector_unfreeze(collector);
		if (!error)
			error = collector_resume(collector);
		look_at_size(collector);
	}
	return error;
}

int collector_loop(struct collector *collector)
{
	nfds_t count;
	struct pollfd *polled = collector_list_polled(collector, &count);
	int error;

	if (!polled)
		return -ERROR_MEMORY;
	error = loop(collector, polled, count);
	free(polled);
	return error;
}

void collector_wait_for_command(struct collector *collector)
{
	struct pollfd polled = { .fd = collector->signals.fd,
				 .events = POLLIN };
	struct signal_event event;

	if (collector->workload.pid <= 0 || collector->command_ended ||
	    collector->workload.go >= 0)
		return;
	for (;;) {
		if (waitpid(collector->workload.pid,
			    &collector->result->command_status, WNOHANG))
			return;
		poll(&polled, 1, -1);
		while (signal_source_next(&collector->signals, &event))
			if (event.number != SIGCHLD && event.number != SIGUSR2)
				return;
	}
}
