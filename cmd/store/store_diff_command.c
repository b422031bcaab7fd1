/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"

static int ask(const struct store_options *options, struct store_target *target,
	       struct answer *answer)
{
	const struct store_diff diff = {
		.measure = options->measure,
		.statistic = options->statistic,
		.item = options->only,
		.sides = { options->a, options->b },
		.top = options->top,
	};

	return store_diff_ask(&diff, target, answer);
}

static int run(const struct store_options *options)
{
	if (options->a.count && options->b.count)
		return store_answer(options, ask);
	say("store: diff needs two sides: --a kernel=6.1 --b kernel=6.12");
	return EXIT_USAGE;
}

const struct store_command store_diff_command = {
	.name = "diff",
	.summary = "Shows what changed between two sets of recordings, and how "
		   "certain that is.",
	.words = "[OPTION]... --a KEY=VALUE --b KEY=VALUE TARGET",
	.options = 1 << STORE_OF | 1 << STORE_A | 1 << STORE_B |
		   1 << STORE_STATISTIC | 1 << STORE_ONLY | 1 << STORE_TOP |
		   1 << STORE_FORMAT,
	.run = run,
};
