/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_THREAD_PART_H
#define KT_VIEW_THREAD_PART_H

#include "report/profile/profile_scope.h"
#include "view/answer/answer.h"

/* Returns the part that the summary's thread @number is of; PROFILE_WORK if it
 * has none of that number.
 */
enum profile_part thread_part(const struct view_sources *sources,
			      uint32_t number);

#endif
