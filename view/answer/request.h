/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_REQUEST_H
#define KT_VIEW_REQUEST_H

#include "view/answer/answer.h"

/* The arguments of a request, which come from outside. */

/* Reads argument @name, a decimal number of at most @most; 0 to @absent if it
 * is not there.  Returns whether it is fine.
 */
bool request_number(const struct view_request *request, const char *name,
		    uint64_t most, uint64_t absent, uint64_t *value);

/* Reads "from" and "to", in ns since the recording's begin, to a window of its
 * clock that is not empty.  Returns whether they are fine.
 */
bool request_window(const struct view_request *request,
		    const struct view_summary *summary,
		    struct time_window *window);

/* Reads "thread", a thread's number; THREAD_NUMBER_NONE if it is not there, for
 * all.  Returns whether it is fine.
 */
bool request_thread(const struct view_request *request,
		    const struct view_summary *summary, uint32_t *number);

#endif
