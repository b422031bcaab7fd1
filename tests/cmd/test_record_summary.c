/* SPDX-License-Identifier: MIT */
/* The messages of record after a recording: each loss has its reason. */
#include "cmd/record/record_summary.h"
#include "collector/collector.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING_LOST "nothing lost"

static const struct {
	struct collector_result result;
	const char *text;
	const char *other; /* is not reported */
} cases[] = {
	{ { .end = COLLECTOR_COMMAND_ENDED, .trace_bytes = 1 },
	  NOTHING_LOST,
	  "pieces of kernel code" },
	{ { .end = COLLECTOR_COMMAND_ENDED, .trace_bytes = 1, .lost_code = 2 },
	  "2 pieces of kernel code were removed before they could be copied",
	  "at the end" },
	/* No code was removed: it was found when the recording ended. */
	{ { .end = COLLECTOR_COMMAND_ENDED, .trace_bytes = 1, .late_code = 3 },
	  "3 pieces of kernel code were copied only at the end, because no "
	  "record announced them",
	  "removed" },
	/* The recorder kept up. */
	{ { .end = COLLECTOR_COMMAND_ENDED, .trace_bytes = 1, .full_parts = 4 },
	  "a little trace was lost 4 times while the kernel replaced a full "
	  "part",
	  NOTHING_LOST },
	{ { .end = COLLECTOR_COMMAND_ENDED, .trace_bytes = 1, .late_code = 3 },
	  "of trace",
	  NOTHING_LOST },
};

START_TEST(losses_have_their_reasons)
{
	FILE *errors = stderr;
	char *text = NULL;
	size_t size;

	stderr = open_memstream(&text, &size);
	record_summary("/folder", &cases[_i].result, 4096);
	fclose(stderr);
	stderr = errors;
	ck_assert_msg(strstr(text, cases[_i].text), "%s", text);
	ck_assert_msg(!strstr(text, cases[_i].other), "%s", text);
	free(text);
}
END_TEST

SUITE("record_summary")
{
	TEST_EACH(losses_have_their_reasons, cases);
}
