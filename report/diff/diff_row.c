/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_row.h"

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

double diff_row_change(const struct diff_row *row, const uint32_t recordings[2])
{
	return diff_side_mean(&row->sides[1], recordings[1]).total_ns -
	       diff_side_mean(&row->sides[0], recordings[0]).total_ns;
}

/* Where some recordings lack the row it has taken no time there. */
static double least_of(const struct diff_side *side, uint32_t recordings)
{
	return side->recordings < recordings ? 0 : side->least_ns;
}

const char *diff_row_note(const struct diff_row *row,
			  const uint32_t recordings[2])
{
	const struct diff_side *a = &row->sides[0];
	const struct diff_side *b = &row->sides[1];

	if (!a->recordings)
		return "new";
	if (!b->recordings)
		return "gone";
	if (recordings[0] < 2 && recordings[1] < 2)
		return "";
	return least_of(b, recordings[1]) <= a->most_ns &&
			       least_of(a, recordings[0]) <= b->most_ns ?
		       "noise" :
		       "";
}
