/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_PACKETS_H
#define KT_ATTRIBUTION_REQUESTS_PACKETS_H

struct call_step;
struct event_record;
struct message;
struct party;
struct requests;

/* Before Linux 6.3 there are no events for socket reads and writes. Packets
 * replace them: the packet that leaves in a send contains that message and, on
 * the same machine, is also the packet that is delivered and copied to the
 * reader.
 */

/* A packet leaves; is delivered; is copied to its reader. */
void requests_packet_leaves(struct requests *requests,
			    const struct event_record *event);
void requests_packet_received(struct requests *requests,
			      const struct event_record *event);
void requests_packet_copied(struct requests *requests,
			    const struct event_record *event);

/* @step starts to free a packet that was merged into the previous one. */
void requests_packet_merged(struct requests *requests,
			    const struct call_step *step);

/* Records that the packet that @party read last, with no known message,
 * contains @message.
 */
void requests_packet_guessed(struct requests *requests, struct party *party,
			     struct message *message);

#endif
