/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/store/store_commands.h"
#include "store/answer/answer.h"
#include "store/ask/store_report.h"

#include <stdio.h>
#include <string.h>

/* Returns whether @text, such as "host,item", is a list of keys; splits it in
 * place.
 */
static bool read_keys(struct store_report *report, char *text)
{
	char *key;

	while ((key = strsep(&text, ","))) {
		if (!*key || report->key_count == STORE_MOST_KEYS)
			return false;
		report->keys[report->key_count++] = key;
	}
	return true;
}

static int ask(const struct store_options *options, struct store_target *target,
	       struct answer *answer)
{
	char text[512];
	int64_t recordings;
	struct store_report report = {
		.choice = {
			.measure = options->measure,
			.recordings = options->where,
			.item = options->only,
		},
		.top = options->top,
	};

	snprintf(text, sizeof(text), "%s", options->by ? options->by : "item");
	if (!read_keys(&report, text)) {
		say("store: --by: '%s' is not a list of up to %d keys",
		    options->by, STORE_MOST_KEYS);
		return -1;
	}
	if (measure_query_count(&report.choice, target, &recordings) < 0)
		return -1;
	return store_report_ask(&report, target, answer);
}

static int run(const struct store_options *options)
{
	return store_answer(options, ask);
}

const struct store_command store_report_command = {
	.name = "report",
	.summary = "Shows percentiles of durations, grouped by any keys.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_OF | 1 << STORE_BY | 1 << STORE_WHERE |
		   1 << STORE_ONLY | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run,
};
