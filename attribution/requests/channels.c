/* SPDX-License-Identifier: MIT */
#include "attribution/requests/channels.h"

#include "attribution/requests/message.h"
#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

/* Limits unread messages and unanswered requests: older ones are no evidence.
 */
enum { MOST_QUEUED = 256 };

struct channel {
	uint64_t socket;
	struct array queue; /* struct message *, oldest first */
	struct array asked; /* struct request *, oldest first */
	uint64_t peer;
	const struct task *user; /* see channels_use() */
	struct request *opener;	 /* see channels_open_for(); or NULL */
};

struct channels {
	struct keyed_array all; /* struct channel by socket */
};

struct channels *channels_new(void)
{
	struct channels *channels = calloc(1, sizeof(*channels));

	if (channels)
		channels->all = KEYED_ARRAY_OF(struct channel, socket);
	return channels;
}

static void drop_request(struct channel *channel)
{
	request_drop(request_list_take(&channel->asked, 0));
}

void channels_free(struct channels *channels)
{
	if (!channels)
		return;
	for (size_t i = 0; i < channels->all.items.count; i++) {
		struct channel *channel = array_at(&channels->all.items, i);

		message_list_free(&channel->queue);
		request_list_free(&channel->asked);
		request_drop(channel->opener);
	}
	keyed_array_free(&channels->all);
	free(channels);
}

static struct channel *find(const struct channels *channels, uint64_t socket)
{
	return keyed_array_find(&channels->all, &socket);
}

static struct channel *add(struct channels *channels, uint64_t socket)
{
	return keyed_array_add(&channels->all,
			       &(struct channel){
				       .socket = socket,
				       .queue = ARRAY_OF(struct message *),
				       .asked = ARRAY_OF(struct request *),
			       });
}

int channels_queue(struct channels *channels, uint64_t socket,
		   struct message *message)
{
	struct channel *channel = add(channels, socket);

	return channel ?
		       message_list_add(&channel->queue, message, MOST_QUEUED) :
		       -ERROR_MEMORY;
}

struct message *channels_read(struct channels *channels, uint64_t socket,
			      uint64_t *bytes)
{
	struct channel *channel = find(channels, socket);
	struct message *message;
	uint64_t left;

	if (!channel || !channel->queue.count || !*bytes)
		return NULL;
	message = message_refer(message_in(&channel->queue, 0));
	left = message->bytes - message->taken_bytes;
	/* A message whose sender has not returned yet has no size: the reader
	 * consumes all of it.
	 */
	if (!message->bytes || left > *bytes)
		left = *bytes;
	message->taken_bytes += left;
	*bytes -= left;
	/* A datagram is read at once; the rest of it is lost. */
	if (message->medium == MEDIUM_UDP)
		*bytes = 0;
	if (message->taken_bytes >= message->bytes ||
	    message->medium == MEDIUM_UDP)
		message_drop(message_list_take(&channel->queue, 0));
	return message;
}

void channels_forget(struct channels *channels, uint64_t socket,
		     const struct message *message)
{
	struct channel *channel = find(channels, socket);

	if (channel)
		message_list_forget(&channel->queue, message);
}

int channels_ask(struct channels *channels, uint64_t socket,
		 struct request *request)
{
	struct channel *channel = add(channels, socket);

	if (!channel || array_append(&channel->asked, &request) < 0)
		return -ERROR_MEMORY;
	request_refer(request);
	if (channel->asked.count > MOST_QUEUED)
		drop_request(channel);
	return 0;
}

struct request *channels_asked(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);

	while (channel && channel->asked.count) {
		struct request *request = request_in(&channel->asked, 0);

		if (request_is_open(request))
			return request;
		drop_request(channel);
	}
	return NULL;
}

bool channels_infer_order(const struct channels *channels, uint64_t socket,
			  const struct request *answered, uint64_t sent_ns)
{
	const struct channel *channel = find(channels, socket);
	bool has_others = false;

	for (size_t i = 0; channel && i < channel->asked.count; i++) {
		struct request *other = request_in(&channel->asked, i);

		if (other == answered || !request_is_open(other) ||
		    !other->taken_ns || other->taken_ns > sent_ns)
			continue;
		other->is_inferred = true;
		has_others = true;
	}
	return has_others;
}

int channels_use(struct channels *channels, uint64_t socket,
		 const struct task *task)
{
	struct channel *channel = add(channels, socket);

	if (!channel)
		return -ERROR_MEMORY;
	channel->user = task;
	return 0;
}

const struct task *channels_user(const struct channels *channels,
				 uint64_t socket)
{
	const struct channel *channel = find(channels, socket);

	return channel ? channel->user : NULL;
}

int channels_pair(struct channels *channels, uint64_t first, uint64_t second)
{
	struct channel *one = add(channels, first);
	struct channel *other;

	if (!one)
		return -ERROR_MEMORY;
	one->peer = second;
	other = add(channels, second);
	if (!other)
		return -ERROR_MEMORY;
	other->peer = first;
	return 0;
}

int channels_open_for(struct channels *channels, uint64_t socket,
		      struct request *request)
{
	struct channel *channel = add(channels, socket);

	if (!channel)
		return -ERROR_MEMORY;
	request_drop(channel->opener);
	channel->opener = request ? request_refer(request) : NULL;
	return 0;
}

struct request *channels_take_opener(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);
	struct request *opener = channel ? channel->opener : NULL;

	if (channel)
		channel->opener = NULL;
	return opener;
}

void channels_renew(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);
	struct channel *other =
		channel && channel->peer ? find(channels, channel->peer) : NULL;

	if (other && other->peer == socket)
		other->peer = 0;
	if (!channel)
		return;
	message_list_free(&channel->queue);
	request_list_free(&channel->asked);
	request_drop(channel->opener);
	*channel = (struct channel){
		.socket = socket,
		.queue = ARRAY_OF(struct message *),
		.asked = ARRAY_OF(struct request *),
	};
}

uint64_t channels_peer(const struct channels *channels, uint64_t socket)
{
	const struct channel *channel = find(channels, socket);

	return channel ? channel->peer : 0;
}
