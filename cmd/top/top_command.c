/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_command.h"

#include "cmd/console/say.h"
#include "cmd/record/command_path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(char *const *argv, bool is_quiet)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	dup2(nothing, STDIN_FILENO);
	if (is_quiet)
		dup2(nothing, STDERR_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	_exit(127);
}

static int complain(const char *command)
{
	say_of("top", "%s: %s", command, strerror(errno));
	return -1;
}

pid_t top_command_start(char *const *argv, bool is_quiet)
{
	pid_t pid;

	if (command_path_check(argv[0]))
		return complain(argv[0]);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(argv, is_quiet);
	return pid < 0 ? complain(argv[0]) : pid;
}

bool top_command_has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

void top_command_stop(pid_t pid)
{
	kill(pid, SIGTERM);
}
