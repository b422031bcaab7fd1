/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"
#include "store/ask/store_slow.h"

enum { DEFAULT_ROWS = 10 };

static int ask(const struct store_options *options, struct store_target *target,
	       struct answer *answer)
{
	int64_t recordings;
	const struct store_slow slow = {
		.choice = {
			.measure = options->measure,
			.recordings = options->where,
			.item = options->only,
		},
		.times = options->times,
		.top = options->top == UINT64_MAX ? DEFAULT_ROWS : options->top,
	};

	if (measure_query_count(&slow.choice, target, &recordings) < 0)
		return -1;
	return store_slow_ask(&slow, target, answer);
}

static int run(const struct store_options *options)
{
	return store_answer(options, ask);
}

const struct store_command store_slow_command = {
	.name = "slow",
	.summary = "Shows outliers, and the commands that show them in their "
		   "recordings.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_OF | 1 << STORE_WHERE | 1 << STORE_ONLY |
		   1 << STORE_TIMES | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run,
};
