/* SPDX-License-Identifier: MIT */
#include "explain/request_legs_internal.h"

#include "attribution/requests/request.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "tables/requests/request_sums.h"

#include <assert.h>

/* Appends the leg of @task (NULL: the client) from *@now_ns to @end_ns, and
 * moves *@now_ns there. Appends nothing if no time is left.
 */
static int add_leg(struct array *legs, const struct task *task, uint64_t end_ns,
		   uint64_t *now_ns)
{
	const struct request_leg leg = {
		.tid = task ? task->tid : -1,
		.begin_ns = *now_ns,
		.end_ns = end_ns,
	};

	if (end_ns <= *now_ns)
		return 0;
	*now_ns = end_ns;
	return array_append(legs, &leg);
}

int request_legs_of(const struct request *request, uint64_t wall_ns,
		    struct array *legs)
{
	struct array way = ARRAY_OF(struct request_interval);
	uint64_t now_ns = request->begin->time_ns;
	uint64_t end_ns = now_ns + wall_ns;
	int status = request_way_of(request, &way);

	assert(end_ns >= now_ns);
	if (!status && way.count)
		status = add_leg(legs, NULL, request->sent->time_ns, &now_ns);
	for (size_t i = 0; i < way.count && !status; i++) {
		const struct request_interval *part = array_at(&way, i);

		status = add_leg(legs, part->task,
				 part->end_ns < end_ns ? part->end_ns : end_ns,
				 &now_ns);
	}
	if (!status)
		status = add_leg(legs, NULL, end_ns, &now_ns);
	array_free(&way);
	return status;
}
