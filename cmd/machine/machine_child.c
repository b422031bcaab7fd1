/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine_child.h"

#include "cmd/console/say.h"
#include "cmd/machine/machine_script.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t waited_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM,
				       SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	return set;
}

static _Noreturn void become(char **argv, pid_t parent, const sigset_t *mask)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_MACHINE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	_exit(machine_script_run(argv));
}

/* Waits for the child and forwards signals to it, except those from the kernel:
 * the child receives a terminal's signals itself.
 */
static int wait_for(pid_t pid, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		int number = sigwaitinfo(signals, &info);

		if (number > 0 && number != SIGCHLD &&
		    info.si_code != SI_KERNEL)
			kill(pid, number);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

int machine_child_run(char **argv)
{
	const sigset_t signals = waited_signals();
	const pid_t parent = getpid();
	sigset_t mask;
	pid_t pid;
	int code;

	fflush(NULL);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	pid = fork();
	if (pid == 0)
		become(argv, parent, &mask);
	if (pid < 0) {
		say("the virtual machine: %s", strerror(errno));
		code = EXIT_MACHINE;
	} else {
		code = wait_for(pid, &signals);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return code;
}
