/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "execution/stream/stream_checkpoint.h"
#include "report/steps/task_stacks.h"
#include "tests/fuzz/fuzz.h"

enum { FUNCTIONS = 100, STREAM_SIZE = 1 << 20 };

static void drop(struct step_callback *callback, const struct call_step *step)
{
	(void)callback;
	(void)step;
}

/* A checkpoint of an index, of one CPU. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct step_callback callback = { .consume = drop };
	struct task_stacks *stacks =
		task_stacks_new(TIME_WINDOW_ALL, &callback);
	struct stream_checkpoint place = { .has_state = false };
	struct pack pack = pack_to_read(bytes, size);

	if (!stacks)
		return 0;
	if (task_stacks_add_cpu(stacks, 0, 0, 0) == 0) {
		stream_checkpoint_pack(&place, &pack, FUNCTIONS, STREAM_SIZE);
		task_stacks_pack(stacks, &pack, FUNCTIONS);
		if (pack_is_whole(&pack)) {
			task_stacks_emit_open(stacks);
			task_stacks_close(stacks);
		}
	}
	task_stacks_free(stacks);
	return 0;
}
