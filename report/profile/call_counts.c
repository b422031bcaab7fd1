/* SPDX-License-Identifier: MIT */
#include "report/profile/call_counts.h"

void call_counts_add(struct call_counts *counts, enum call_how how)
{
	switch (how) {
	case HOW_CALL:
	case HOW_SYSTEM_CALL:
		counts->direct++;
		break;
	case HOW_TAIL:
		counts->tail++;
		break;
	case HOW_EXCEPTION:
		counts->async++;
		break;
	case HOW_START:
		counts->starts++;
		break;
	case HOW_INFERRED:
		counts->inferred++;
		break;
	case HOW_RESUMED:
		break;
	}
}

void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more)
{
	counts->direct += more->direct;
	counts->tail += more->tail;
	counts->async += more->async;
	counts->starts += more->starts;
	counts->inferred += more->inferred;
}

uint64_t call_counts_calls(const struct call_counts *counts)
{
	return counts->direct + counts->tail + counts->async;
}
