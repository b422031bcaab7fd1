/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_PACKETS_H
#define KT_ATTRIBUTION_REQUESTS_PACKETS_H

struct call_step;
struct event_record;
struct message;
struct party;
struct requests;

/* Before Linux 6.3 no socket tells what is sent and read there.  Packets do: the
 * one that leaves in a send has that message, and on this machine it is the same
 * packet that is delivered, and copied to who reads it.
 */

/* A packet leaves; is delivered; is copied to who reads. */
void requests_packet_leaves(struct requests *requests,
			    const struct event_record *event);
void requests_packet_received(struct requests *requests,
			      const struct event_record *event);
void requests_packet_copied(struct requests *requests,
			    const struct event_record *event);

/* @step begins to free one that was added to the one before it. */
void requests_packet_merged(struct requests *requests,
			    const struct call_step *step);

/* The packet that @party read last, which is nobody's that is known, has
 * @message.
 */
void requests_packet_guessed(struct requests *requests, struct party *party,
			     struct message *message);

#endif
