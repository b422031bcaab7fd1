/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_code.h"
#include "common/error.h"
#include "decoder/code/code_view.h"
#include "decoder/code/process_view.h"
#include "decoder/code/user_code.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>

struct coresight_code {
	struct code_view *view;
	struct process_view *processes;	/* NULL: only the kernel is traced */
	struct user_code *user;		/* NULL with @processes */
	bool has_time;
};

static int show_process(struct coresight_code *code)
{
	user_code_set_maps(code->user, process_view_maps(code->processes));
	return 0;
}

static int open_user(struct coresight_code *code,
		     const struct flow_input *input)
{
	code->processes = process_view_new(input->recording, input->stream);
	code->user = user_code_new();
	if (!code->processes || !code->user)
		return -ERROR_MEMORY;
	/* Without times the last state is the best guess: behind exec. */
	if (!code->has_time &&
	    process_view_go_to_end(code->processes) < 0)
		return -ERROR_MEMORY;
	return show_process(code);
}

int coresight_code_open(const struct flow_input *input,
			struct coresight_code **opened)
{
	struct coresight_code *code = calloc(1, sizeof(*code));
	int error;

	if (!code)
		return -ERROR_MEMORY;
	code->has_time = recording_time(input->recording) ==
			 RECORDING_TIME_NANOSECONDS;
	error = code_view_open(input->image, &code->view);
	if (!error && recording_traces_user(input->recording))
		error = open_user(code, input);
	if (error) {
		coresight_code_close(code);
		return error;
	}
	*opened = code;
	return 0;
}

void coresight_code_close(struct coresight_code *code)
{
	if (!code)
		return;
	user_code_free(code->user);
	process_view_free(code->processes);
	code_view_close(code->view);
	free(code);
}

const uint8_t *coresight_code_bytes(struct coresight_code *code,
				    uint64_t address, size_t *left)
{
	const uint8_t *bytes = code_view_bytes(code->view, address, left);

	if (!bytes && code->user)
		bytes = user_code_bytes(code->user, address, left);
	return bytes;
}

bool coresight_code_is_unknown(const struct coresight_code *code,
			       uint64_t address)
{
	return code_view_is_unknown(code->view, address);
}

uint64_t coresight_code_next_change_ns(const struct coresight_code *code)
{
	uint64_t kernel_ns = code_view_next_change_ns(code->view);
	uint64_t user_ns = code->processes ?
			process_view_next_change_ns(code->processes) :
			UINT64_MAX;

	if (!code->has_time)
		return UINT64_MAX;
	return user_ns < kernel_ns ? user_ns : kernel_ns;
}

int coresight_code_advance(struct coresight_code *code, uint64_t time_ns)
{
	code_view_advance(code->view, time_ns);
	if (!code->processes)
		return 0;
	if (process_view_advance(code->processes, time_ns) < 0)
		return -ERROR_MEMORY;
	return show_process(code);
}

int coresight_code_set_process(struct coresight_code *code, int32_t pid,
			       uint64_t time_ns)
{
	if (!code->processes)
		return 0;
	if (!code->has_time)
		time_ns = UINT64_MAX;
	if (process_view_set_process(code->processes, pid, time_ns) < 0)
		return -ERROR_MEMORY;
	return show_process(code);
}
