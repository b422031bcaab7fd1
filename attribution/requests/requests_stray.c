/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_stray.h"

#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"

/* Where a message is that no packet of its own brings to its reader. */
enum stray {
	STRAY_MERGED, /* added to another packet */
	STRAY_HELD,   /* it has had none so far */
	STRAY_LATE,   /* it has one, which may have been added unseen */
};

static enum stray stray_of(const struct message *message)
{
	return message->has_packets ? STRAY_LATE :
	       message->is_merged   ? STRAY_MERGED :
				      STRAY_HELD;
}

/* Returns the oldest that @sender sent of @first to @last, if it answers @reader's
 * request, or @may_be for it (NULL: for anybody), borrowed, or NULL.
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

/* Returns what @sender sent that was added to a packet that @reader reads (NULL:
 * anybody), borrowed, or NULL.  What is known to be for it is read in turn.
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

/* Part of a packet was read before: what is left of it is of the same message,
 * or of one that was added to it.
 */
struct message *requests_rest_of(struct requests *requests,
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

struct message *requests_held_back(const struct party *sender)
{
	return find_stray(sender, STRAY_HELD, STRAY_HELD, NULL, true);
}
