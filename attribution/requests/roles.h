/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_ROLES_H
#define KT_ATTRIBUTION_ROLES_H

#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

/* Which processes are clients of which: by who answered whom, and by who asks for
 * connections and accepts them.  Of nobody anything is known in a zeroed one.
 */
struct roles {
	struct number_map by_pid; /* what each did, or one that made it */
	struct number_map pairs;  /* who answered whom */
};

void roles_free(struct roles *roles);

/* Process @pid asks for a connection; accepts one.  Both return 0 or
 * -ERROR_MEMORY, as the next two do.
 */
int roles_connects(struct roles *roles, int32_t pid);
int roles_accepts(struct roles *roles, int32_t pid);

/* @child was made by @parent: it goes on with what that connected to. */
int roles_inherit(struct roles *roles, int32_t parent, int32_t child);

/* @server answered @client. */
int roles_answered(struct roles *roles, int32_t server, int32_t client);

/* Returns whether it has ever done so. */
bool roles_has_answered(const struct roles *roles, int32_t server,
			int32_t client);

/* Returns whether @server has answered @client before, and never asked it; or if
 * neither is known, and they speak by a socket, accepts connections, which only
 * @client makes.
 */
bool roles_is_server(const struct roles *roles, int32_t server, int32_t client,
		     bool is_socket);

#endif
