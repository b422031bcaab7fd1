/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_code.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/libipt/branch_cursor.h"
#include "decoder/libipt/intel_image.h"
#include "decoder/libipt/libipt_parts.h"

/* Returns an image of the code as it is now, or NULL when out of memory. */
static struct intel_image *make_image(const struct libipt *source)
{
	return intel_image_new(code_space_regions(source->code),
			       source->input.log);
}

static int set_process(const struct libipt *source, struct intel_image *image)
{
	const struct array *maps = code_space_maps(source->code);

	return maps ? intel_image_set_process(image, maps) : 0;
}

int libipt_open_code(struct libipt *source)
{
	/* Nobody asks for spaces here. */
	int error = code_space_open(&source->input, 0, CODE_VIEW_FILES,
				    &source->code);

	if (error)
		return error;
	source->image = make_image(source);
	if (!source->image || set_process(source, source->image) < 0)
		return -ERROR_MEMORY;
	source->next_change_ns = code_space_next_change_ns(source->code);
	return 0;
}

static void note_change(void *ctx, uint64_t first, uint64_t end)
{
	bool *has_changed = ctx;

	(void)first;
	(void)end;
	*has_changed = true;
}

int libipt_update_code(struct libipt *source)
{
	uint64_t time_ns = branch_cursor_guess_ns(source->cursor);
	struct intel_image *image = source->image;
	bool has_changed = false;
	int error = code_space_advance(source->code, time_ns, note_change,
				       &has_changed);

	/* What libipt learnt of the old bytes goes with the old image. */
	if (has_changed)
		image = make_image(source);
	if (error || !image || set_process(source, image) < 0 ||
	    pt_blk_set_image(source->blocks, intel_image_get(image)) < 0) {
		if (image != source->image)
			intel_image_free(image);
		return -ERROR_MEMORY;
	}
	if (image != source->image)
		intel_image_free(source->image);
	source->image = image;
	intel_image_drop_old(image);
	source->next_change_ns = code_space_next_change_ns(source->code);
	return 0;
}
