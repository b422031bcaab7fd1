/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests.h"

#include "attribution/attribution_input.h"
#include "attribution/events/known_events.h"
#include "attribution/requests/connections_internal.h"
#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests_answer_internal.h"
#include "attribution/requests/requests_events_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "attribution/time/thread_tracker.h"
#include "decoder/recording/recording.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

struct requests_options
requests_options_of(const struct attribution_input *input)
{
	return (struct requests_options){
		.functions = symbols_functions(input->symbols),
		.names = input->names,
		.recorder = recording_info(input->recording)->command,
		.has_wakes =
			known_events_has(input->events, EVENT_SCHED_WAKING),
		.has_socket_events =
			known_events_has(input->events, EVENT_SOCKET_READY) &&
			known_events_has(input->events, EVENT_SOCKET_SENT) &&
			known_events_has(input->events, EVENT_SOCKET_TAKEN),
		.has_packets =
			known_events_has(input->events, EVENT_NET_QUEUE) &&
			known_events_has(input->events, EVENT_NET_RECEIVE) &&
			known_events_has(input->events, EVENT_SKB_COPY),
		.has_losses = attribution_input_has_losses(input),
		.sockets_path = recording_sockets_path(input->recording),
	};
}

struct requests *requests_new(const struct requests_options *options)
{
	struct requests *requests = calloc(1, sizeof(*requests));

	if (!requests)
		return NULL;
	requests_follow(requests);
	requests->callbacks = ARRAY_OF(struct request_callback *);
	requests->options = *options;
	requests->options.has_packets &= !options->has_socket_events;
	requests->endpoints = ARRAY_OF(struct thread_endpoint *);
	requests->open = ARRAY_OF(struct request *);
	requests_deferred_open(requests);
	requests_disk_open(requests);
	requests->time = thread_tracker_time(options->threads);
	requests->paths = thread_tracker_paths(options->threads);
	requests->kinds = message_kinds_new(options->functions);
	requests->channels = channels_new();
	requests->connections = connections_new();
	requests->packets = packets_new();
	if (requests->time && requests->paths && requests->kinds &&
	    requests->channels && requests->connections && requests->packets &&
	    !thread_tracker_hand_spans(options->threads,
				       &requests->span_callback,
				       TIME_WINDOW_ALL) &&
	    (!options->sockets_path ||
	     !connections_add_file(requests->connections,
				   options->sockets_path)))
		return requests;
	requests_free(requests);
	return NULL;
}

struct event_handler *requests_handler(struct requests *requests)
{
	return &requests->handler;
}

int requests_listen(struct requests *requests,
		    struct request_callback *callback)
{
	return array_append(&requests->callbacks, &callback);
}

void requests_free(struct requests *requests)
{
	struct request **open;
	struct thread_endpoint *endpoint;
	struct child *child;
	size_t next = 0;
	size_t place = 0;

	if (!requests)
		return;
	open = requests->open.items;
	for (size_t i = 0; i < requests->open.count; i++)
		request_clear(open[i]);
	while ((endpoint = requests_next_endpoint(requests, &next)))
		endpoint_free(endpoint);
	while ((child = number_map_next_pointer(&requests->children, &place)))
		requests_child_free(child);
	message_map_free(&requests->items);
	request_list_free(&requests->open);
	array_free(&requests->endpoints);
	array_free(&requests->callbacks);
	channels_free(requests->channels);
	connections_free(requests->connections);
	number_map_free(&requests->children);
	number_map_free(&requests->readers);
	requests_deferred_free(requests);
	requests_disk_free(requests);
	roles_free(&requests->roles);
	packets_free(requests->packets);
	free(requests->kinds);
	free(requests);
}

int requests_end(struct requests *requests)
{
	struct thread_endpoint *endpoint;
	size_t next = 0;

	while ((endpoint = requests_next_endpoint(requests, &next))) {
		work_segment_drop(
			requests_cut(requests, endpoint, requests->end_ns));
		thread_clock_end(&endpoint->clock);
	}
	for (size_t i = 0; i < requests->open.count; i++)
		request_in(&requests->open, i)->is_ended = true;
	requests->is_over = true;
	requests_emit(requests);
	return requests->status;
}

size_t requests_thread_count(const struct requests *requests)
{
	return requests->endpoints.count;
}

const struct task *requests_thread(const struct requests *requests,
				   size_t index, const uint64_t **parts)
{
	const struct thread_endpoint *endpoint = *(
		struct thread_endpoint **)array_at(&requests->endpoints, index);

	*parts = endpoint ? endpoint->clock.parts : NULL;
	return endpoint ? endpoint->task : NULL;
}
