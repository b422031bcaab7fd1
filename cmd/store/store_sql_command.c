/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"
#include "store/target/store_target.h"

static int ask(const struct store_options *options, struct store_target *target,
	       struct answer *answer)
{
	return store_target_ask(
		target, *(const char **)array_at(&options->words, 1), answer);
}

static int run(const struct store_options *options)
{
	return store_answer(options, ask);
}

const struct store_command store_sql_command = {
	.name = "sql",
	.summary = "Queries the store's database in its own SQL, with "
		   "percentile(P, X) in any.",
	.words = "[OPTION]... TARGET 'SELECT …'",
	.options = 1 << STORE_FORMAT,
	.run = run,
};
