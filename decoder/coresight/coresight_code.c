/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_code.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_memory.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

int coresight_code_open(struct coresight_code *code,
			const struct flow_input *input,
			struct coresight_tree *tree)
{
	int error = code_space_open(input, 0, CODE_VIEW_MEMORY, &code->space);

	if (error)
		return error;
	code->tree = tree;
	code->is_arm64 = recording_arch(input->recording) ==
			 RECORDING_ARCH_ARM64;
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}

void coresight_code_close(struct coresight_code *code)
{
	code_space_close(code->space);
}

static int refresh(struct coresight_code *code, int error)
{
	code->next_change_ns = code_space_next_change_ns(code->space);
	if (coresight_memory_refresh(code->tree, code->space) < 0 || error < 0)
		return -ERROR_MEMORY;
	return 0;
}

int coresight_code_advance(struct coresight_code *code, uint64_t time_ns)
{
	if (time_ns < code->next_change_ns)
		return 0;
	return refresh(code, code_space_advance(code->space, time_ns, time_ns,
						NULL, NULL));
}

int coresight_code_set_process(struct coresight_code *code, int32_t pid,
			       uint64_t time_ns)
{
	return refresh(code, code_space_set_process(code->space, pid, time_ns));
}

/* Some trace units treat a wait as a branch, most do not: it may be anywhere in
 * a block. If instructions differ in length, only the last one is checked.
 */
bool coresight_code_is_slow(void *ctx, const struct flow_item *item)
{
	const struct coresight_code *code = ctx;
	uint64_t last = item->ip + item->last;

	if (item->kind == FLOW_STOP)
		return true;
	for (uint64_t at = code->is_arm64 ? item->ip : last; at <= last;
	     at += 4) {
		size_t left;
		const uint8_t *bytes = code_space_bytes(code->space, at, &left);

		if (bytes && coresight_looks_slow(bytes, left))
			return true;
	}
	return false;
}
