/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_EXECUTE 126
#define NOT_FOUND 127

static void say_and_exit(const char *what, int code)
{
	dprintf(STDERR_FILENO, "machine: %s: %s\n", what, strerror(errno));
	_exit(code);
}

static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* Changes to the caller's folder. If the root is not the caller's, the folder
 * may exist only below the place where the caller's root is mounted.
 */
static int enter_folder(const struct settings *settings)
{
	char path[PATH_MAX];

	if (!settings->cwd || !chdir(settings->cwd))
		return 0;
	if (!settings->host)
		return -1;
	snprintf(path, sizeof(path), "%s%s", settings->host, settings->cwd);
	return chdir(path) ? chdir("/") : 0;
}

static void become_command(const struct settings *settings, const int fds[3])
{
	int i;

	reset_signals();
	setsid();
	for (i = 0; i < 3; i++)
		dup2(fds[i], i);
	if (settings->tty)
		ioctl(STDIN_FILENO, TIOCSCTTY, 0);
	if (enter_folder(settings))
		say_and_exit(settings->cwd, CANNOT_EXECUTE);
	environ = settings->env;
	execvp(settings->args[0], settings->args);
	say_and_exit(settings->args[0],
		     errno == ENOENT ? NOT_FOUND : CANNOT_EXECUTE);
}

int command_start_on(struct command *command, const struct settings *settings,
		     const int fds[3], struct problem *problem)
{
	errno = 0;
	if (!settings->arg_count)
		return problem_set(problem, "no command");
	command->pid = fork();
	if (command->pid < 0)
		return problem_set(problem, "cannot fork");
	if (!command->pid)
		become_command(settings, fds);
	return 0;
}

static int make_pipes(int ours[3], int theirs[3])
{
	int pair[2];
	int i;

	for (i = 0; i < 3; i++) {
		int mine = i ? 0 : 1;

		if (pipe2(pair, O_CLOEXEC))
			return -1;
		ours[i] = pair[mine];
		theirs[i] = pair[!mine];
		fcntl(ours[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static int make_terminal(int ours[3], int theirs[3])
{
	if (openpty(&ours[0], &theirs[0], NULL, NULL, NULL))
		return -1;
	fcntl(ours[0], F_SETFD, FD_CLOEXEC);
	fcntl(ours[0], F_SETFL, O_NONBLOCK);
	ours[1] = fcntl(ours[0], F_DUPFD_CLOEXEC, 3);
	ours[2] = -1;
	theirs[1] = fcntl(theirs[0], F_DUPFD_CLOEXEC, 3);
	theirs[2] = fcntl(theirs[0], F_DUPFD_CLOEXEC, 3);
	return fcntl(theirs[0], F_SETFD, FD_CLOEXEC);
}

int command_start(struct command *command, const struct settings *settings,
		  struct problem *problem)
{
	int theirs[3];
	int result;
	int i;

	if (settings->tty ? make_terminal(command->streams, theirs) :
			    make_pipes(command->streams, theirs))
		return problem_set(problem, "cannot make a pipe or terminal");
	result = command_start_on(command, settings, theirs, problem);
	for (i = 0; i < 3; i++)
		close(theirs[i]);
	return result;
}

int command_exit_code(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}
