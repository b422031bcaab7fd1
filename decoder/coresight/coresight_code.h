/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CODE_H
#define KT_DECODER_CORESIGHT_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct code_space;
struct coresight_tree;
struct flow_input;
struct flow_item;

/* The code that OpenCSD reads: the current code of the running task. */
struct coresight_code {
	struct code_space *space;
	struct coresight_tree *tree; /* OpenCSD, which reads the code */
	bool is_arm64;
	uint64_t next_change_ns;
};

/* Opens the code of @input for @tree, which is borrowed. Returns 0 or a
 * negative enum error; must be closed either way.
 */
int coresight_code_open(struct coresight_code *code,
			const struct flow_input *input,
			struct coresight_tree *tree);
void coresight_code_close(struct coresight_code *code);

/* Switch to the code at @time_ns, or to the code of process @pid. Return 0 or
 * -ERROR_MEMORY.
 */
int coresight_code_advance(struct coresight_code *code, uint64_t time_ns);
int coresight_code_set_process(struct coresight_code *code, int32_t pid,
			       uint64_t time_ns);

/* Returns whether much time may have passed in @item. A flow_slow_fn; @ctx is a
 * struct coresight_code.
 */
bool coresight_code_is_slow(void *ctx, const struct flow_item *item);

#endif
