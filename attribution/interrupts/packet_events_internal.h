/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_PACKET_EVENTS_INTERNAL_H
#define KT_ATTRIBUTION_INTERRUPTS_PACKET_EVENTS_INTERNAL_H

#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/packets/net_packets.h"

/* Returns the event and its work as the tracker of packets needs them; of a
 * step, only its CPU and its work. @device is the memory for the device's name.
 */
struct net_event packet_event_of(const struct event_context *context,
				 char device[NET_DEVICE_SIZE]);

/* Returns whether the tracker of packets uses events of @kind. */
bool packet_event_is_used(enum known_event kind);

#endif
