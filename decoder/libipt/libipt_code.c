/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_code.h"
#include "common/error.h"
#include "common/perf_data.h"
#include "decoder/code/code_view.h"
#include "decoder/code/process_view.h"
#include "decoder/code/user_code.h"
#include "decoder/libipt/block_clock.h"
#include "decoder/libipt/intel_image.h"
#include "decoder/libipt/libipt_parts.h"
#include "decoder/recording/recording_parts.h"

static uint64_t next_change_ns(const struct libipt *source)
{
	uint64_t code_ns = code_view_next_change_ns(source->view);
	uint64_t process_ns = UINT64_MAX;

	if (source->processes)
		process_ns = process_view_next_change_ns(source->processes);
	return code_ns < process_ns ? code_ns : process_ns;
}

/* What libipt learnt of the old bytes goes with the old image. */
static struct intel_image *renew_image(struct libipt *source,
				       uint64_t time_ns)
{
	if (code_view_next_change_ns(source->view) > time_ns)
		return source->image;
	code_view_advance(source->view, time_ns);
	return intel_image_new(code_view_regions(source->view),
			       source->input.log);
}

static int set_process(struct libipt *source, struct intel_image *image)
{
	const struct array *maps;

	if (!source->processes)
		return 0;
	maps = process_view_maps(source->processes);
	user_code_set_maps(source->user_code, maps);
	return intel_image_set_process(image, maps);
}

int libipt_open_code(struct libipt *source)
{
	const struct flow_input *input = &source->input;
	int error = code_view_open(input->image, &source->view);

	if (error)
		return error;
	source->image =
		intel_image_new(code_view_regions(source->view), input->log);
	if (!source->image)
		return -ERROR_MEMORY;
	if (recording_traces_user(input->recording)) {
		source->processes =
			process_view_new(input->recording, input->stream);
		source->user_code = user_code_new();
		if (!source->processes || !source->user_code ||
		    set_process(source, source->image) < 0)
			return -ERROR_MEMORY;
	}
	source->next_change_ns = next_change_ns(source);
	return 0;
}

int libipt_update_code(struct libipt *source)
{
	uint64_t time_ns = block_clock_guess_ns(source->clock);
	struct intel_image *image = renew_image(source, time_ns);
	int error = image ? 0 : -ERROR_MEMORY;

	if (!error && source->processes)
		error = process_view_advance(source->processes, time_ns);
	if (!error)
		error = set_process(source, image);
	if (!error)
		error = pt_blk_set_image(source->blocks,
					 intel_image_get(image));
	if (error) {
		if (image != source->image)
			intel_image_free(image);
		return -ERROR_MEMORY;
	}
	if (image != source->image)
		intel_image_free(source->image);
	source->image = image;
	intel_image_drop_old(image);
	source->next_change_ns = next_change_ns(source);
	return 0;
}
