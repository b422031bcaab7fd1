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

/* This is what is waited for: the signals, the timer, then one for each ring.
 */
enum { POLL_SIGNALS, POLL_TIMER, POLL_RINGS };

static struct pollfd *list_polled(const struct collector *collector,
				  nfds_t *count)
{
	const struct cpu_rings *rings = collector->cpus.items;
	size_t others = collector->graph ?
				function_graph_ring_count(collector->graph) :
				0;
	struct pollfd *polled =
		calloc(POLL_RINGS + collector->cpus.count * RING_COUNT + others,
		       sizeof(*polled));

	if (!polled)
		return NULL;
	polled[POLL_SIGNALS].fd = collector->signals.fd;
	polled[POLL_TIMER].fd = collector->timer;
	*count = POLL_RINGS;
	for (size_t i = 0; i < collector->cpus.count; i++)
		for (int kind = 0; kind < RING_COUNT; kind++)
			polled[(*count)++].fd = rings[i].fd[kind];
	/* What is not read is the newest: that is what a snapshot keeps. */
	for (size_t i = 0; i < others && !collector->options->snapshot; i++)
		polled[(*count)++].fd =
			function_graph_ring(collector->graph, i);
	for (nfds_t i = 0; i < *count; i++)
		polled[i].events = POLLIN;
	return polled;
}

/* Stops waiting for the rings whose tasks have all ended.
 *
 * Returns whether no trace can come any more.
 */
static bool drop_ended(const struct collector *collector, struct pollfd *polled)
{
	nfds_t count = POLL_RINGS + collector->cpus.count * RING_COUNT;
	bool traced = false;

	for (nfds_t i = POLL_RINGS; i < count; i++) {
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
	struct collector_result *result = collector->result;
	int error = 0;

	while (!error && result->end == COLLECTOR_FAILED) {
		if (poll(polled, count, -1) < 0 && errno != EINTR)
			return -ERROR_SYSTEM;
		if (polled[POLL_SIGNALS].revents)
			error = take_signals(collector);
		if (polled[POLL_TIMER].revents)
			time_over(collector);
		if (drop_ended(collector, polled) &&
		    result->end == COLLECTOR_FAILED)
			result->end = COLLECTOR_TARGET_GONE;
		if (!error)
			error = collector_drain(collector);
		if (!error)
			error = collector_resume(collector);
		look_at_size(collector);
	}
	return error;
}

int collector_loop(struct collector *collector)
{
	nfds_t count;
	struct pollfd *polled = list_polled(collector, &count);
	int error;

	if (!polled)
		return -ERROR_MEMORY;
	error = loop(collector, polled, count);
	free(polled);
	return error;
}
