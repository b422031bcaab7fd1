/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_row.h"

const char *diff_section_name(enum diff_section section)
{
	static const char *const names[DIFF_SECTIONS] = {
		[DIFF_PROCESSES] = "process",
		[DIFF_SYSCALLS] = "syscall",
		[DIFF_SLEEPS] = "sleep",
		[DIFF_FUNCTIONS] = "function",
	};

	return names[section];
}

uint64_t diff_rounded(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

uint64_t diff_value_each(const struct diff_value *value)
{
	return value->count ? diff_rounded(value->total_ns / value->count) : 0;
}

void diff_side_fold(struct diff_side *side)
{
	const struct diff_value *value = &side->current;

	if (!value->count && !value->total_ns)
		return;
	if (!side->recordings || value->total_ns < side->least_ns)
		side->least_ns = value->total_ns;
	if (!side->recordings || value->total_ns > side->most_ns)
		side->most_ns = value->total_ns;
	side->recordings++;
	side->sum.count += value->count;
	side->sum.total_ns += value->total_ns;
	side->sum.p99_ns += value->p99_ns;
	side->current = (struct diff_value){ 0 };
}

struct diff_value diff_side_mean(const struct diff_side *side,
				 uint32_t recordings)
{
	double all = recordings ? recordings : 1;
	double those = side->recordings ? side->recordings : 1;

	return (struct diff_value){
		.count = side->sum.count / all,
		.total_ns = side->sum.total_ns / all,
		.p99_ns = side->sum.p99_ns / those,
	};
}

double diff_sides_change(const struct diff_side sides[2],
			 const uint32_t recordings[2])
{
	return diff_side_mean(&sides[1], recordings[1]).total_ns -
	       diff_side_mean(&sides[0], recordings[0]).total_ns;
}

double diff_row_change(const struct diff_row *row, const uint32_t recordings[2])
{
	return diff_sides_change(row->sides, recordings);
}

/* A recording without the row counts as 0. */
static double least_of(const struct diff_side *side, uint32_t recordings)
{
	return side->recordings < recordings ? 0 : side->least_ns;
}

bool diff_sides_are_noise(const struct diff_side sides[2],
			  const uint32_t recordings[2])
{
	if (recordings[0] < 2 && recordings[1] < 2)
		return false;
	return least_of(&sides[1], recordings[1]) <= sides[0].most_ns &&
	       least_of(&sides[0], recordings[0]) <= sides[1].most_ns;
}

const char *diff_row_note(const struct diff_row *row,
			  const uint32_t recordings[2])
{
	if (!row->sides[0].recordings)
		return "new";
	if (!row->sides[1].recordings)
		return "gone";
	return diff_sides_are_noise(row->sides, recordings) ? "noise" : "";
}
