/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUEST_ROWS_H
#define KT_ATTRIBUTION_REQUEST_ROWS_H

#include "attribution/requests/request.h"
#include "attribution/requests/request_sums.h"

#include <stdbool.h>
#include <stdint.h>

struct record_writer;
struct task_names;

/* One request, as tables show it. */
struct request_row {
	uint64_t number;
	uint64_t parent; /* number of the one that it was sent for, or 0 */
	int32_t client_pid;
	int32_t client_tid;
	int32_t server_pid; /* of who answered, else took it last */
	int32_t server_tid;
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
	bool is_answered;
	bool is_inferred;
	struct request_sums sums;
};

/* Fills *@row from one that was handed out.  Returns 0 or -ERROR_MEMORY. */
int request_row_of(const struct request *request, struct request_row *row);

/* Returns by what it went, as "pipe" or "connect". */
const char *request_row_by(const struct request_row *row);

/* Orders rows by when they begin. */
int request_row_compare(const void *a, const void *b);

/* Write fields of a row: who and by what; where the time went. */
void request_row_write_who(struct record_writer *writer,
			   const struct request_row *row,
			   const struct task_names *names);
void request_row_write_way(struct record_writer *writer,
			   const struct request_sums *sums);

/* Writes all fields of a row. */
void request_row_write(struct record_writer *writer,
		       const struct request_row *row,
		       const struct task_names *names);

#endif
