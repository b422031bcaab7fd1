/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWERS_H
#define KT_VIEW_ANSWERS_H

#include "view/answer/answer.h"

/* An endpoint: each has its own file, and a line in answer.c's table.
 *
 * Writes the members of an object to @json. Returns VIEW_OK; or another status,
 * in which case it must not have written any. Called with the summary locked.
 */
typedef enum view_status view_answer_fn(const struct view_sources *sources,
					const struct view_request *request,
					struct json_out *json);

view_answer_fn answer_recording; /* the overview */
view_answer_fn answer_lanes;	 /* ?from&to&pixels&lanes: slices */
view_answer_fn answer_profile;	 /* ?from&to[&thread][&with_idle]
					 * [&with_tracer] */
view_answer_fn answer_sleeps;	 /* ?from&to[&thread] */
view_answer_fn answer_functions; /* ?like: names */
view_answer_fn answer_next;	 /* ?function&from[&back][&thread] */

#endif
