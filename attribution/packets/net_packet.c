/* SPDX-License-Identifier: MIT */
#include "attribution/packets/net_packets.h"

const char *net_kind_name(enum net_kind kind)
{
	static const char *const names[NET_KINDS] = {
		[NET_RECEIVED] = "received",
		[NET_ACKNOWLEDGED] = "acknowledged",
		[NET_SENT] = "sent",
	};

	return names[kind];
}

struct time_window net_packet_part(const struct net_packet *packet,
				   enum net_part part)
{
	const struct time_window parts[NET_PARTS] = {
		[NET_PART_INTERRUPT] = { packet->interrupt_ns,
					 packet->arrived_ns },
		[NET_PART_BACKLOG] = { packet->arrived_ns,
				       packet->received_ns },
		[NET_PART_STACK] = { packet->received_ns, packet->queued_ns },
		[NET_PART_SOCKET] = { packet->queued_ns, packet->ended_ns },
		[NET_PART_QUEUE] = { packet->queued_ns, packet->issued_ns },
		[NET_PART_DEVICE] = { packet->issued_ns, packet->ended_ns },
	};
	bool is_sent = packet->kind == NET_SENT;

	return is_sent == (part >= NET_PART_QUEUE) && parts[part].since_ns &&
			       parts[part].until_ns >= parts[part].since_ns ?
		       parts[part] :
		       (struct time_window){ 0, 0 };
}

uint64_t net_packet_start(const struct net_packet *packet)
{
	if (packet->kind == NET_SENT)
		return packet->queued_ns;
	return packet->interrupt_ns ? packet->interrupt_ns : packet->arrived_ns;
}
