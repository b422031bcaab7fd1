/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_ROLES_H
#define KT_ATTRIBUTION_ROLES_H

#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

/* Which processes are clients of which, from the answers between them and from
 * the connections that they make and accept. A zeroed struct is empty.
 */
struct roles {
	/* what each process, or one that made it, did */
	struct number_map by_pid;
	struct number_map pairs; /* which process answered which */
};

void roles_free(struct roles *roles);

/* Process @pid makes a connection; accepts one. Both return 0 or -ERROR_MEMORY,
 * as do the next two.
 */
int roles_connects(struct roles *roles, int32_t pid);
int roles_accepts(struct roles *roles, int32_t pid);

/* @parent made @child, which inherits the role of its parent. */
int roles_inherit(struct roles *roles, int32_t parent, int32_t child);

/* Records that @server answered @client. */
int roles_answered(struct roles *roles, int32_t server, int32_t client);

/* Returns whether @server has ever answered @client. */
bool roles_has_answered(const struct roles *roles, int32_t server,
			int32_t client);

/* Returns whether @server has answered @client before, and never sent it a
 * request. If neither is known and the medium is a socket: whether @server
 * accepts connections and only @client makes them.
 */
bool roles_is_server(const struct roles *roles, int32_t server, int32_t client,
		     bool is_socket);

#endif
