/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_RECORDING_FILTER_H
#define KT_STORE_RECORDING_FILTER_H

#include "common/array.h"

#include <stdbool.h>

struct sqlite3_str;
struct store_target;

/* Conditions on recordings, all of which must hold. Each is a text "KEY=VALUE";
 * KEY is a column of "recording" or the name of a label. A kernel's VALUE is a
 * release or a prefix of one that ends before one of ".-+": 6.1 matches
 * 6.1.0-50-amd64, but not 6.12.
 */

/* Returns whether @text is a condition. */
bool recording_filter_is(const char *text);

/* Returns whether @name is a column by which recordings can be selected and
 * grouped. Otherwise it is a label.
 */
bool recording_filter_is_column(const char *name);

/* Appends the @conditions (char *; may be empty) to a query of "recording" as "
 * AND (…) AND (…)".
 */
void recording_filter_append(const struct array *conditions,
			     const struct store_target *target,
			     struct sqlite3_str *query);

#endif
