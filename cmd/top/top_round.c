/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_round.h"

#include "cmd/top/top_result.h"
#include "cmd/top/top_work.h"
#include "common/clocks.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, MOST_SAID_BYTES = 1 << 16 };

static FILE *memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void close_files(struct top_round *round)
{
	if (round->out)
		fclose(round->out);
	if (round->said)
		fclose(round->said);
	round->out = round->said = NULL;
}

static void become_worker(const struct top_round *round, int columns)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char text[16];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(fileno(round->said), STDERR_FILENO);
	snprintf(text, sizeof(text), "%d", columns);
	setenv("COLUMNS", text, 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int start_process(struct top_round *round,
			 const struct top_options *options, pid_t tree,
			 int columns)
{
	fflush(NULL);
	round->pid = fork();
	if (round->pid == 0) {
		become_worker(round, columns);
		_exit(top_work(options, &round->folder, tree, round->out) ? 1 :
									    0);
	}
	if (round->pid > 0)
		round->ended = pidfd_open(round->pid, 0);
	if (round->pid > 0 && round->ended >= 0)
		return 0;
	if (round->pid > 0) {
		/* pidfd_open() does not exist before Linux 5.3. */
		kill(round->pid, SIGKILL);
		waitpid(round->pid, NULL, 0);
	}
	return -1;
}

int top_round_start(struct top_round *round, const struct top_options *options,
		    pid_t tree, int columns)
{
	int cause;

	*round = (struct top_round){
		.out = memory_file("round"),
		.said = memory_file("said"),
		.begin_ns = monotonic_ns(),
		.begin_s = (uint64_t)time(NULL),
	};
	if (round->out && round->said &&
	    !output_folder_temporary(&round->folder, NULL)) {
		if (!start_process(round, options, tree, columns))
			return 0;
		cause = errno;
		output_folder_discard(&round->folder);
	} else {
		cause = errno;
		round->where = round->out && round->said ?
				       output_temporary_path() :
				       NULL;
	}
	close_files(round);
	round->pid = 0;
	errno = cause;
	return -1;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

static char *read_said(FILE *said)
{
	char *text = malloc(MOST_SAID_BYTES);

	rewind(said);
	if (text)
		text[fread(text, 1, MOST_SAID_BYTES - 1, said)] = '\0';
	return text;
}

static void say_signal(FILE *said, int status)
{
	fseek(said, 0, SEEK_END);
	if (WIFSIGNALED(status))
		fprintf(said,
			"ktrace-hw top: the round's process was ended by "
			"SIG%s\n",
			sigabbrev_np(WTERMSIG(status)));
}

void top_round_finish(struct top_round *round, struct top_result *result)
{
	struct rusage usage = { 0 };
	int status = 0;

	wait4(round->pid, &status, 0, &usage);
	close(round->ended);
	rewind(round->out);
	top_result_read(result, round->out);
	say_signal(round->said, status);
	result->said = read_said(round->said);
	result->begin_s = round->begin_s;
	result->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	output_folder_discard(&round->folder);
	close_files(round);
	round->pid = 0;
}

void top_round_drop(struct top_round *round)
{
	struct top_result unwanted = { 0 };

	if (!round->pid)
		return;
	kill(round->pid, SIGKILL);
	top_round_finish(round, &unwanted);
	top_result_clear(&unwanted);
}
