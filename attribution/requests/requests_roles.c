/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_parts.h"
#include "common/error.h"
#include "common/number_map.h"

/* This is what a process, or one that made it, did with sockets. */
enum role {
	ROLE_CONNECTS = 1,
	ROLE_ACCEPTS = 2,
};

static void add(struct requests *requests, int32_t pid, uint64_t roles)
{
	uint64_t *slot = number_map_add(requests->roles, (uint64_t)pid);

	if (slot)
		*slot |= roles;
	else
		requests->status = -ERROR_MEMORY;
}

static uint64_t roles_of(const struct requests *requests, int32_t pid)
{
	const uint64_t *slot = number_map_find(requests->roles, (uint64_t)pid);

	return slot ? *slot : 0;
}

void requests_connects(struct requests *requests, const struct task *task)
{
	add(requests, task->pid, ROLE_CONNECTS);
}

void requests_accepts(struct requests *requests, const struct task *task)
{
	add(requests, task->pid, ROLE_ACCEPTS);
}

void requests_inherit_roles(struct requests *requests, int32_t parent,
			    int32_t child)
{
	uint64_t roles = roles_of(requests, parent);

	if (roles && child != parent)
		add(requests, child, roles);
}

bool requests_connect_as(const struct requests *requests,
			 const struct task *client, const struct task *server)
{
	uint64_t asks = roles_of(requests, client->pid);
	uint64_t answers = roles_of(requests, server->pid);

	return (asks & ROLE_CONNECTS) && (answers & ROLE_ACCEPTS) &&
	       (!(asks & ROLE_ACCEPTS) || !(answers & ROLE_CONNECTS));
}
