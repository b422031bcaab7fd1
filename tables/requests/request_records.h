/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_RECORDS_H
#define KT_TABLES_REQUEST_RECORDS_H

#include "attribution/sleeps/wakers.h"
#include "common/array.h"
#include "report/steps/call_step.h"
#include "tables/requests/request_rows.h"

#include <stdint.h>

struct kept_file_writer;
struct pack;
struct request_sleeps;

/* What rows of requests are made of, kept or read: each request with its sleeps, and
 * the tasks that they refer to.
 */
struct request_records {
	struct kept_file_writer *writer; /* NULL: they are not kept */
	uint32_t functions;		 /* there are so many */
	struct array requests; /* struct kept_request, until they are kept */
	struct array tasks;    /* struct task, by index */
	struct wakers wakers;  /* that were read */
};

#define REQUEST_RECORDS_NONE \
	((struct request_records){ \
		.requests = ARRAY_OF(struct kept_request), \
		.tasks = ARRAY_OF(struct task), \
		.wakers = WAKERS_NONE, \
	})

struct kept_request {
	struct request_row row;
	const struct task *task; /* by which it is chosen */
};

void request_records_free(struct request_records *records);

/* Adds @request to those that are to be kept.  Returns 0 or -ERROR_MEMORY. */
int request_records_add(struct request_records *records,
			const struct kept_request *request);

/* No more come: hands all that were added to the writer, with what they have of
 * @sleeps, which have ended.  Returns 0 or -ERROR_MEMORY.
 */
int request_records_keep_all(struct request_records *records,
			     const struct request_sleeps *sleeps);

/* Hands one to the writer with its @sleeps (struct request_sleep).  Returns 0 or
 * -ERROR_MEMORY.
 */
int request_records_keep(struct request_records *records,
			 struct kept_request *request, struct array *sleeps);

/* Writes what all refer to, tasks and @wakers, or reads it, before they are read
 * themselves.
 */
void request_records_pack_rest(struct request_records *records,
			       const struct wakers *wakers, struct pack *pack);

/* Reads one, and appends its sleeps (struct request_sleep) to @sleeps. */
void request_records_read(const struct request_records *records,
			  struct pack *pack, struct kept_request *request,
			  struct array *sleeps);

#endif
