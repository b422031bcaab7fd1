/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_NAMES_H
#define KT_REPORT_TEXT_NAMES_H

#include "report/timeline/step_texts.h"

/* The names of a timeline in text; each is a step_text_make whose ctx is the
 * struct timeline_context.
 */

/* A function, as "vfs_read". */
step_text_make text_name_function;

/* The text after the function: a mark for user functions (" [u]"), and a
 * comment with the source line if requested.
 */
step_text_make text_name_origin;

/* A task, as ")  ls-137  | ". */
step_text_make text_name_task;

#endif
