/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_ACCOUNTS_H
#define KT_TABLES_SERVER_ACCOUNTS_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time of a server process for one client, a process that sent requests to
 * it.
 */
struct server_account {
	int32_t server_pid;
	int32_t client_pid; /* -1: unknown */
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

#endif
