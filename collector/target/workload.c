/* SPDX-License-Identifier: MIT */
#include "collector/target/workload.h"

#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int process_watch_add(struct process_watch *watch, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int *kept;

	if (fd < 0)
		return errno == ESRCH ? 0 : -ERROR_SYSTEM;
	kept = array_add(&watch->fds);
	if (kept)
		*kept = fd;
	else
		close(fd);
	return kept ? 0 : -ERROR_MEMORY;
}

void process_watch_free(struct process_watch *watch)
{
	const int *fds = watch->fds.items;

	for (size_t i = 0; i < watch->fds.count; i++)
		close(fds[i]);
	array_free(&watch->fds);
}

/* Unblocks all signals, which the recorder blocks because it reads them from a
 * signalfd.
 */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Waits for workload_start(). Returns false if the recorder died without
 * sending a byte: the command must not run untraced.
 */
static bool is_told_to_go(int go)
{
	char byte;
	ssize_t got;

	do {
		got = read(go, &byte, 1);
	} while (got < 0 && errno == EINTR);
	return got == 1;
}

static _Noreturn void run(char *const *argv, int go, int failure)
{
	int error;

	unblock_signals();
	if (!is_told_to_go(go))
		_exit(126);
	execvp(argv[0], argv);
	error = errno;
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int workload_prepare(struct workload *workload, char *const *argv)
{
	int go[2];
	int failure[2];

	*workload = (struct workload){ .pid = -1, .go = -1, .failure = -1 };
	/* Not a pipe, since writing to a pipe without a reader kills the
	 * writer.
	 */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return -ERROR_SYSTEM;
	if (pipe2(failure, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return -ERROR_SYSTEM;
	}
	workload->pid = fork();
	if (!workload->pid) {
		close(go[1]);
		close(failure[0]);
		run(argv, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	workload->go = go[1];
	workload->failure = failure[0];
	return workload->pid < 0 ? -ERROR_SYSTEM : 0;
}

static void close_pipes(struct workload *workload)
{
	if (workload->go >= 0)
		close(workload->go);
	if (workload->failure >= 0)
		close(workload->failure);
	workload->go = workload->failure = -1;
}

int workload_start(struct workload *workload)
{
	int error = 0;
	ssize_t got;

	/* If the process was killed meanwhile, the caller will see its end. */
	send(workload->go, "", 1, MSG_NOSIGNAL);
	do {
		got = read(workload->failure, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	close_pipes(workload);
	return got == sizeof(error) ? error : 0;
}

void workload_abandon(struct workload *workload)
{
	if (workload->go >= 0 && workload->pid > 0) {
		kill(workload->pid, SIGKILL);
		waitpid(workload->pid, NULL, 0);
	}
	close_pipes(workload);
}
