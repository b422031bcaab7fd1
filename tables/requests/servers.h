/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUESTS_SERVERS_H
#define KT_TABLES_REQUESTS_SERVERS_H

#include "attribution/requests/request.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct pack;
struct table_records;

/* report --servers: the time of server processes, charged to their clients.
 *
 *	requests (attribution/requests/) ─► struct server_record ─► server_accounts
 *	                                        │                        ▲
 *	                                        ▼ cache file             │
 *	                           a window: server_times ───────────────┘
 *
 * A whole recording is summed at once; for a window, cached records are read,
 * and the threads' time in the window is divided by the intervals when they
 * worked for a client. A server's time for no known client is charged to client
 * -1, so that the accounts of a server add up to its time.
 *
 * A client may itself work for a client. The first client of such a chain is
 * that of the outermost request, and accounts may be by this one instead.
 */

/* The time of a server process for one client, a process that sent requests to
 * it.
 */
struct server_account {
	int32_t server_pid;
	int32_t client_pid; /* -1: unknown */
	int32_t first_pid;  /* the first client of the chain */
	uint64_t requests;
	uint64_t kernel_ns; /* system calls, faults, kernel work */
	uint64_t user_ns;
	uint64_t tracer_ns;   /* tracer overhead */
	uint64_t runnable_ns; /* its threads waited for a CPU */
	uint64_t asleep_ns;   /* slept, but not for a message */
	/* part of kernel_ns and user_ns whose client is inferred */
	uint64_t inferred_ns;
};

/* Accounts by server and client. */
struct server_accounts {
	struct keyed_array all; /* struct server_account, by both */
};

#define SERVER_ACCOUNTS_NONE \
	((struct server_accounts){ \
		KEYED_ARRAY_OF(struct server_account, client_pid) })

void server_accounts_free(struct server_accounts *accounts);

/* Returns the account of @client for @server, created if needed, valid until
 * the next one is created; NULL when out of memory.
 */
struct server_account *server_accounts_add(struct server_accounts *accounts,
					   int32_t server, int32_t client);

/* Returns whether @server has a known client. */
bool server_accounts_is_server(const struct server_accounts *accounts,
			       int32_t server);

/* Returns account @number, or NULL after the last; valid until one is created.
 */
struct server_account *
server_accounts_at(const struct server_accounts *accounts, size_t number);

enum server_record_kind {
	/* an interval of a thread's time, with its enum request_part */
	SERVER_INTERVAL,
	/* an interval when the thread worked for a client */
	SERVER_SEGMENT,
	SERVER_REQUEST, /* a client sent a request */
	SERVER_RECORD_KINDS,
};

/* A record that server accounts are summed from. */
struct server_record {
	uint8_t kind;	  /* enum server_record_kind */
	uint8_t part;	  /* SERVER_INTERVAL: enum request_part */
	bool is_inferred; /* SERVER_SEGMENT: the client is inferred */
	uint32_t thread;  /* index of its task; not of SERVER_REQUEST */
	/* process of the server; SERVER_INTERVAL: process of the thread, which
	 * may be no server
	 */
	int32_t pid;
	/* as in struct server_account; not set in SERVER_INTERVAL */
	int32_t client_pid;
	int32_t first_pid;
	uint64_t begin_ns;
	uint64_t end_ns; /* SERVER_REQUEST: equal to begin_ns */
};

/* Writes @record, or reads it into a zeroed one. */
void server_record_pack(struct pack *pack, struct server_record *record);

/* One thread's time in a window. */
struct server_thread {
	uint32_t thread;
	int32_t pid;
	struct array intervals; /* struct server_record, by time */
	uint64_t parts[REQUEST_PARTS];
};

/* Threads' times in a window, and the clients for which they worked. Intervals
 * of work for a client are cut at the window's bounds. Memory grows with the
 * window.
 */
struct server_times {
	struct time_window window;
	struct keyed_array threads; /* struct server_thread, by thread */
	struct array segments;	    /* struct server_record */
};

struct server_times server_times_of(struct time_window window);
void server_times_free(struct server_times *times);

/* Adds the part of @record, a SERVER_INTERVAL or a SERVER_SEGMENT, that is in
 * the window. A thread's SERVER_INTERVAL records must be added in order of
 * time. Returns 0 or -ERROR_MEMORY.
 */
int server_times_add(struct server_times *times,
		     const struct server_record *record);

/* Sets @parts to the time of @segment's thread in the part of @segment, one of
 * times->segments, that is in the window. Must be called after the last
 * server_times_add().
 */
void server_times_of_segment(const struct server_times *times,
			     const struct server_record *segment,
			     uint64_t parts[REQUEST_PARTS]);

/* Charges servers' time to their clients: sums over their requests
 * (attribution/requests/requests.h).
 */
struct servers;

/* Borrows @input. @is_through: the accounts are by the first client of each
 * chain. Returns NULL when out of memory.
 */
struct servers *servers_new(const struct attribution_input *input,
			    bool is_through);
void servers_free(struct servers *servers);

/* The records of requests and thread times; their owner is a struct servers. */
extern const struct table_records server_records;

/* Ends the accounts. Must be called once, after the last call event. Servers'
 * time for unknown clients is charged to client -1. Returns 0 or -ERROR_MEMORY.
 */
int servers_end(struct servers *servers);

/* Returns the accounts, which the servers own. */
const struct server_accounts *servers_accounts(const struct servers *servers);

#endif
