/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/dump_stages.h"
#include "cmd/session.h"
#include "common/error.h"

#include <stdio.h>

static const struct own_option own_options[] = {
	{ "records", NULL, "what the kernel and perf said beside the trace" },
	{ "packets", NULL, "the packets of the trace hardware" },
	{ "blocks", NULL, "what was executed, block by block (default)" },
	{ "events", NULL, "calls, returns, interrupts, switches" },
};

static dump_stage *const stages[] = {
	dump_records,
	dump_packets,
	dump_blocks,
	dump_events,
};

static bool take_stage(void *ctx, int index, const char *argument)
{
	dump_stage **stage = ctx;

	(void)argument;
	*stage = stages[index];
	return true;
}

static int dump_recording(const struct report_options *options,
			  dump_stage *stage)
{
	struct session session;
	int status = session_open(&session, options);
	int close_status;

	if (!status) {
		int error = stage(&session);

		if (error < 0) {
			fprintf(stderr, "ktrace-hw: dump: %s\n",
				error_text(error));
			status = EXIT_FAILED;
		}
	}
	close_status = session_close(&session);
	return status ? status : close_status;
}

static int run_dump(int argc, char **argv)
{
	dump_stage *stage = dump_blocks;
	const struct option_set set = {
		.command = "dump",
		.purpose = "Shows what one stage hands to the next, a line an "
			   "item.",
		.own = own_options,
		.own_count = sizeof(own_options) / sizeof(*own_options),
		.take = take_stage,
		.ctx = &stage,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = dump_recording(&options, stage);
	report_options_free(&options);
	return status;
}

const struct command dump_command = {
	.name = "dump",
	.summary = "look at each stage alone (records, packets, blocks, "
		   "events)",
	.run = run_dump,
};
