/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_ROWS_H
#define KT_TABLES_REQUEST_ROWS_H

#include "attribution/requests/request.h"
#include "tables/requests/request_sums.h"

#include <stdbool.h>
#include <stdint.h>

struct record_writer;
struct task_names;

/* One request as a table row. */
struct request_row {
	uint64_t number;
	uint64_t parent;    /* number of the request that caused it, or 0 */
	int32_t client_pid; /* -1: SIDE_SERVER */
	int32_t client_tid;
	/* process that answered, else the last that read it; -1: SIDE_CLIENT */
	int32_t server_pid;
	int32_t server_tid;
	uint8_t side;	/* enum request_side */
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
	bool is_answered;
	bool is_inferred;
	bool has_connection;
	bool has_position;
	struct connection connection;
	/* bytes that its client had sent on the endpoint before it */
	uint64_t position;
	struct request_sums sums;
};

/* Buffer size for the name of a request's client or server. */
enum { REQUEST_NAME_SIZE = ENDPOINT_TEXT_SIZE };

/* Fills *@row from @request, as a callback received it. Returns 0 or
 * -ERROR_MEMORY.
 */
int request_row_of(const struct request *request, struct request_row *row);

/* Returns the medium of the request: "pipe" or "connect". */
const char *request_row_by(const struct request_row *row);

/* Returns which sides were recorded: "both", "client" or "server". */
const char *request_row_side(const struct request_row *row);

/* Return the name of the client or server: a thread's name, or its address on
 * another machine, for a server with the port. The name is in @text, or lives
 * as long as @names.
 */
const char *request_row_client(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE]);
const char *request_row_server(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE]);

/* Orders rows by start time. */
int request_row_compare(const void *a, const void *b);

/* Write fields of a row: the endpoints and medium; the times. */
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
