/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_RECORDING_FILTER_H
#define KT_STORE_RECORDING_FILTER_H

#include "common/array.h"

#include <stdbool.h>

struct sqlite3_str;
struct store_target;

/* Conditions on recordings, all of which must hold: each a text "KEY=VALUE", in
 * which KEY is a column of "recording" or else the name of a label.  A kernel's
 * VALUE is a release or what one begins with, up to one of ".-+": 6.1 is
 * 6.1.0-50-amd64, but not 6.12.
 */

/* Returns whether @text is such a condition. */
bool recording_filter_is(const char *text);

/* Returns whether @name is a column that recordings may be chosen and grouped
 * by; else it is a label.
 */
bool recording_filter_is_column(const char *name);

/* Appends the @conditions (char *), which may be none, to a query of
 * "recording" as " AND (…) AND (…)".
 */
void recording_filter_append(const struct array *conditions,
			     const struct store_target *target,
			     struct sqlite3_str *query);

#endif
