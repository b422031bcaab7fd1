/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SERVER_H
#define KT_VIEW_SERVER_H

#include "view/answer/answer.h"

#include <stdint.h>

/* Serves the page and the answers to it on 127.0.0.1, to who knows the token in
 * the address, and asks for that address: no other page that somebody's browser
 * has open can read anything.  One thread of its own, one answer at a time.
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
