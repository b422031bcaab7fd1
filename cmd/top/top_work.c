/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_work.h"

#include "cmd/console/console_log.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_result.h"
#include "common/output_folder.h"
#include "tables/table.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Reports run with low priority, recorders do not. */
enum { REPORT_NICE = 10 };

static void record(const struct top_options *options,
		   const struct output_folder *folder, struct top_facts *facts)
{
	struct collector_options collector = options->collector;
	struct collector_result result;

	collector.folder = folder;
	collector_run(&collector, &console_log, &result);
	*facts = (struct top_facts){
		.stage = result.end == COLLECTOR_FAILED ? TOP_NOTHING :
							  TOP_RECORDED,
		.is_cut_short = result.end == COLLECTOR_SIZE_REACHED,
		.is_target_gone = result.end == COLLECTOR_TARGET_GONE,
		.traced_ns = result.length_ns,
		.trace_bytes = result.trace_bytes,
		.truncated = result.truncated,
		.lost_code = result.lost_code,
		.lost_records = result.lost_records,
	};
}

static int make_tables(const struct report_options *options, char **texts)
{
	struct attribution_request requests[TOP_TABLES];
	FILE *outs[TOP_TABLES];
	size_t sizes[TOP_TABLES];
	int status = 0;

	for (int i = 0; i < TOP_TABLES; i++) {
		requests[i] = (struct attribution_request){
			.table = top_tables[i].table,
			.is_quiet = true,
		};
		outs[i] = open_memstream(&texts[i], &sizes[i]);
		if (!outs[i])
			status = -1;
	}
	if (!status)
		status = run_attributions(options, requests, outs, TOP_TABLES);
	for (int i = 0; i < TOP_TABLES; i++)
		if (outs[i] && fclose(outs[i]) == EOF)
			status = -1;
	return status;
}

static int report(const struct top_options *options, const char *folder,
		  pid_t tree, char **texts)
{
	struct report_options wanted = {
		.input = folder,
		.format = options->is_json ? "json" : "text",
		.top = options->top,
		.trees = ARRAY_OF(int32_t),
	};
	int32_t *pid = tree ? array_add(&wanted.trees) : NULL;
	int status;

	if (pid)
		*pid = tree;
	status = tree && !pid ? -1 : make_tables(&wanted, texts);
	array_free(&wanted.trees);
	return status;
}

/* The round's folder is locked, and a report of it would fail because it is
 * being recorded to; hence a folder inside.
 */
static void record_and_report(const struct top_options *options,
			      const struct output_folder *folder, pid_t tree,
			      struct top_result *result)
{
	struct output_folder recording;

	if (output_folder_sub(&recording, folder, "recording", &console_log))
		return;
	record(options, &recording, &result->facts);
	/* Fails if this process already has a higher nice value. */
	setpriority(PRIO_PROCESS, 0, REPORT_NICE);
	if (result->facts.stage == TOP_RECORDED &&
	    !report(options, recording.path, tree, result->tables))
		result->facts.stage = TOP_REPORTED;
	output_folder_close(&recording);
}

int top_work(const struct top_options *options,
	     const struct output_folder *folder, pid_t tree, FILE *out)
{
	struct top_result result = { 0 };
	int status;

	record_and_report(options, folder, tree, &result);
	status = top_result_write(&result, out);
	top_result_clear(&result);
	return status;
}
