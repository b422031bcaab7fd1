/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int top_signals_open(void)
{
	static const int numbers[] = { SIGINT,	SIGTERM, SIGHUP,  SIGQUIT,
				       SIGPIPE, SIGTSTP, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int top_signals_next(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ?
		       (int)info.ssi_signo :
		       0;
}
