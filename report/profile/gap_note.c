/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"

#include <inttypes.h>

void render_gap_note(const struct profile_report *report, FILE *out)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	uint64_t gap_ns = 0;
	uint64_t gaps = 0;

	for (uint32_t i = 0; i < task_stacks_cpu_count(report->stacks); i++) {
		const struct cpu_account *account =
			task_stacks_account(report->stacks, i);

		gaps += account->gaps;
		gap_ns += account->state_ns[CPU_GAP];
	}
	if (!gaps)
		return;
	fprintf(out, "%sIncomplete:%s %" PRIu64 " gaps in the trace",
		report->colors->missing, report->colors->plain, gaps);
	/* The number of missing instructions is unknown. */
	if (unit->is_time)
		fprintf(out, ", %s in all,", duration_text_of(gap_ns).text);
	fputs(" are in no function.\n\n", out);
}

void render_title(const struct profile_report *report, const char *title,
		  FILE *out)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	bool has_line;

	fprintf(out, "%s: %s.\n\n%s", title, unit->kind, unit->note);
	has_line = render_interrupts(report, out);
	if (render_left_out(report, out) || has_line)
		fputc('\n', out);
	render_gap_note(report, out);
}
