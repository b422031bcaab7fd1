/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/qemu_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHANNEL_FD = 3, CONSOLE_FD = 4, MONITOR_FD = 5, SAFE_FD = 100 };

struct pairs {
	int channel[2];
	int console[2];
	int monitor[2];
	int messages[2];
};

static int make_pairs(struct pairs *pairs)
{
	int type = SOCK_STREAM | SOCK_CLOEXEC;

	if (socketpair(AF_UNIX, type, 0, pairs->channel) ||
	    socketpair(AF_UNIX, type, 0, pairs->console) ||
	    socketpair(AF_UNIX, type, 0, pairs->monitor) ||
	    pipe2(pairs->messages, O_CLOEXEC))
		return -errno;
	fcntl(pairs->channel[0], F_SETFL, O_NONBLOCK);
	fcntl(pairs->console[0], F_SETFL, O_NONBLOCK);
	fcntl(pairs->monitor[0], F_SETFL, O_NONBLOCK);
	fcntl(pairs->messages[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static void become_qemu(const struct pairs *pairs, char **command, pid_t parent)
{
	/* Move the descriptors away from their final numbers, which may be in
	 * use.
	 */
	int channel = fcntl(pairs->channel[1], F_DUPFD_CLOEXEC, SAFE_FD);
	int console = fcntl(pairs->console[1], F_DUPFD_CLOEXEC, SAFE_FD);
	int monitor = fcntl(pairs->monitor[1], F_DUPFD_CLOEXEC, SAFE_FD);
	int messages = fcntl(pairs->messages[1], F_DUPFD_CLOEXEC, SAFE_FD);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(channel, CHANNEL_FD);
	dup2(console, CONSOLE_FD);
	dup2(monitor, MONITOR_FD);
	dup2(messages, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	close(STDIN_FILENO);
	open("/dev/null", O_RDONLY);
	execvp(command[0], command);
	dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
	_exit(127);
}

int qemu_process_start(struct qemu_process *qemu, char **command)
{
	pid_t parent = getpid();
	struct pairs pairs;
	int error = make_pairs(&pairs);

	if (error)
		return error;
	qemu->pid = fork();
	if (qemu->pid < 0)
		return -errno;
	if (!qemu->pid)
		become_qemu(&pairs, command, parent);
	close(pairs.channel[1]);
	close(pairs.console[1]);
	close(pairs.monitor[1]);
	close(pairs.messages[1]);
	qemu->channel = pairs.channel[0];
	qemu->console = pairs.console[0];
	qemu->monitor = pairs.monitor[0];
	qemu->messages = pairs.messages[0];
	return 0;
}
