/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_packets.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/packets.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "report/steps/call_step.h"

static void set(struct requests *requests, uint64_t packet,
		struct message *message)
{
	requests_check(requests,
		       packets_set(requests->packets, packet, message));
}

/* The kernel reuses the address of a packet. */
static void forget_read(struct requests *requests, uint64_t packet)
{
	const struct message *message = packets_find(requests->packets, packet);

	if (message && message->is_taken)
		set(requests, packet, NULL);
}

static void take_sent(struct requests *requests, struct party *party,
		      const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = party->message;

	if (party->send.function.kind != MESSAGE_SEND ||
	    party->send.function.medium < MEDIUM_TCP)
		return;
	if (!message)
		message = requests_hand_over(requests, party, event->time_ns);
	if (!message)
		return;
	if (requests->options.has_wakes && !party->is_heard)
		requests_list_unheard(requests, party);
	/* The packets of a datagram are not always shown when they are read. */
	message->has_packets = !message->is_merged &&
			       message->medium == MEDIUM_TCP;
	message->is_inferred = false;
	set(requests, packet, message);
}

/* The packet is forwarded, or replies to the one being delivered. */
static void take_passed(struct requests *requests,
			const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *delivered =
		packets_delivered(requests->packets, event->cpu,
				  requests_softirq_at(requests, event));

	forget_read(requests, packet);
	if (!packets_find(requests->packets, packet))
		requests_check(requests, packets_set_reply(requests->packets,
							   packet, delivered));
}

/* A packet leaves. In a system call that sends, the first one contains the
 * first bytes of the message, unless others were queued before it.
 */
void requests_packet_leaves(struct requests *requests,
			    const struct event_record *event)
{
	struct party *party = requests_party_at(requests, event);
	bool is_sent = party && party->send.is_open &&
		       requests_context_of(requests, party) ==
			       CONTEXT_SYSTEM_CALL;

	if (requests->options.has_packets && is_sent)
		take_sent(requests, party, event);
	else if (requests->options.has_packets)
		take_passed(requests, event);
	else if (requests->options.has_socket_events && is_sent &&
		 !party->transmitted &&
		 party->send.function.medium == MEDIUM_TCP)
		party->transmitted =
			thread_clock_mark(&party->clock, event->time_ns);
}

void requests_packet_received(struct requests *requests,
			      const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];

	forget_read(requests, packet);
	if (event->cpu >= 0)
		requests_check(
			requests,
			packets_deliver(requests->packets, event->cpu, packet,
					requests_softirq_at(requests, event)));
}

void requests_packet_merged(struct requests *requests,
			    const struct call_step *step)
{
	uint64_t softirq = requests_softirq_of(requests, step->task);
	int32_t cpu = (int32_t)step->cpu;
	struct message *message =
		packets_delivered(requests->packets, cpu, softirq);

	if (message && !message->is_taken) {
		message->has_packets = false;
		message->is_merged = true;
	}
	/* It was queued until its reader released the socket. */
	else if (!softirq)
		requests->late_merges++;
	packets_forget_delivered(requests->packets, cpu, softirq);
}

/* Why no packet of its own carries a message to its reader. */
enum stray {
	STRAY_MERGED, /* merged into another packet */
	STRAY_HELD,   /* no packet of it was seen so far */
	STRAY_LATE,   /* its packet may have been merged without an event */
};

static enum stray stray_of(const struct message *message)
{
	return message->has_packets ? STRAY_LATE :
	       message->is_merged   ? STRAY_MERGED :
				      STRAY_HELD;
}

/* Returns the oldest message of @sender in the range @first to @last that
 * answers the request of @reader, or, if @may_be, may be for it (NULL: for
 * anybody). Borrowed, or NULL.
 */
static struct message *find_stray(const struct party *sender, enum stray first,
				  enum stray last, const struct task *reader,
				  bool may_be)
{
	for (size_t i = 0; sender && i < sender->unheard.count; i++) {
		struct message *message = message_in(&sender->unheard, i);
		const struct request *request = message->hold->request;
		enum stray stray = stray_of(message);

		if (message->is_taken || message->medium != MEDIUM_TCP ||
		    stray < first || stray > last)
			continue;
		if (may_be ? !reader || message_may_be_for(message, reader,
							   false) :
			     request && request->client == reader)
			return message;
	}
	return NULL;
}

/* Returns a message of @sender that was merged into a packet that @reader
 * (NULL: anybody) reads, borrowed, or NULL. Messages known to be for it are
 * read in order.
 */
static struct message *find_added(const struct requests *requests,
				  const struct party *sender,
				  const struct task *reader)
{
	enum stray last = requests->late_merges ? STRAY_LATE : STRAY_HELD;
	struct message *message =
		reader ? find_stray(sender, 0, last, reader, false) : NULL;

	for (enum stray stray = 0; !message && stray <= last; stray++)
		message = find_stray(sender, stray, stray, reader, true);
	return message;
}

/* Part of a packet was read before: the rest belongs to the same message, or to
 * one that was merged into the packet.
 */
static struct message *rest_of(struct requests *requests,
			       struct message *message,
			       const struct party *reader)
{
	const struct party *sender =
		requests_known_party(requests, message->sender);
	struct message *merged;

	if (!message->is_taken || reader->copied.count)
		return message;
	merged = find_added(requests, sender, reader->task);
	if (!merged)
		merged = find_added(requests, sender, NULL);
	if (!merged)
		return message;
	if (merged->has_packets)
		requests->late_merges--;
	merged->is_inferred = true;
	return merged;
}

/* Returns the oldest message of @sender that has had no packet so far,
 * borrowed, or NULL.
 */
static struct message *held_back(const struct party *sender)
{
	return find_stray(sender, STRAY_HELD, STRAY_HELD, NULL, true);
}

/* Data that had to wait until earlier data had arrived leaves on the other
 * side's acknowledgement: the thread that the acknowledgement reaches sent it.
 * Returns the message, or NULL.
 */
static struct message *find_reply(struct requests *requests, uint64_t packet)
{
	const struct message *delivered =
		packets_find_delivered(requests->packets, packet);
	struct message *found = NULL;
	const struct party *sender;
	size_t next = 0;

	while (delivered && delivered->receiver &&
	       (sender = requests_next_party(requests, &next))) {
		struct message *message =
			sender->task->pid == delivered->receiver->pid ?
				held_back(sender) :
				NULL;

		if (message && message_is_older(message, found))
			found = message;
	}
	if (!found)
		return NULL;
	found->is_inferred = true;
	set(requests, packet, found);
	return found;
}

void requests_packet_copied(struct requests *requests,
			    const struct event_record *event)
{
	struct party *party = requests_party_at(requests, event);
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = packets_find(requests->packets, packet);

	if (!party || !party->wait.is_open ||
	    party->wait.function.kind != MESSAGE_WAIT)
		return;
	party->has_copied = true;
	if (party->wait.function.medium < MEDIUM_TCP)
		return;
	party->packet = packet;
	message = message ? rest_of(requests, message, party) :
			    find_reply(requests, packet);
	if (message)
		requests_check(requests,
			       message_list_add(&party->copied, message,
						MESSAGES_LISTED));
}

void requests_packet_guessed(struct requests *requests, struct party *party,
			     struct message *message)
{
	if (party->packet)
		set(requests, party->packet, message);
}
