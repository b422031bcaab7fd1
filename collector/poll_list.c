/* SPDX-License-Identifier: MIT */
#include "collector/poll_list.h"
#include "collector/function_graph/function_graph.h"
#include "collector/hit_keeper.h"
#include "collector/recording_setup.h"
#include "common/error.h"

#include <errno.h>
#include <stdlib.h>

static void add(struct poll_list *list, int fd)
{
	list->polled[list->count++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Returns the number of the tracer's rings to poll. A snapshot polls none: the
 * unread data in the rings is the newest, which the snapshot saves.
 */
static size_t graph_rings(const struct recording_setup *setup)
{
	return setup->graph && !setup->options->snapshot ?
		       function_graph_ring_count(setup->graph) :
		       0;
}

static void add_rings(struct poll_list *list,
		      const struct recording_setup *setup)
{
	const struct cpu_rings *rings = setup->events.cpus.items;

	for (size_t i = 0; i < setup->events.cpus.count; i++)
		for (int kind = 0; kind < RING_COUNT; kind++)
			add(list, rings[i].fd[kind]);
	list->ring_end = list->count;
	for (size_t i = 0; i < graph_rings(setup); i++)
		add(list, function_graph_ring(setup->graph, i));
}

int poll_list_open(struct poll_list *list, const struct recording_setup *setup,
		   const struct hit_keeper *keeper)
{
	const struct array *processes = &keeper->processes.fds;
	const struct array *triggers = &keeper->triggers.triggers;
	size_t most = POLL_RINGS + setup->events.cpus.count * RING_COUNT +
		      graph_rings(setup) + triggers->count + processes->count;

	*list = (struct poll_list){
		.polled = calloc(most, sizeof(*list->polled)),
		.processes = processes->count,
	};
	if (!list->polled)
		return -ERROR_MEMORY;
	for (int i = 0; i < POLL_RINGS; i++)
		add(list, -1);
	add_rings(list, setup);
	for (size_t i = 0; i < triggers->count; i++)
		add(list, ((const struct trigger *)triggers->items)[i].line);
	for (size_t i = 0; i < processes->count; i++)
		add(list, ((const int *)processes->items)[i]);
	return 0;
}

void poll_list_free(struct poll_list *list)
{
	free(list->polled);
}

static int poll_for(struct poll_list *list, int most_ms)
{
	return poll(list->polled, list->count, most_ms) < 0 && errno != EINTR ?
		       -ERROR_SYSTEM :
		       0;
}

int poll_list_wait(struct poll_list *list)
{
	return poll_for(list, -1);
}

int poll_list_look(struct poll_list *list)
{
	return poll_for(list, 0);
}

void poll_list_set(struct poll_list *list, enum poll_place place, int fd)
{
	list->polled[place].fd = fd;
}

bool poll_list_has(const struct poll_list *list, enum poll_place place)
{
	return list->polled[place].revents;
}

bool poll_list_drop_rings(struct poll_list *list)
{
	bool is_traced = false;

	for (nfds_t i = POLL_RINGS; i < list->ring_end; i++) {
		if (list->polled[i].revents & (POLLHUP | POLLERR))
			list->polled[i].fd = -1;
		if ((i - POLL_RINGS) % RING_COUNT == RING_TRACE)
			is_traced |= list->polled[i].fd >= 0;
	}
	return !is_traced;
}

bool poll_list_drop_processes(struct poll_list *list)
{
	bool is_over = list->processes > 0;

	for (nfds_t i = list->count - list->processes; i < list->count; i++) {
		if (list->polled[i].revents)
			list->polled[i].fd = -1;
		is_over &= list->polled[i].fd < 0;
	}
	return is_over;
}
