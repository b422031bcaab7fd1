/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_ANSWER_JSON_INTERNAL_H
#define KT_VIEW_ANSWER_ANSWER_JSON_INTERNAL_H

#include "report/profile/profile.h"
#include "view/answer/answer.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct json_out;
struct view_slice;
struct view_summary;

/* The functions to which an answer refers by number. */
struct answer_names {
	const struct function_table *functions; /* borrowed */
	/* by function number: whether the answer refers to it */
	bool *is_named;
};

/* Initialises @named, without any function. Returns 0 or -ERROR_MEMORY; the
 * caller must free @named in both cases.
 */
int answer_names_init(struct answer_names *named,
		      const struct function_table *functions);
void answer_names_free(struct answer_names *named);

/* Adds @function, unless it is not a valid function number. */
void answer_names_add(struct answer_names *named, uint32_t function);

/* Writes the member "functions": the names by number. */
void answer_names_write(const struct answer_names *named,
			struct json_out *json);

/* Writes a slice as eight numbers in a row: start (ns since the recording's
 * start), length, depth, name, detail (-1: none), waker's tid (-1: none),
 * count, busy time; and adds the functions in it to @named.
 */
void slice_json(const struct view_slice *slice,
		const struct view_summary *summary, struct answer_names *named,
		struct json_out *json);

/* Returns the profile part of the summary's thread @number; PROFILE_WORK if it
 * does not exist.
 */
enum profile_part thread_part(const struct view_sources *sources,
			      uint32_t number);

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
