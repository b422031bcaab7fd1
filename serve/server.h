/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_SERVER_H
#define KT_SERVE_SERVER_H

#include <sys/types.h>

struct log;

struct server;

/* The loop of `ktrace-hw serve`: gives programs without rights the trace of
 * their own threads, and the copy of the kernel's code that they need to decode
 * it.
 *
 *	listening_socket ─► client_list ─ turns ─► client_request() ─► its events
 *	                         ▲                 client_answer() ─► kernel_files
 *	                         └── GONE: no descriptor is left        ▲
 *	                                           kernel_watch ────────┘
 *
 * The service decides on permissions, so it trusts no client: it learns from
 * the kernel who a client is (struct peer), parses one request of fixed size
 * (serve_request_read()), and bounds clients, threads and copies
 * (common/budget.h, BUDGET_SERVE*).
 *
 * Threads: the loop runs in the caller's; a copy of the kernel is made in
 * another one, for which the loop does not wait.
 */

/* Prepares to serve members of @group and root on @socket, which listens. @sums
 * is the path of the file with sums of sleeps, which need not exist yet; NULL:
 * there are none.
 *
 * Blocks the signals that end server_run(), SIGCHLD, SIGUSR2 and SIGXFSZ; they
 * stay blocked.
 *
 * Returns 0 and *@server, which borrows @socket, @sums and @log; or a negative enum
 * error with the reason in @log.
 */
int server_open(int socket, gid_t group, const char *sums,
		const struct log *log, struct server **server);
void server_close(struct server *server);

/* Serves until the process receives SIGINT, SIGTERM, SIGHUP or SIGQUIT. Never
 * blocks for a client, nor for a copy of the kernel
 * (serve/kernel_files_internal.h), and divides its work evenly among users
 * (serve/client_list_internal.h).
 *
 * Returns 0, or a negative enum error with the reason in the log.
 */
int server_run(struct server *server);

#endif
