/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/requests/packets.h"
#include "attribution/requests/requests_parts.h"
#include "common/error.h"

/* Before Linux 6.3 no socket tells what is sent and read there.  Packets do: the
 * one that leaves in a send has that message, and on this machine it is the same
 * packet that is delivered, and copied to who reads it.
 */

static void set(struct requests *requests, uint64_t packet,
		struct message *message)
{
	if (packets_set(requests->packets, packet, message) < 0)
		requests->status = -ERROR_MEMORY;
}

/* The kernel uses the address of a packet again. */
static void forget_read(struct requests *requests, uint64_t packet)
{
	const struct message *message = packets_find(requests->packets, packet);

	if (message && message->is_taken)
		set(requests, packet, NULL);
}

void requests_packet_sent(struct requests *requests, struct party *party,
			  const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = party->message;

	if (party->send.function.kind != MESSAGE_SEND ||
	    party->send.function.medium < MEDIUM_TCP)
		return;
	if (!message)
		message = requests_hand_over(requests, party,
					     thread_clock_mark(&party->clock,
							       event->time_ns));
	if (!message)
		return;
	if (requests->has_wakes && !party->is_heard)
		requests_list_unheard(requests, party);
	message->has_packets = !message->is_merged;
	message->is_inferred = false;
	set(requests, packet, message);
}

void requests_packet_passed(struct requests *requests,
			    const struct event_record *event, uint64_t softirq)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *delivered =
		packets_delivered(requests->packets, event->cpu, softirq);

	forget_read(requests, packet);
	if (!packets_find(requests->packets, packet) &&
	    packets_set_reply(requests->packets, packet, delivered) < 0)
		requests->status = -ERROR_MEMORY;
}

void requests_packet_received(struct requests *requests,
			      const struct event_record *event,
			      uint64_t softirq)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];

	forget_read(requests, packet);
	if (event->cpu >= 0 &&
	    packets_deliver(requests->packets, event->cpu, packet, softirq) < 0)
		requests->status = -ERROR_MEMORY;
}

void requests_packet_merged(struct requests *requests, int32_t cpu,
			    uint64_t softirq)
{
	struct message *message =
		packets_delivered(requests->packets, cpu, softirq);

	if (message && !message->is_taken) {
		message->has_packets = false;
		message->is_merged = true;
	}
	/* It had to wait until its reader was through with the socket. */
	else if (!softirq)
		requests->late_merges++;
	packets_forget_delivered(requests->packets, cpu, softirq);
}

/* Where a message is that no packet of its own brings to its reader. */
enum stray {
	STRAY_MERGED, /* added to another packet */
	STRAY_HELD,   /* it has had none so far */
	STRAY_LATE,   /* it has one, which may have been added unseen */
	STRAYS,
};

static enum stray stray_of(const struct message *message)
{
	return message->has_packets ? STRAY_LATE :
	       message->is_merged   ? STRAY_MERGED :
				      STRAY_HELD;
}

/* Returns the oldest that @sender sent of @stray or what comes before that, if it
 * answers @reader's request, borrowed, or NULL.
 */
static struct message *find_answer(const struct party *sender, enum stray stray,
				   const struct task *reader)
{
	for (size_t i = 0; sender && i < sender->unheard.count; i++) {
		struct message *message = message_in(&sender->unheard, i);
		const struct request *request = message->hold->request;

		if (!message->is_taken && message->medium == MEDIUM_TCP &&
		    stray_of(message) <= stray && request &&
		    request->client == reader)
			return message;
	}
	return NULL;
}

/* Returns what @sender sent next of these, if it may be for @reader (NULL:
 * anybody), borrowed, or NULL.
 */
static struct message *find_stray(const struct party *sender, enum stray stray,
				  const struct task *reader)
{
	for (size_t i = 0; sender && i < sender->unheard.count; i++) {
		struct message *message = message_in(&sender->unheard, i);

		if (!message->is_taken && message->medium == MEDIUM_TCP &&
		    stray_of(message) == stray &&
		    (!reader || requests_may_be_for(message, reader, false)))
			return message;
	}
	return NULL;
}

/* Returns what @sender sent that was added to a packet that @reader reads (NULL:
 * anybody), borrowed, or NULL.
 */
static struct message *find_added(const struct requests *requests,
				  const struct party *sender,
				  const struct task *reader)
{
	enum stray last = requests->late_merges ? STRAY_LATE : STRAY_HELD;
	struct message *message =
		reader ? find_answer(sender, last, reader) : NULL;

	for (enum stray stray = 0; !message && stray <= last; stray++)
		message = find_stray(sender, stray, reader);
	return message;
}

/* Part of a packet was read before: what is left of it is of the same message,
 * or of one that was added to it.
 */
static struct message *rest_of(struct requests *requests,
			       struct message *message,
			       const struct party *reader)
{
	const struct party *sender =
		requests_party_at(requests, message->sender->index);
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

/* What had to wait until what was sent before had arrived leaves as the other
 * side says so: whoever that comes to had sent it.  Returns the message, or NULL.
 */
static struct message *find_reply(struct requests *requests, uint64_t packet)
{
	const struct message *delivered =
		packets_find_delivered(requests->packets, packet);
	struct message *found = NULL;

	for (size_t i = 0;
	     delivered && delivered->receiver && i < requests->parties.count;
	     i++) {
		const struct party *sender = requests_party_at(requests, i);
		struct message *message =
			sender && sender->task->pid ==
						delivered->receiver->pid ?
				find_stray(sender, STRAY_HELD, NULL) :
				NULL;

		if (message &&
		    (!found || message->sent->time_ns < found->sent->time_ns))
			found = message;
	}
	if (!found)
		return NULL;
	found->is_inferred = true;
	set(requests, packet, found);
	return found;
}

void requests_packet_copied(struct requests *requests, struct party *party,
			    const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = packets_find(requests->packets, packet);

	if (!party->wait.is_open || party->wait.function.kind != MESSAGE_WAIT)
		return;
	party->has_copied = true;
	if (party->wait.function.medium < MEDIUM_TCP)
		return;
	party->packet = packet;
	message = message ? rest_of(requests, message, party) :
			    find_reply(requests, packet);
	if (message)
		requests_list_message(requests, &party->copied, message);
}

void requests_packet_guessed(struct requests *requests, struct party *party,
			     struct message *message)
{
	if (party->packet)
		set(requests, party->packet, message);
}
