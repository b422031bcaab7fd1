/* SPDX-License-Identifier: MIT */
#include "collector/target/process_control.h"

#include "common/error.h"

#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static bool is_ordinary(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_OTHER || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}

bool priority_raise(struct priority *priority)
{
	const struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};
	int former = sched_getscheduler(0);

	*priority = (struct priority){ 0 };
	if (former < 0)
		return false;
	if (!is_ordinary(former))
		return true;
	priority->former_policy = former;
	priority->is_raised = !sched_setscheduler(
		0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
	return priority->is_raised;
}

/* The kernel refuses to clear SCHED_RESET_ON_FORK for a thread that may be
 * real-time only by RLIMIT_RTPRIO: then restores the former policy with that
 * flag. The nice value never changed.
 */
bool priority_restore(struct priority *priority)
{
	const struct sched_param none = { 0 };
	int former = priority->former_policy;

	if (!priority->is_raised)
		return true;
	priority->is_raised =
		sched_setscheduler(0, former, &none) &&
		sched_setscheduler(0, former | SCHED_RESET_ON_FORK, &none);
	return !priority->is_raised;
}

int signal_source_open(struct signal_source *source)
{
	static const int numbers[] = { SIGINT,	SIGTERM, SIGHUP,
				       SIGQUIT, SIGCHLD, SIGUSR2 };
	sigset_t blocked;
	sigset_t set;

	sigemptyset(&set);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	blocked = set;
	/* Exceeding the file size limit (ulimit -f) is then an error of
	 * write(2), instead of killing the recorder silently.
	 */
	sigaddset(&blocked, SIGXFSZ);
	source->fd = -1;
	if (sigprocmask(SIG_BLOCK, &blocked, NULL) < 0)
		return -ERROR_SYSTEM;
	source->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return source->fd < 0 ? -ERROR_SYSTEM : 0;
}

void signal_source_close(struct signal_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}

int signal_source_next(const struct signal_source *source,
		       struct signal_event *event)
{
	struct signalfd_siginfo info;

	if (read(source->fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	event->number = (int)info.ssi_signo;
	event->from_terminal = info.ssi_code == SI_KERNEL;
	return 1;
}

int timer_open(uint64_t delay_ns)
{
	struct itimerspec when = {
		.it_value = {
			.tv_sec = (time_t)(delay_ns / 1000000000),
			.tv_nsec = (long)(delay_ns % 1000000000),
		},
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd >= 0 && timerfd_settime(fd, 0, &when, NULL) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}
