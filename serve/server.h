/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_SERVER_H
#define KT_SERVE_SERVER_H

#include <sys/types.h>

struct log;

struct server;

/* Gets ready to answer whoever connects to @socket, which listens, for members of
 * @group and root: from here on signals wait for server_run().
 *
 * Returns 0 and *@server, which borrows @socket and @log; or a negative enum error
 * with the reason in @log.
 */
int server_open(int socket, gid_t group, const struct log *log,
		struct server **server);
void server_close(struct server *server);

/* Answers until the process is told to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT).  No
 * client is waited for: each can take its time, and all of one user have so many
 * connections (common/budget.h).
 *
 * Returns 0, or a negative enum error with the reason in the log.
 */
int server_run(struct server *server);

#endif
