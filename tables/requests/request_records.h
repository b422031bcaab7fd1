/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUESTS_REQUEST_RECORDS_H
#define KT_TABLES_REQUESTS_REQUEST_RECORDS_H

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/requests/requests.h"
#include "attribution/sleeps/sleeps.h"
#include "common/array.h"
#include "report/steps/call_step.h"
#include "tables/requests/request_sums.h"

#include <stdint.h>

struct cache_file_writer;
struct pack;
struct request_sleeps;
struct table_records;

/* Collects the requests of a pass with their sleeps, for the report of requests
 * and for SQL. Also writes and reads them as records: each request with its
 * sleeps, and the tasks to which these refer.
 *
 * requests of a pass --+
 *                      +--> struct request_rows --consume()--> rows
 * cached records ------+            |
 *                                   +--> sleeps, by request number
 */
struct request_records {
	struct cache_file_writer *writer; /* NULL: records are not written */
	uint32_t functions;		  /* number of functions */
	struct array requests; /* struct cached_request, until they are written */
	struct array tasks;    /* struct task, by index */
	struct wakers wakers; /* read from the records */
};

#define REQUEST_RECORDS_NONE \
	((struct request_records){ \
		.requests = ARRAY_OF(struct cached_request), \
		.tasks = ARRAY_OF(struct task), \
		.wakers = WAKERS_NONE, \
	})

struct cached_request {
	struct request_row row;
	const struct task *task; /* by which filters select the request */
};
void request_records_free(struct request_records *records);

/* Writes @request with its @sleeps (struct request_sleep). Returns 0 or
 * -ERROR_MEMORY.
 */
int request_records_keep(struct request_records *records,
			 struct cached_request *request, struct array *sleeps);

/* Writes or reads the tasks and @wakers to which the records refer. They must
 * be read before the first record.
 */
void request_records_pack_rest(struct request_records *records,
			       const struct wakers *wakers, struct pack *pack);

/* Reads a request, and appends its sleeps (struct request_sleep) to @sleeps. */
void request_records_read(const struct request_records *records,
			  struct pack *pack, struct cached_request *request,
			  struct array *sleeps);

/* The requests of a pass, and their sleeps. */
struct request_rows {
	/* the records' owner; receives no events */
	struct event_handler handler;
	struct request_callback callback;
	struct attribution_input input;
	struct request_sleeps *sleeps;
	struct request_records records;
	/* Called with each request. Returns whether its sleeps are needed. */
	bool (*consume)(struct request_rows *rows,
			const struct cached_request *request);
	int status; /* 0, or -ERROR_MEMORY once memory ran out */
};

/* Opens the zeroed @rows, with @consume. Returns false when out of memory; it must
 * be closed even then.
 */
bool request_rows_open(struct request_rows *rows,
		       const struct attribution_input *input,
		       bool (*consume)(struct request_rows *rows,
				       const struct cached_request *request));
void request_rows_close(struct request_rows *rows);

/* The records of requests; their owner is a struct request_rows. */
extern const struct table_records request_row_records;

#endif
