/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_ACCOUNTS_H
#define KT_TABLES_SERVER_ACCOUNTS_H

#include "common/keyed_array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what a server process did for one client: for a process that sent it
 * requests.
 */
struct server_account {
	int32_t server_pid;
	int32_t client_pid; /* -1: for nobody known */
	uint64_t requests;
	uint64_t kernel_ns; /* system calls, faults, kernel work */
	uint64_t user_ns;
	uint64_t tracer_ns;   /* what the tracer took of its time */
	uint64_t runnable_ns; /* its threads waited for a CPU */
	uint64_t asleep_ns;   /* slept for another thing */
	uint64_t inferred_ns; /* of kernel_ns and user_ns */
};

/* Charges by server and client. */
struct server_accounts {
	struct keyed_array all; /* struct server_account, by both */
};

#define SERVER_ACCOUNTS_NONE \
	((struct server_accounts){ \
		KEYED_ARRAY_OF(struct server_account, client_pid) })

void server_accounts_free(struct server_accounts *accounts);

/* Returns the account of @client for @server, valid until one is added; NULL when
 * out of memory.
 */
struct server_account *server_accounts_add(struct server_accounts *accounts,
					   int32_t server, int32_t client);

/* Returns whether @server had a client that is known. */
bool server_accounts_is_server(const struct server_accounts *accounts,
			       int32_t server);

/* Returns account @number, or NULL after the last; valid until one is added. */
struct server_account *
server_accounts_at(const struct server_accounts *accounts, size_t number);

#endif
