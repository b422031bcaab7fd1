/* SPDX-License-Identifier: MIT */
#include "attribution/requests/roles.h"

#include "common/error.h"

/* Bits: how a process, or one that made it, uses sockets. */
enum role {
	ROLE_CONNECTS = 1,
	ROLE_ACCEPTS = 2,
};

void roles_free(struct roles *roles)
{
	number_map_free(&roles->by_pid);
	number_map_free(&roles->pairs);
}

static int add(struct roles *roles, int32_t pid, uint64_t bits)
{
	uint64_t *slot = number_map_add(&roles->by_pid, (uint64_t)pid);

	if (!slot)
		return -ERROR_MEMORY;
	*slot |= bits;
	return 0;
}

static uint64_t bits_of(const struct roles *roles, int32_t pid)
{
	const uint64_t *slot = number_map_find(&roles->by_pid, (uint64_t)pid);

	return slot ? *slot : 0;
}

int roles_connects(struct roles *roles, int32_t pid)
{
	return add(roles, pid, ROLE_CONNECTS);
}

int roles_accepts(struct roles *roles, int32_t pid)
{
	return add(roles, pid, ROLE_ACCEPTS);
}

int roles_inherit(struct roles *roles, int32_t parent, int32_t child)
{
	uint64_t bits = bits_of(roles, parent);

	return bits && child != parent ? add(roles, child, bits) : 0;
}

static uint64_t pair_of(int32_t client, int32_t server)
{
	return (uint64_t)(uint32_t)client << 32 | (uint32_t)server;
}

int roles_answered(struct roles *roles, int32_t server, int32_t client)
{
	return number_map_add(&roles->pairs, pair_of(client, server)) ?
		       0 :
		       -ERROR_MEMORY;
}

bool roles_has_answered(const struct roles *roles, int32_t server,
			int32_t client)
{
	return number_map_find(&roles->pairs, pair_of(client, server));
}

/* Returns whether, of these two, only @client can have made a connection, or
 * only @server accepted one.
 */
static bool connect_as(const struct roles *roles, int32_t client,
		       int32_t server)
{
	uint64_t asks = bits_of(roles, client);
	uint64_t answers = bits_of(roles, server);

	return (asks & ROLE_CONNECTS) && (answers & ROLE_ACCEPTS) &&
	       (!(asks & ROLE_ACCEPTS) || !(answers & ROLE_CONNECTS));
}

bool roles_is_server(const struct roles *roles, int32_t server, int32_t client,
		     bool is_socket)
{
	bool has_asked = roles_has_answered(roles, server, client);
	bool has_answered = roles_has_answered(roles, client, server);

	if (is_socket && connect_as(roles, server, client))
		return false;
	if (has_asked || has_answered)
		return has_asked && !has_answered;
	return is_socket && connect_as(roles, client, server);
}
