/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_THREAD_PART_H
#define KT_VIEW_THREAD_PART_H

#include "report/profile/profile.h"
#include "view/answer/answer.h"

/* Returns the profile part of the summary's thread @number; PROFILE_WORK if it
 * does not exist.
 */
enum profile_part thread_part(const struct view_sources *sources,
			      uint32_t number);

#endif
