/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"
#include "store/ask/measure_query.h"
#include "store/ask/store_requests.h"

enum { DEFAULT_ROWS = 10 };

static int ask(const struct store_options *options, struct store_target *target,
	       struct answer *answer)
{
	const struct measure_choice choice = {
		.measure = measure_find("request"),
		.recordings = options->where,
	};
	const struct store_requests requests = {
		.recordings = options->where,
		.top = options->top == UINT64_MAX ? DEFAULT_ROWS : options->top,
	};
	int64_t recordings;

	if (measure_query_count(&choice, target, &recordings) < 0)
		return -1;
	return store_requests_ask(&requests, target, answer);
}

static int run(const struct store_options *options)
{
	return store_answer(options, ask);
}

const struct store_command store_requests_command = {
	.name = "requests",
	.summary = "Shows requests between machines, and where their time went "
		   "on both.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_WHERE | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run,
};
