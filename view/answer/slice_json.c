/* SPDX-License-Identifier: MIT */
#include "view/answer/slice_json.h"

#include "view/answer/answer_names.h"
#include "view/answer/json_out.h"
#include "view/data/summary.h"

void slice_json(const struct view_slice *slice,
		const struct view_summary *summary, struct answer_names *named,
		struct json_out *json)
{
	json_signed(json, (int64_t)(slice->begin_ns - summary->first_ns));
	json_number(json, slice->end_ns - slice->begin_ns);
	json_number(json, slice->depth);
	json_number(json, slice->name);
	json_signed(json, (int32_t)slice->detail);
	json_signed(json, slice->waker_tid);
	json_number(json, slice->count);
	json_number(json, slice->busy_ns);
	if (slice->lane % LANE_KINDS == LANE_STACK)
		answer_names_add(named, slice->name);
	answer_names_add(named, slice->detail);
}
