/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_JSON_H
#define KT_VIEW_SLICE_JSON_H

#include <stdint.h>

struct json_out;
struct answer_names;
struct view_slice;
struct view_summary;

/* Writes a slice as eight numbers in a row: start (ns since the recording's
 * start), length, depth, name, detail (-1: none), waker's tid (-1: none),
 * count, busy time; and adds the functions in it to @named.
 */
void slice_json(const struct view_slice *slice,
		const struct view_summary *summary, struct answer_names *named,
		struct json_out *json);

#endif
