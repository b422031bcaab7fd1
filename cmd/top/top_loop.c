/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_loop.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/record/command_path.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_round_internal.h"
#include "cmd/top/top_show.h"
#include "cmd/top/top_sums_internal.h"
#include "common/clocks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Blocks the signals that end or stop top or report a new window size. Returns
 * a descriptor from which they can be read, or -1 with errno.
 */
static int top_signals_open(void)
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

/* Returns the number of a pending signal, or 0. */
static int top_signals_next(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ?
		       (int)info.ssi_signo :
		       0;
}

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

/* Starts the command @argv, which ends with NULL. Its standard input is empty;
 * its output goes to standard error, or is discarded if @is_quiet.
 *
 * Returns its process ID, or -1 after a message on standard error.
 */
static pid_t top_command_start(char *const *argv, bool is_quiet)
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

/* Returns whether process @pid has ended. */
static bool top_command_has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

enum { EXIT_SIGNAL = 128, NS_PER_MS = 1000000 };

struct top {
	const struct top_options *options;
	struct top_show show;
	struct top_round round;
	struct top_result result; /* of the last completed round */
	struct top_sums sums;
	pid_t command; /* 0: none, or it has ended */
	int signals;
	uint64_t started; /* number of rounds */
	uint64_t next_ns; /* start of the next round */
	/* CPU time of this process that rounds already have */
	uint64_t own_cpu_ns;
	bool is_over;
	int code;
};

static void end(struct top *top, int code)
{
	top->is_over = true;
	top->code = code;
}

static void start_round(struct top *top)
{
	const struct top_options *options = top->options;
	pid_t tree = options->command ? top->command : 0;

	if (top->round.pid || top->show.view.is_paused ||
	    top->started >= options->rounds || monotonic_ns() < top->next_ns)
		return;
	if (top_round_start(&top->round, options, tree,
			    top_show_columns(&top->show))) {
		top_show_failure(&top->show, top->round.where, errno);
		end(top, EXIT_FAILED);
	}
	top->started++;
	top->next_ns = top->round.begin_ns + options->delay_ns;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000 * NS_PER_MS +
	       (uint64_t)time.tv_usec * 1000;
}

/* Returns the CPU time that this process has used since the last call. */
static uint64_t own_cpu_ns(struct top *top)
{
	struct rusage usage = { 0 };
	uint64_t before_ns = top->own_cpu_ns;

	getrusage(RUSAGE_SELF, &usage);
	top->own_cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	return top->own_cpu_ns - before_ns;
}

static bool is_process_there(const struct collector_options *collector)
{
	for (size_t i = 0; i < collector->process_count; i++)
		if (!kill(collector->processes[i], 0) || errno != ESRCH)
			return true;
	return !collector->process_count;
}

static bool is_target_gone(struct top *top)
{
	if (top->command && top_command_has_ended(top->command))
		top->command = 0;
	return top->result.facts.is_target_gone ||
	       (top->options->command && !top->command) ||
	       !is_process_there(&top->options->collector);
}

static void finish_round(struct top *top)
{
	struct top_result *result = &top->result;
	uint64_t delay_ns = top->options->delay_ns;
	enum top_stage stage;

	top_result_clear(result);
	top_round_finish(&top->round, result);
	stage = result->facts.stage;
	result->number = top->started;
	result->cpu_ns += own_cpu_ns(top);
	result->round_ns = monotonic_ns() - top->round.begin_ns;
	if (result->round_ns < delay_ns)
		result->round_ns = delay_ns;
	if (stage == TOP_REPORTED &&
	    top_sums_consume(&top->sums, result, top->round.begin_ns,
			     top->round.begin_ns + result->round_ns,
			     top->options->is_json, top->options->top) < 0) {
		say_of("top", "out of memory");
		end(top, EXIT_FAILED);
		return;
	}
	if (stage == TOP_REPORTED && top->options->sums_folder)
		top_sums_save(&top->sums, top->options->sums_folder);
	if (stage == TOP_NOTHING && top->started == 1 &&
	    !top->options->sums_folder) {
		top_show_said(&top->show, result);
		end(top, EXIT_FAILED);
		return;
	}
	if (!top->options->sums_folder || stage == TOP_NOTHING)
		top_show_round(&top->show, result);
	if (top->show.has_failed)
		end(top, EXIT_FAILED);
	else if (top->started >= top->options->rounds || is_target_gone(top))
		end(top, stage == TOP_REPORTED ? EXIT_OK : EXIT_FAILED);
}

