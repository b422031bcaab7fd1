/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_CODE_H
#define KT_DECODER_LIBIPT_CODE_H

#include <stdint.h>

struct code_space;
struct flow_input;
struct intel_image;
struct log;
struct pt_block_decoder;

/* The code as libipt sees it: an image of what it is now. */
struct libipt_code {
	struct code_space *space;
	struct intel_image *image;
	uint64_t next_change_ns;
	const struct log *log;
};

/* Opens the code that @input names, as it was at the beginning.  Returns 0 or a
 * negative enum error; close it either way.
 */
int libipt_code_open(struct libipt_code *code, const struct flow_input *input);
void libipt_code_close(struct libipt_code *code);

/* Brings the code that @blocks decodes up to date: its clock, at @time_ns, has
 * passed next_change_ns.  Returns 0 or -ERROR_MEMORY.
 */
int libipt_code_update(struct libipt_code *code, uint64_t time_ns,
		       struct pt_block_decoder *blocks);

#endif
