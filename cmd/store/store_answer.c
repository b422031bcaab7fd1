/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/console/written.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"
#include "store/store.h"
#include "store/target/store_target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int store_flush_output(void)
{
	return written_stdout();
}

static int write_answer(const struct store_options *options,
			const struct answer *answer)
{
	if (answer->columns.count > RECORD_MAX_COLUMNS) {
		say("store: the result has %zu columns, but at most %d can be "
		    "written: select fewer",
		    answer->columns.count, RECORD_MAX_COLUMNS);
		return EXIT_FAILED;
	}
	answer_write(answer, options->format, stdout);
	return store_flush_output();
}

int store_answer(const struct store_options *options,
		 int (*ask)(const struct store_options *options,
			    struct store_target *target, struct answer *answer))
{
	const char *name = *(const char **)array_at(&options->words, 0);
	struct store_target *target =
		store_open(name, STORE_OPEN_READ, &console_log);
	struct answer answer = { 0 };
	int status = EXIT_FAILED;

	if (!target)
		return EXIT_FAILED;
	if (!target->class->check(target) && !ask(options, target, &answer))
		status = write_answer(options, &answer);
	answer_free(&answer);
	target->class->close(target);
	return status;
}
