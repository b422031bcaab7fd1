/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

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

/* Returns whether a signal ended it. */
static bool is_interrupted(struct collector *collector)
{
	struct signal_event event;

	while (signal_source_next(&collector->signals, &event))
		if (event.number != SIGCHLD && event.number != SIGUSR2) {
			collector->result->end = COLLECTOR_NOT_BEGUN;
			collector->result->signal = event.number;
		}
	return collector->result->end == COLLECTOR_NOT_BEGUN;
}

/* What the events that are open already say fills the rings meanwhile. */
static int wait_for(struct collector *collector, int timer)
{
	nfds_t count;
	struct pollfd *polled = collector_list_polled(collector, &count);
	int error = polled ? 0 : -ERROR_MEMORY;

	if (polled) {
		polled[POLL_TIMER].fd = timer;
		/* Others are chosen when it has begun. */
		polled[POLL_CHOICE].fd = -1;
	}
	while (!error) {
		if (poll(polled, count, -1) < 0 && errno != EINTR)
			error = -ERROR_SYSTEM;
		else if (is_interrupted(collector) ||
			 polled[POLL_TIMER].revents)
			break;
		else
			error = collector_drain(collector);
	}
	free(polled);
	return error;
}

static int refuse_late(const struct collector *collector, int64_t late_ns)
{
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--activate: all was set up %.3f s after that instant: "
		    "give a later one",
		    (double)late_ns / SECOND_NS);
	return -ERROR_NOT_FOUND;
}

int collector_activate(struct collector *collector)
{
	const struct activation *activation = &collector->options->activation;
	int64_t now_ns = realtime_ns();
	int64_t instant_ns = activation_instant(activation, now_ns);
	int error;
	int timer;

	if (activation->kind == ACTIVATE_AT_ONCE)
		return 0;
	if (instant_ns <= now_ns)
		return refuse_late(collector, now_ns - instant_ns);
	log_message(collector->log, LOG_NOTE, NULL, LOG_NO_OFFSET,
		    "all is set up; it begins in %.3f s",
		    (double)(instant_ns - now_ns) / SECOND_NS);
	collector->clock.activate_ns = instant_ns;
	timer = open_timer(instant_ns);
	if (timer < 0)
		return -ERROR_SYSTEM;
	error = wait_for(collector, timer);
	close(timer);
	return error;
}
