/* SPDX-License-Identifier: MIT */
#include "cmd/report/untimed_overview.h"

#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "report/text/record_writer.h"
#include "tables/overview.h"
#include "tables/table.h"

#include <stdio.h>

static void drop_step(struct step_callback *callback,
		      const struct call_step *step)
{
	(void)callback;
	(void)step;
}

int untimed_overview(const struct session *session,
		     const struct attribution_output *output)
{
	struct step_callback callback = { .take = drop_step };
	struct task_stacks *stacks = NULL;
	int status = run_pipeline(session, &callback, &stacks);

	if (!status && output->format == RECORD_JSON) {
		fputs("{\n", output->out);
		overview_write_json(session->recording, stacks, output->out);
		fputs("\"processes\":null}\n", output->out);
	} else if (!status) {
		overview_write_text(session->recording, stacks, output->out);
	}
	task_stacks_free(stacks);
	return status;
}
