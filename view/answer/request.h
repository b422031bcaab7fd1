/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_REQUEST_H
#define KT_VIEW_REQUEST_H

#include "view/answer/answer.h"

/* Parses the arguments of a request, which are untrusted. */

/* Parses argument @name, a decimal number of at most @most; if it is missing,
 * sets *@value to @absent. Returns whether it is valid or missing.
 */
bool request_number(const struct view_request *request, const char *name,
		    uint64_t most, uint64_t absent, uint64_t *value);

/* Parses "from" and "to", in ns since the recording's start, to a nonempty
 * window of its clock. Returns whether they are valid.
 */
bool request_window(const struct view_request *request,
		    const struct view_summary *summary,
		    struct time_window *window);

/* Parses "thread", a thread's number; THREAD_NUMBER_NONE, for all, if it is
 * missing. Returns whether it is valid.
 */
bool request_thread(const struct view_request *request,
		    const struct view_summary *summary, uint32_t *number);

#endif
