/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "machine/attach/session.h"
#include "machine/attach/state.h"

/* Time limit for QEMU to end, in seconds: its plugins then write the rest of
 * their files.
 */
#define QEMU_END_S 60
/* The time that a command may take to end after a signal. */
#define COMMAND_END_S 20

int64_t state_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void state_set_deadline(struct state *state, unsigned int seconds)
{
	state->deadline_ns = state_now_ns() + seconds * INT64_C(1000000000);
}

void state_end(struct state *state, int exit_code)
{
	if (state->exit_code == NO_EXIT_CODE)
		state->exit_code = exit_code;
	if (state->ending)
		return;
	state->ending = true;
	state_set_deadline(state, QEMU_END_S);
	if (state->qemu.pid)
		kill(state->qemu.pid, SIGTERM);
}

static void pass_signal(struct state *state, int signal_number)
{
	frame_writer_put_numbers(state->writer, FRAME_SIGNAL, 0,
				 (uint32_t)signal_number, 0);
	state->interrupted = true;
	/* A user can press Ctrl-C again; the sender of SIGTERM may not do so.
	 */
	if (signal_number != SIGINT && signal_number != SIGQUIT)
		state_set_deadline(state, COMMAND_END_S);
}

void state_take_signal(struct state *state, int signal_number)
{
	if (state->started && !state->interrupted)
		pass_signal(state, signal_number);
	else
		state_end(state, 128 + signal_number);
}

/* An isolated guest does not report the start of its command. */
static void explain_no_start(const struct state *state)
{
	if (state->started || state->options->isolated)
		return;
	fprintf(stderr, "machine: the command was not started: %s\n",
		saving_is_busy(&state->saving) ?
			"QEMU was busy with the guest's saved state" :
			"the guest was starting");
	log_tail_show(&state->messages, "QEMU's messages");
}

void state_take_deadline(struct state *state)
{
	state->deadline_ns = 0;
	if (state->ending) {
		kill(state->qemu.pid, SIGKILL);
	} else if (state->interrupted) {
		state_end(state, 128 + SIGTERM);
	} else {
		fprintf(stderr, "machine: time limit of %u s passed\n",
			state->options->timeout_s);
		explain_no_start(state);
		log_tail_show(&state->console, "the guest's console");
		state_end(state, EXIT_TIMEOUT);
	}
}

void state_take_no_start(struct state *state)
{
	state->start_by_ns = 0;
	fprintf(stderr,
		"machine: the guest has not started the command in %d s\n",
		START_LIMIT_S);
	explain_no_start(state);
	log_tail_show(&state->console, "the guest's console");
	state_end(state, EXIT_MACHINE);
}

static void explain_death(const struct state *state, int wait_status)
{
	const char *panic;
	int length;

	panic = log_tail_find(&state->console, "Kernel panic", &length);
	if (panic)
		fprintf(stderr, "machine: the guest panicked: %.*s\n", length,
			panic);
	else if (WIFSIGNALED(wait_status))
		fprintf(stderr, "machine: QEMU was ended by signal %d (%s)\n",
			WTERMSIG(wait_status),
			strsignal(WTERMSIG(wait_status)));
	else if (WEXITSTATUS(wait_status))
		fprintf(stderr, "machine: QEMU failed (exit code %d)\n",
			WEXITSTATUS(wait_status));
	else
		fprintf(stderr, "machine: the guest went down by itself\n");
	log_tail_show(&state->messages, "QEMU's messages");
	log_tail_show(&state->console, "the guest's console");
}

/* Returns whether QEMU was ended before its plugins could write their files.
 * SIGTERM, which state_end() sends, ends only a QEMU that has not started the
 * guest yet: afterwards it has a handler.
 */
static bool has_lost_files(const struct state *state, int wait_status)
{
	return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) != SIGTERM &&
	       state->exit_code != EXIT_TIMEOUT;
}

void state_take_death(struct state *state, int wait_status)
{
	state->qemu.pid = 0;
	state->deadline_ns = 0;
	/* A run fails if the trace unit could not write its files. */
	if (state->ending && has_lost_files(state, wait_status)) {
		explain_death(state, wait_status);
		state->exit_code = EXIT_MACHINE;
	}
	if (state->ending)
		return;
	explain_death(state, wait_status);
	state->ending = true;
	state->exit_code = EXIT_MACHINE;
}
