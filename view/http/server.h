/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SERVER_H
#define KT_VIEW_SERVER_H

#include "view/answer/answer.h"

#include <stdint.h>

/* Serves the page and its answers on 127.0.0.1 to clients that have the token
 * in the request's path and the right Host header, so that no other page in the
 * user's browser can read anything. Runs one thread, which answers one request
 * at a time.
 */
struct view_server;

/* Listens on @port, 0 for a free one.  Borrows @sources.
 *
 * Returns NULL with errno if it cannot listen.
 */
struct view_server *view_server_start(const struct view_sources *sources,
				      uint16_t port);
void view_server_stop(struct view_server *server);

/* Returns the page's address, with the token. */
const char *view_server_address(const struct view_server *server);

#endif
