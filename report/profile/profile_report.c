/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"

#include "report/steps/call_step.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

void render_gap_note(const struct profile_report *report, FILE *out)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	uint64_t gap_ns = 0;
	uint64_t gaps = 0;

	for (uint32_t i = 0; i < task_stacks_cpu_count(report->stacks); i++) {
		const struct cpu_account *account =
			task_stacks_account(report->stacks, i);

		if (!step_filter_cpu(report->filter, (uint32_t)account->cpu))
			continue;
		gaps += account->gaps;
		gap_ns += account->state_ns[CPU_GAP];
	}
	if (!gaps)
		return;
	fprintf(out, "%sIncomplete:%s %" PRIu64 " gaps in the trace%s",
		report->colors->missing, report->colors->plain, gaps,
		step_filter_has_tasks(report->filter) ? " of all tasks" : "");
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

static const struct {
	const char *name;
	const char *option; /* the option that includes it */
} parts[PROFILE_PARTS] = {
	[PROFILE_IDLE] = { "the idle loop", "--with-idle" },
	[PROFILE_TRACER] = { "the tracer's own work", "--with-tracer" },
};

static double percent(const uint64_t part_ns[PROFILE_PARTS], int part,
		      uint64_t all_ns)
{
	return all_ns ? 100.0 * (double)part_ns[part] / (double)all_ns : 0;
}

/* Writes the tracer's share of all work, for a profile that does not show the
 * other work.
 */
static bool render_tracer(const struct profile_report *report, FILE *out)
{
	const uint64_t *part_ns = report->part_ns;

	fprintf(out,
		"The tracer's own work: %s, %.1f %% of all work except the "
		"idle loop.\n",
		time_unit_amount(time_unit_of(report->recording),
				 part_ns[PROFILE_TRACER])
			.text,
		percent(part_ns, PROFILE_TRACER,
			part_ns[PROFILE_TRACER] + part_ns[PROFILE_WORK]));
	return true;
}

bool render_interrupts(const struct profile_report *report, FILE *out)
{
	const struct profile_interrupts *interrupts = report->interrupts;
	const struct time_unit *unit = time_unit_of(report->recording);

	if (!interrupts)
		return false;
	fprintf(out,
		"Interrupt work is charged to its beneficiary (--bill=victim: "
		"to the interrupted process): %s,\n",
		time_unit_text(unit, interrupts->exact_ns +
					     interrupts->inferred_ns +
					     interrupts->nobodys_ns)
			.text);
	fprintf(out, "%s of it inferred%s",
		time_unit_text(unit, interrupts->inferred_ns).text,
		interrupts->inferred_ns ? " (~)" : "");
	if (interrupts->nobodys_ns)
		fprintf(out, ", %s without a known beneficiary",
			time_unit_text(unit, interrupts->nobodys_ns).text);
	fputs(".\n", out);
	return true;
}

bool render_left_out(const struct profile_report *report, FILE *out)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	const uint64_t *part_ns = report->part_ns;
	uint64_t all_ns = 0;
	bool has_some = false;

	if (!report->scope)
		return false;
	if (!report->scope->shows[PROFILE_WORK])
		return render_tracer(report, out);
	for (int i = 0; i < PROFILE_PARTS; i++)
		all_ns += part_ns[i];
	for (int i = PROFILE_IDLE; i < PROFILE_PARTS; i++) {
		if (report->scope->shows[i] || !part_ns[i])
			continue;
		fprintf(out, "%s%s, %s, %.1f %% (%s)",
			has_some ? "; " : "Left out: ",
			i == PROFILE_IDLE && report->has_states ?
				"sleeps of idle threads" :
				parts[i].name,
			time_unit_amount(unit, part_ns[i]).text,
			percent(part_ns, i, all_ns), parts[i].option);
		has_some = true;
	}
	if (has_some)
		fputs(".\n", out);
	return has_some;
}

struct self_text self_text_of(const struct profile_report *report,
			      uint64_t self_ns, uint64_t inferred_ns)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	struct self_text text;

	snprintf(text.text, sizeof(text.text), "%s%s", inferred_ns ? "~" : "",
		 time_unit_text(unit, self_ns).text);
	return text;
}

const char *unnamed_tree(const struct profile_report *report)
{
	return report->by_process ? "unknown" : "all";
}

struct group_label tree_label(const struct profile_report *report, int32_t tree)
{
	struct group_label label;

	if (report->groups && tree != -1)
		return task_groups_label(report->groups, tree);
	snprintf(label.text, sizeof(label.text), "%s",
		 tree < 0 ? unnamed_tree(report) :
			    task_label_last(report->names, tree).text);
	return label;
}

struct function_label tree_function_label(const struct profile_report *report,
					  uint32_t function, int32_t tree)
{
	char prefix[sizeof(struct group_label) + 2];

	if (!report->groups || tree >= -1)
		return function_label_of(report->functions, function, tree);
	snprintf(prefix, sizeof(prefix), "[%s]", tree_label(report, tree).text);
	return function_label_under(report->functions, function, prefix);
}
