/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SERVER_BILLS_H
#define KT_ATTRIBUTION_SERVER_BILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a server process did for one client: for a process that sent it a
 * message for which it waited.
 */
struct server_bill {
	int32_t server_pid;
	int32_t client_pid; /* -1: for nobody known */
	uint64_t requests;  /* its messages that woke the server */
	uint64_t kernel_ns; /* system calls, faults, kernel work */
	uint64_t user_ns;
	uint64_t tracer_ns;   /* what the tracer took of its time */
	uint64_t runnable_ns; /* its threads waited for a CPU */
	uint64_t asleep_ns;   /* slept for another thing */
	uint64_t inferred_ns; /* of kernel_ns and user_ns */
};

/* Bills by server and client. */
struct server_bills;

#define SERVER_BILL_NONE SIZE_MAX

/* Returns NULL when out of memory. */
struct server_bills *server_bills_new(void);
void server_bills_free(struct server_bills *bills);

/* Returns the number of the bill of @client for @server, or SERVER_BILL_NONE
 * when out of memory.
 */
size_t server_bills_add(struct server_bills *bills, int32_t server,
			int32_t client);

/* Returns whether @client, and not @server, was the first of the two to wake
 * the other: the one that does so is the client.  Remembers it.
 */
bool server_bills_is_client(struct server_bills *bills, int32_t client,
			    int32_t server);

/* Returns whether @server had a client that is known. */
bool server_bills_is_server(const struct server_bills *bills, int32_t server);

/* Returns bill @number, or NULL after the last; valid until one is added. */
struct server_bill *server_bills_at(const struct server_bills *bills,
				    size_t number);

#endif