static void consume_signal(struct top *top)
{
	int number = top_signals_next(top->signals);

	if (number == SIGWINCH)
		top_show_again(&top->show, &top->result);
	else if (number == SIGTSTP)
		top_show_stop(&top->show, &top->result);
	else if (number)
		end(top, EXIT_SIGNAL + number);
}

/* Reads the pressed keys. If the terminal is gone there are none, and top ends.
 */
static void consume_keys(struct top *top)
{
	char bytes[256];
	ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (count <= 0) {
		end(top, EXIT_OK);
		return;
	}
	top_view_keys(&top->show.view, bytes, (size_t)count);
	if (top->show.view.has_quit)
		end(top, EXIT_OK);
	else
		top_show_again(&top->show, &top->result);
}

static int wait_ms(const struct top *top)
{
	uint64_t now_ns = monotonic_ns();

	if (top->round.pid || top->show.view.is_paused)
		return -1;
	return now_ns >= top->next_ns ?
		       0 :
		       (int)((top->next_ns - now_ns) / NS_PER_MS % 100000) + 1;
}

static void wait_for_something(struct top *top)
{
	struct pollfd files[] = {
		{ .fd = top->signals, .events = POLLIN },
		{ .fd = top->round.pid ? top->round.ended : -1,
		  .events = POLLIN },
		{ .fd = top->show.is_screen ? STDIN_FILENO : -1,
		  .events = POLLIN },
	};

	if (poll(files, 3, wait_ms(top)) < 0)
		return;
	if (files[0].revents)
		consume_signal(top);
	if (!top->is_over && files[2].revents)
		consume_keys(top);
	if (!top->is_over && files[1].revents)
		finish_round(top);
}

static int run(struct top *top)
{
	const struct top_options *options = top->options;

	if (options->command) {
		top->command = top_command_start(options->command,
						 top->show.is_screen);
		if (top->command < 0)
			return EXIT_FAILED;
	}
	if (top_show_begin(&top->show))
		return EXIT_FAILED;
	while (!top->is_over) {
		start_round(top);
		if (!top->is_over)
			wait_for_something(top);
	}
	top_round_drop(&top->round);
	return top->code;
}

int top_loop(const struct top_options *options)
{
	struct top top = {
		.options = options,
		.show = top_show_of(options),
		.signals = top_signals_open(),
		.sums = TOP_SUMS_NONE,
	};
	int code = EXIT_FAILED;

	if (top.signals < 0)
		perror("ktrace-hw top: signalfd");
	else
		code = run(&top);
	if (top_show_end(&top.show) && !code)
		code = EXIT_FAILED;
	if (top.command > 0)
		kill(top.command, SIGTERM);
	top_result_clear(&top.result);
	top_sums_free(&top.sums);
	close(top.signals);
	return code;
}

/* Becomes the process that adds up sleeps. */
static _Noreturn void add_up(int argc, char **argv,
			     const struct output_folder *folder)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct top_options options;
	int code;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	optind = 1;
	code = top_options_parse(&options, argc, argv);
	options.sums_folder = folder;
	if (!code)
		code = top_loop(&options);
	top_options_free(&options);
	_exit(code);
}

pid_t top_sums_start(int argc, char **argv, const struct output_folder *folder)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		add_up(argc, argv, folder);
	return pid;
}
