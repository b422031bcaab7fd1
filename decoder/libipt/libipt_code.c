/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_code.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_source.h"
#include "decoder/libipt/intel_image.h"

#include <intel-pt.h>
#include <stdbool.h>

/* Returns an image of the current code, or NULL when out of memory. */
static struct intel_image *make_image(const struct libipt_code *code)
{
	struct array pieces = ARRAY_OF(struct code_region);
	struct intel_image *image = NULL;

	if (!code_space_pieces(code->space, &pieces))
		image = intel_image_new(&pieces, code->log);
	array_free(&pieces);
	return image;
}

static int set_process(const struct libipt_code *code,
		       struct intel_image *image)
{
	const struct array *maps = code_space_maps(code->space);

	return maps ? intel_image_set_process(image, maps) : 0;
}

int libipt_code_open(struct libipt_code *code, const struct flow_input *input)
{
	/* Spaces are not needed here. */
	int error = code_space_open(input, 0, CODE_VIEW_FILES, &code->space);

	code->log = input->log;
	if (error)
		return error;
	code->image = make_image(code);
	if (!code->image || set_process(code, code->image) < 0)
		return -ERROR_MEMORY;
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}

static void note_change(void *ctx, uint64_t first, uint64_t end)
{
	bool *has_changed = ctx;

	(void)first;
	(void)end;
	*has_changed = true;
}

void libipt_code_close(struct libipt_code *code)
{
	intel_image_free(code->image);
	code_space_close(code->space);
}

int libipt_code_update(struct libipt_code *code, uint64_t time_ns,
		       struct pt_block_decoder *blocks)
{
	struct intel_image *image = code->image;
	bool has_changed = false;
	int error = code_space_advance(code->space, time_ns, time_ns,
				       note_change, &has_changed);

	/* libipt's cached blocks of the old bytes are freed with the old image.
	 */
	if (has_changed)
		image = make_image(code);
	if (error || !image || set_process(code, image) < 0 ||
	    pt_blk_set_image(blocks, intel_image_get(image)) < 0) {
		if (image != code->image)
			intel_image_free(image);
		return -ERROR_MEMORY;
	}
	if (image != code->image)
		intel_image_free(code->image);
	code->image = image;
	intel_image_drop_old(image);
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}
