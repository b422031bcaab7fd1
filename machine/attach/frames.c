/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/attach/session.h"
#include "machine/attach/state.h"

/* With --save, the state is saved before the settings are sent: it must not
 * contain settings, because it serves all runs.
 */
static int take_ready(struct state *state)
{
	if (state->options->save)
		return saving_start(&state->saving, state->qemu.monitor,
				    state->options->save);
	return state_send_settings(state);
}

static void take_start(struct state *state)
{
	state->started = true;
	state->start_by_ns = 0;
	if (state->options->verbose)
		fprintf(stderr, "machine: command started after %.2f s\n",
			(double)(state_now_ns() - state->start_ns) / 1e9);
}

static void take_failure(struct state *state, const struct frame *frame)
{
	fprintf(stderr, "machine: in the guest: %.*s\n", (int)frame->length,
		frame->payload);
	state_end(state, EXIT_MACHINE);
}

/* The note is shown after all output of the command. */
static void take_note(struct state *state, const struct frame *frame)
{
	free(state->note);
	state->note = strndup(frame->payload, frame->length);
}

static int take_data(struct state *state, const struct frame *frame)
{
	if (!frame->stream)
		return -EPROTO;
	return outlet_put(&state->outputs[frame->stream - 1], frame->payload,
			  frame->length);
}

static int take_end(struct state *state, const struct frame *frame)
{
	if (!frame->stream)
		return -EPROTO;
	outlet_end(&state->outputs[frame->stream - 1]);
	return 0;
}

static int take_frame(struct state *state, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_READY:
		return take_ready(state);
	case FRAME_STARTED:
		take_start(state);
		return 0;
	case FRAME_EXIT:
		state_end(state, (int)frame_number(frame, 0));
		return 0;
	case FRAME_NOTE:
		take_note(state, frame);
		return 0;
	case FRAME_FAILED:
		take_failure(state, frame);
		return 0;
	case FRAME_DATA:
		return take_data(state, frame);
	case FRAME_END:
		return take_end(state, frame);
	case FRAME_CREDIT:
		state->input.credit += frame_number(frame, 0);
		return 0;
	case FRAME_BROKEN:
		inlet_close(&state->input);
		return 0;
	case FRAME_SETTING:
	case FRAME_START:
	case FRAME_WINDOW:
	case FRAME_SIGNAL:
		break;
	}
	return -EPROTO;
}

int state_take_frames(struct state *state)
{
	int got = frame_reader_fill(state->reader);
	struct frame frame;

	if (got == -EAGAIN || got == 0 || got == -ECONNRESET)
		return 0;
	if (got < 0)
		return got;
	while ((got = frame_reader_next(state->reader, &frame)) > 0) {
		int error = take_frame(state, &frame);

		if (error)
			return error;
	}
	return got < 0 ? got : 1;
}

static int send_setting(struct frame_writer *writer, const char *key,
			const char *value)
{
	size_t key_length = strlen(key);
	size_t length = key_length + strlen(value);
	char *text;
	int error;

	if (length > FRAME_PAYLOAD_MAX)
		return -E2BIG;
	text = malloc(length + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, key, key_length);
	strcpy(text + key_length, value);
	error = frame_writer_put(writer, FRAME_SETTING, 0, text, length);
	free(text);
	return error;
}

static int send_list(struct frame_writer *writer, const char *key,
		     char *const *values)
{
	int error = 0;

	while (!error && *values)
		error = send_setting(writer, key, *values++);
	return error;
}

int state_send_settings(struct state *state)
{
	const struct options *options = state->options;
	struct frame_writer *writer = state->writer;
	char folder[PATH_MAX];
	size_t i;
	int error = 0;

	if (options->isolated)
		return 0;
	if (!getcwd(folder, sizeof(folder)))
		return -errno;
	for (i = 0; i < options->setting_count && !error; i++)
		error = send_setting(writer, "", options->settings[i]);
	error = error ? error : send_setting(writer, "cwd=", folder);
	error = error ? error : send_list(writer, "arg=", options->command);
	error = error ? error : send_list(writer, "env=", environ);
	if (!error && options->tty)
		error = send_setting(writer, "tty=1", "");
	error = error ? error :
			frame_writer_put(writer, FRAME_START, 0, NULL, 0);
	if (!error && options->tty)
		error = terminal_send_size(writer);
	return error;
}
