/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/channel/inlet.h"
#include "machine/channel/outlet.h"

struct relay {
	struct frame_reader *reader;
	struct frame_writer *writer;
	int terminal; /* for window sizes; streams[0], or -1 */
	pid_t pid;    /* 0 after the command has ended */
	int wait_status;
	struct outlet input;
	struct inlet outputs[2];
};

enum { POLL_PORT, POLL_CHILD, POLL_INPUT, POLL_OUTPUT, POLL_COUNT = 5 };

static void set_window(struct relay *relay, const struct frame *frame)
{
	struct winsize size = {
		.ws_row = (unsigned short)frame_number(frame, 0),
		.ws_col = (unsigned short)frame_number(frame, 1),
	};

	ioctl(relay->terminal, TIOCSWINSZ, &size);
}

static int take_frame(struct relay *relay, const struct frame *frame)
{
	struct inlet *output = &relay->outputs[frame->stream == 2];

	/* Frames of other protocol versions are refused. */
	if (frame->type == FRAME_DATA)
		return outlet_put(&relay->input, frame->payload, frame->length);
	if (frame->type == FRAME_END)
		outlet_end(&relay->input);
	else if (frame->type == FRAME_CREDIT)
		output->credit += frame_number(frame, 0);
	else if (frame->type == FRAME_BROKEN)
		inlet_close(output);
	else if (frame->type == FRAME_WINDOW)
		set_window(relay, frame);
	else if (frame->type == FRAME_SIGNAL && relay->pid)
		kill(-relay->pid, (int)frame_number(frame, 0));
	else if (frame->type != FRAME_SIGNAL)
		return -EPROTO;
	return 0;
}

static int take_frames(struct relay *relay)
{
	struct frame frame;
	int got;

	while ((got = frame_reader_next(relay->reader, &frame)) > 0) {
		int error = take_frame(relay, &frame);

		if (error)
			return error;
	}
	return got;
}

static int read_port(struct relay *relay)
{
	int got = frame_reader_fill(relay->reader);

	/* 0: the host is gone, and this machine will end soon. */
	if (got == -EAGAIN || got == 0)
		return 0;
	return got < 0 ? got : take_frames(relay);
}

/* Processes that the command left running would keep its pipes open for ever.
 */
static void reap(struct relay *relay)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != relay->pid)
			continue;
		relay->wait_status = status;
		relay->pid = 0;
		kill(-1, SIGKILL);
	}
}

static bool is_done(const struct relay *relay)
{
	return !relay->pid && relay->outputs[0].fd < 0 &&
	       relay->outputs[1].fd < 0 && !frame_writer_pending(relay->writer);
}

static void prepare_poll(const struct relay *relay, struct pollfd *polled)
{
	int i;

	polled[POLL_PORT].events = POLLIN;
	if (frame_writer_pending(relay->writer))
		polled[POLL_PORT].events |= POLLOUT;
	polled[POLL_CHILD].events = POLLIN;
	polled[POLL_INPUT].fd = -1;
	if (outlet_wants_room(&relay->input))
		polled[POLL_INPUT].fd = relay->input.fd;
	polled[POLL_INPUT].events = POLLOUT;
	for (i = 0; i < 2; i++) {
		const struct inlet *output = &relay->outputs[i];
		struct pollfd *entry = &polled[POLL_OUTPUT + i];

		entry->fd = inlet_wants_input(output) ? output->fd : -1;
		entry->events = POLLIN;
	}
}

static int pump(struct relay *relay, const struct pollfd *polled)
{
	int error = 0;
	int i;

	if (polled[POLL_PORT].revents & POLLIN)
		error = read_port(relay);
	if (!error && polled[POLL_INPUT].revents)
		error = outlet_pump(&relay->input, relay->writer);
	for (i = 0; i < 2 && !error; i++) {
		if (polled[POLL_OUTPUT + i].revents)
			error = inlet_pump(&relay->outputs[i], relay->writer);
		if (error > 0 || error == -EPIPE)
			error = 0;
	}
	return error ? error : frame_writer_flush(relay->writer);
}

static void drain(int child_events)
{
	struct signalfd_siginfo ignored;

	while (read(child_events, &ignored, sizeof(ignored)) > 0)
		;
}

static int loop(struct relay *relay, int port, int child_events)
{
	struct pollfd polled[POLL_COUNT] = {
		[POLL_PORT] = { .fd = port },
		[POLL_CHILD] = { .fd = child_events },
	};
	/* Frames that arrived directly after the settings have been read
	 * already.
	 */
	int error = take_frames(relay);

	while (!error && !is_done(relay)) {
		prepare_poll(relay, polled);
		if (poll(polled, POLL_COUNT, -1) < 0)
			return -errno;
		if (polled[POLL_CHILD].revents) {
			drain(child_events);
			reap(relay);
		}
		error = pump(relay, polled);
	}
	return error;
}

static void open_streams(struct relay *relay, const struct command *command)
{
	outlet_open(&relay->input, command->streams[0], 0);
	inlet_open(&relay->outputs[0], command->streams[1], 1);
	inlet_open(&relay->outputs[1], command->streams[2], 2);
	relay->terminal = command->streams[0];
	relay->pid = command->pid;
}

int relay_run(int port, struct frame_reader *reader,
	      struct frame_writer *writer, const struct command *command,
	      int *wait_status, struct problem *problem)
{
	struct relay *relay = calloc(1, sizeof(*relay));
	int child_events;
	sigset_t child;
	int error;

	if (!relay)
		return problem_set(problem, "relay");
	relay->reader = reader;
	relay->writer = writer;
	open_streams(relay, command);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	child_events = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	error = loop(relay, port, child_events);
	*wait_status = relay->wait_status;
	outlet_close(&relay->input);
	close(child_events);
	free(relay);
	errno = -error;
	return error ? problem_set(problem, "the channel to the host") : 0;
}
