/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SUM_WINDOW_H
#define KT_SQL_SUM_WINDOW_H

#include "sql/rows/row_choice.h"

/* Initializers of the hidden columns that bound the window of a table of sums.
 */
#define SUM_WINDOW_COLUMNS(since, until) \
	[since] = { "since_ns", SQL_INTEGER, ROLE_SINCE, "ns", \
		    "hidden argument: the sums start at this time" }, \
	[until] = { \
		"until_ns", SQL_INTEGER, ROLE_UNTIL, "ns", \
		"hidden argument: the sums end before this time; " \
		"process(1000, 2000) sums that window, like report --since " \
		"--until" \
	}

/* Returns a bound in the form of the query's value, because SQLite compares the
 * two.
 */
static inline int64_t sum_window_bound(uint64_t time_ns)
{
	return time_ns > INT64_MAX ? INT64_MAX : (int64_t)time_ns;
}

#endif
