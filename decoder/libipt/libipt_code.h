/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_CODE_H
#define KT_DECODER_LIBIPT_CODE_H

#include <stdint.h>

struct code_space;
struct flow_input;
struct intel_image;
struct log;
struct pt_block_decoder;

/* The code as libipt reads it: an image of the current code. */
struct libipt_code {
	struct code_space *space;
	struct intel_image *image;
	uint64_t next_change_ns;
	const struct log *log;
};

/* Opens the code of @input as it was at the start. Returns 0 or a negative enum
 * error; must be closed either way.
 */
int libipt_code_open(struct libipt_code *code, const struct flow_input *input);
void libipt_code_close(struct libipt_code *code);

/* Applies code changes up to @time_ns for @blocks. Must be called when its
 * clock has passed next_change_ns. Returns 0 or -ERROR_MEMORY.
 */
int libipt_code_update(struct libipt_code *code, uint64_t time_ns,
		       struct pt_block_decoder *blocks);

#endif
