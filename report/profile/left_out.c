/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"

#include <stdint.h>

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

/* For a profile of the tracer alone: prints its share of all work. */
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
			has_some ? "; " : "Left out: ", parts[i].name,
			time_unit_amount(unit, part_ns[i]).text,
			percent(part_ns, i, all_ns), parts[i].option);
		has_some = true;
	}
	if (has_some)
		fputs(".\n", out);
	return has_some;
}
