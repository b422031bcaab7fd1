/* SPDX-License-Identifier: MIT */
#include "view/answer/request.h"

#include "view/make/thread_numbers.h"

#include <errno.h>
#include <stdlib.h>

bool request_number(const struct view_request *request, const char *name,
		    uint64_t most, uint64_t absent, uint64_t *value)
{
	const char *text = request->argument(request, name);
	char *end;

	*value = absent;
	if (!text)
		return true;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *value <= most;
}

bool request_window(const struct view_request *request,
		    const struct view_summary *summary,
		    struct time_window *window)
{
	uint64_t most = summary->last_ns - summary->first_ns;
	uint64_t from;
	uint64_t to;

	/* A page may request a little more than the recording. */
	if (!request_number(request, "from", UINT64_MAX / 4, 0, &from) ||
	    !request_number(request, "to", UINT64_MAX / 4, most, &to) ||
	    from >= to)
		return false;
	*window = (struct time_window){
		.since_ns = summary->first_ns + from,
		.until_ns = summary->first_ns + to,
	};
	return true;
}

bool request_thread(const struct view_request *request,
		    const struct view_summary *summary, uint32_t *number)
{
	uint64_t value;
	bool is_fine = request_number(request, "thread", UINT32_MAX,
				      THREAD_NUMBER_NONE, &value);

	*number = (uint32_t)value;
	return is_fine && (*number == THREAD_NUMBER_NONE ||
			   *number < summary->threads.count);
}
