/* SPDX-License-Identifier: MIT */
#include "cmd/console/say.h"
#include "cmd/options/report_options.h"
#include "common/clocks.h"

static int read_time(const char *name, const char *text, uint64_t first_ns,
		     uint64_t *time_ns)
{
	bool is_relative = text && *text == '+';

	if (!text)
		return 0;
	if (!duration_read(text + is_relative, time_ns)) {
		say("--%s: '%s' is not a time; write seconds (3.9357), or "
		    "+1.5ms from the start of tracing",
		    name, text);
		return -1;
	}
	if (is_relative)
		*time_ns += first_ns;
	return 0;
}

int report_options_window(const struct report_options *options,
			  uint64_t first_ns, struct time_window *window)
{
	*window = TIME_WINDOW_ALL;
	if (read_time("since", options->since, first_ns, &window->since_ns) < 0)
		return -1;
	if (read_time("until", options->until, first_ns, &window->until_ns) < 0)
		return -1;
	if (window->since_ns < window->until_ns)
		return 0;
	say("--since=%s is not before --until=%s",
	    options->since ? options->since : "0", options->until);
	return -1;
}
