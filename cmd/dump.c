/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/dump/dump_stages.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"

#include <string.h>

static const struct own_option own_options[] = {
	{ "records", NULL,
	  "the records of the kernel and perf besides the "
	  "trace",
	  0, TAKEN },
	{ "packets", NULL, "the packets of the trace hardware", 0, TAKEN },
	{ "blocks", NULL, "executed code, block by block (default)", 0, TAKEN },
	{ "events", NULL, "calls, returns, interrupts, switches", 0, TAKEN },
};

static dump_stage *const stages[] = {
	dump_records,
	dump_packets,
	dump_blocks,
	dump_events,
};

static bool consume_stage(void *ctx, int index, const char *argument)
{
	dump_stage **stage = ctx;

	(void)argument;
	*stage = stages[index];
	return true;
}

/* Returns whether @stage supports the options; otherwise reports one that it
 * does not. All stages write text; packets have no time filter.
 */
static bool can_do(const struct report_options *options, dump_stage *stage)
{
	const char *name = NULL;

	if (stage == dump_packets && (options->since || options->until))
		name = options->since ? "since" : "until";
	else if (options->format && strcmp(options->format, "text") != 0)
		name = "format";
	if (name)
		say_of("dump", "cannot do --%s here%s%s", name,
		       *name == 'f' ? ": no dump as " : "",
		       *name == 'f' ? options->format : "");
	return !name;
}

static int dump_recording(const struct report_options *options,
			  dump_stage *stage)
{
	struct session session;
	int status = session_open(&session, options);
	int close_status;

	if (!status) {
		struct dump dump = { &session, options->top };
		int error = stage(&dump);

		if (error < 0) {
			log_message(&console_log, LOG_ERROR,
				    recording_path(session.recording),
				    LOG_NO_OFFSET, "%s", error_text(error));
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
		.takes_input = true,
		.purpose = "Shows the output of one stage of decoding, one "
			   "line per item.",
		.formats = "text",
		.is_paged = true,
		.has_no_tasks = true,
		.shows_code = true,
		OWN_OPTIONS(own_options),
		.consume = consume_stage,
		.ctx = &stage,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = can_do(&options, stage) ?
				 dump_recording(&options, stage) :
				 EXIT_USAGE;
	report_options_free(&options);
	return status;
}

const struct command dump_command = {
	.name = "dump",
	.summary = "show the output of one decoding stage (records, packets, "
		   "…)",
	.run = run_dump,
};
