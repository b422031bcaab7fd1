/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/attach/state.h"

enum {
	POLL_SIGNALS,
	POLL_CHANNEL,
	POLL_CONSOLE,
	POLL_MESSAGES,
	POLL_MONITOR,
	POLL_INPUT,
	POLL_OUTPUT,
	POLL_COUNT = POLL_OUTPUT + 2
};

static int open_signals(void)
{
	static const int numbers[] = { SIGINT,	SIGTERM, SIGHUP,
				       SIGQUIT, SIGCHLD, SIGWINCH };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void take_signals(struct state *state, int fd)
{
	struct signalfd_siginfo info;
	int status;

	while (read(fd, &info, sizeof(info)) > 0) {
		if (info.ssi_signo == SIGWINCH && state->options->tty)
			terminal_send_size(state->writer);
		else if (info.ssi_signo != SIGWINCH &&
			 info.ssi_signo != SIGCHLD)
			state_take_signal(state, (int)info.ssi_signo);
	}
	if (state->qemu.pid &&
	    waitpid(state->qemu.pid, &status, WNOHANG) == state->qemu.pid) {
		/* The last output may contain success or the reason of a
		 * failure.
		 */
		while (state_take_frames(state) > 0)
			;
		log_tail_read(&state->console);
		log_tail_read(&state->messages);
		state_take_death(state, status);
	}
}

static void watch(struct pollfd *polled, int fd, short events)
{
	polled->fd = fd;
	polled->events = events;
}

static void prepare_poll(const struct state *state, struct pollfd *polled)
{
	bool pending = frame_writer_pending(state->writer);
	int i;

	watch(&polled[POLL_CHANNEL], state->qemu.pid ? state->qemu.channel : -1,
	      (short)(POLLIN | (pending ? POLLOUT : 0)));
	watch(&polled[POLL_CONSOLE], state->console.fd, POLLIN);
	watch(&polled[POLL_MESSAGES], state->messages.fd, POLLIN);
	watch(&polled[POLL_MONITOR],
	      saving_is_busy(&state->saving) ? state->saving.monitor : -1,
	      POLLIN);
	watch(&polled[POLL_INPUT], -1, POLLIN);
	if (state->started && inlet_wants_input(&state->input))
		polled[POLL_INPUT].fd = state->input.fd;
	for (i = 0; i < 2; i++) {
		const struct outlet *output = &state->outputs[i];

		watch(&polled[POLL_OUTPUT + i],
		      outlet_wants_room(output) ? output->fd : -1, POLLOUT);
	}
}

static void take_output_error(int error)
{
	if (error < 0)
		fprintf(stderr, "machine: output: %s\n", strerror(-error));
}

static void pump(struct state *state, const struct pollfd *polled)
{
	int error = 0;
	int i;

	if (polled[POLL_CONSOLE].revents)
		log_tail_read(&state->console);
	if (polled[POLL_MESSAGES].revents)
		log_tail_read(&state->messages);
	if (polled[POLL_CHANNEL].revents)
		error = state_take_frames(state);
	if (polled[POLL_MONITOR].revents && saving_go_on(&state->saving))
		error = state_send_settings(state);
	if (error < 0) {
		fprintf(stderr, "machine: channel: %s\n", strerror(-error));
		state_end(state, EXIT_MACHINE);
	}
	if (polled[POLL_INPUT].revents)
		inlet_pump(&state->input, state->writer);
	for (i = 0; i < 2; i++) {
		if (polled[POLL_OUTPUT + i].revents)
			take_output_error(
				outlet_pump(&state->outputs[i], state->writer));
	}
	/* If QEMU is gone, its exit is handled elsewhere. */
	frame_writer_flush(state->writer);
}

static int until_ms(int64_t time_ns)
{
	int64_t left = time_ns - state_now_ns();

	return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

static int64_t sooner(int64_t one_ns, int64_t other_ns)
{
	if (!one_ns || !other_ns)
		return one_ns + other_ns;
	return one_ns < other_ns ? one_ns : other_ns;
}

/* Returns the time until the next deadline, or -1 without one. */
static int wait_ms(const struct state *state)
{
	int64_t next = state->deadline_ns;

	if (!state->ending)
		next = sooner(next, state->start_by_ns);
	return next ? until_ms(next) : -1;
}

static void watch_deadlines(struct state *state)
{
	if (!state->ending && state->start_by_ns &&
	    !until_ms(state->start_by_ns))
		state_take_no_start(state);
	if (state->deadline_ns && !until_ms(state->deadline_ns))
		state_take_deadline(state);
}

static bool is_done(const struct state *state)
{
	return !state->qemu.pid && !outlet_wants_room(&state->outputs[0]) &&
	       !outlet_wants_room(&state->outputs[1]);
}

static void loop(struct state *state, int signals)
{
	struct pollfd polled[POLL_COUNT] = { 0 };

	watch(&polled[POLL_SIGNALS], signals, POLLIN);
	while (!is_done(state)) {
		prepare_poll(state, polled);
		if (poll(polled, POLL_COUNT, wait_ms(state)) < 0)
			continue;
		if (polled[POLL_SIGNALS].revents)
			take_signals(state, signals);
		pump(state, polled);
		watch_deadlines(state);
	}
}

static int start(struct state *state)
{
	int error = qemu_process_start(&state->qemu, state->options->qemu);

	if (error)
		return error;
	state->console.fd = state->qemu.console;
	state->messages.fd = state->qemu.messages;
	state->reader = frame_reader_new(state->qemu.channel);
	state->writer = frame_writer_new(state->qemu.channel);
	if (!state->reader || !state->writer)
		return -ENOMEM;
	inlet_open(&state->input, dup(STDIN_FILENO), 0);
	outlet_open(&state->outputs[0], dup(STDOUT_FILENO), 1);
	outlet_open(&state->outputs[1], dup(STDERR_FILENO), 2);
	if (state->options->timeout_s)
		state_set_deadline(state, state->options->timeout_s);
	/* An isolated guest reports nothing before its command has ended. */
	if (!state->options->isolated)
		state->start_by_ns =
			state_now_ns() + START_LIMIT_S * INT64_C(1000000000);
	if (state->options->tty)
		error = terminal_make_raw(&state->terminal);
	if (!error && state->options->resumed)
		error = saving_resume(&state->saving, state->qemu.monitor);
	if (!error && state->options->resumed)
		error = state_send_settings(state);
	return error;
}

static void show_times(const struct state *state)
{
	if (!state->options->verbose)
		return;
	log_tail_show(&state->messages, "QEMU's messages");
	fprintf(stderr, "machine: ended after %.2f s\n",
		(double)(state_now_ns() - state->start_ns) / 1e9);
}

static void show_note(const struct state *state)
{
	char *rest = state->note;
	const char *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			fprintf(stderr, "machine: %s\n", line);
}

static void open_console_file(struct state *state)
{
	const char *path = state->options->console;

	if (!path)
		return;
	state->console.copy = fopen(path, "we");
	if (!state->console.copy) {
		fprintf(stderr, "machine: %s: %s\n", path, strerror(errno));
		state->exit_code = EXIT_MACHINE;
	}
}

static void run(struct state *state)
{
	int signals = open_signals();
	int error = start(state);

	if (error) {
		fprintf(stderr, "machine: cannot start: %s\n",
			strerror(-error));
		state_end(state, EXIT_MACHINE);
	}
	if (state->writer)
		loop(state, signals);
	terminal_restore(&state->terminal);
	show_note(state);
	show_times(state);
	close(signals);
}

int session_run(const struct options *options)
{
	struct state *state = calloc(1, sizeof(*state));
	int exit_code;

	if (!state)
		return EXIT_MACHINE;
	state->options = options;
	state->exit_code = NO_EXIT_CODE;
	state->start_ns = state_now_ns();
	open_console_file(state);
	if (state->exit_code == NO_EXIT_CODE)
		run(state);
	exit_code = state->exit_code;
	if (state->console.copy)
		fclose(state->console.copy);
	frame_reader_free(state->reader);
	frame_writer_free(state->writer);
	free(state->note);
	free(state);
	return exit_code;
}
