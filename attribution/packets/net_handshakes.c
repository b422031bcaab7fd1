/* SPDX-License-Identifier: MIT */
#include "attribution/packets/net_handshakes_internal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_HANDSHAKES = 256 };

struct net_handshake {
	uint32_t number;
	char device[NET_DEVICE_SIZE];
	int32_t peer;	  /* see net_handshakes_begin() */
	uint64_t socket;  /* 0: the handshake has not ended */
	struct task user; /* pid is -1 if there is none */
};

void net_handshakes_open(struct net_handshakes *handshakes)
{
	*handshakes = (struct net_handshakes){ .items = ARRAY_OF(
						       struct net_handshake) };
}

void net_handshakes_close(struct net_handshakes *handshakes)
{
	array_free(&handshakes->items);
}

static bool is_unused(const struct net_handshake *handshake)
{
	return handshake->socket && handshake->user.pid < 0;
}

/* Returns NULL when out of memory. */
static struct net_handshake *add(struct net_handshakes *handshakes,
				 const char *device, int32_t peer)
{
	struct array *items = &handshakes->items;
	struct net_handshake *added;

	if (items->count == MOST_HANDSHAKES) {
		handshakes->unused_count -= is_unused(array_at(items, 0));
		array_remove(items, 0, 1);
	}
	added = array_add(items);
	if (!added)
		return NULL;
	*added = (struct net_handshake){ .number = ++handshakes->count,
					 .peer = peer,
					 .user = { .pid = -1 } };
	snprintf(added->device, sizeof(added->device), "%s", device);
	return added;
}

uint32_t net_handshakes_begin(struct net_handshakes *handshakes,
			      const char *device, int32_t peer)
{
	const struct net_handshake *added = add(handshakes, device, peer);

	return added ? added->number : 0;
}

uint32_t net_handshakes_end(struct net_handshakes *handshakes,
			    const char *device, int32_t peer, uint64_t socket)
{
	struct net_handshake *items = handshakes->items.items;
	struct net_handshake *found = NULL;

	for (size_t i = 0; i < handshakes->items.count && !found; i++)
		if (!items[i].socket && items[i].peer == peer &&
		    !strcmp(items[i].device, device))
			found = &items[i];
	if (!found)
		found = add(handshakes, device, peer);
	if (!found)
		return 0;
	found->socket = socket;
	handshakes->unused_count += is_unused(found);
	return found->number;
}

uint32_t net_handshakes_unused(const struct net_handshakes *handshakes,
			       uint64_t socket)
{
	const struct net_handshake *items = handshakes->items.items;

	for (size_t i = 0;
	     handshakes->unused_count && i < handshakes->items.count; i++)
		if (items[i].socket == socket && is_unused(&items[i]))
			return items[i].number;
	return 0;
}

bool net_handshakes_use(struct net_handshakes *handshakes, uint64_t socket,
			const struct task *task)
{
	struct net_handshake *items = handshakes->items.items;
	bool is_first = false;

	if (task->pid < 0)
		return false;
	for (size_t i = 0;
	     handshakes->unused_count && i < handshakes->items.count; i++) {
		if (items[i].socket != socket || !is_unused(&items[i]))
			continue;
		items[i].user = *task;
		handshakes->unused_count--;
		is_first = true;
	}
	return is_first;
}

const struct task *net_handshakes_user(const struct net_handshakes *handshakes,
				       uint32_t number)
{
	const struct net_handshake *items = handshakes->items.items;

	for (size_t i = 0; i < handshakes->items.count; i++)
		if (items[i].number == number && items[i].user.pid >= 0)
			return &items[i].user;
	return NULL;
}
