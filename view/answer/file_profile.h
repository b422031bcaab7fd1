/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_FILE_PROFILE_H
#define KT_VIEW_FILE_PROFILE_H

#include "view/answer/answer.h"

struct answer_names;

/* Writes the members "places", "parts" and "left_out_places" of a page in a
 * file: call sums of a few parts of the recording's time.
 *
 * Returns 0 or a negative enum error.
 */
int file_profile_write(const struct view_sources *sources,
		       struct answer_names *named, struct json_out *json);

#endif
