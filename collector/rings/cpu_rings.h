/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CPU_RINGS_H
#define KT_COLLECTOR_CPU_RINGS_H

#include "collector/events/event_list.h"
#include "collector/rings/aux_ring.h"
#include "collector/rings/ring.h"

struct log;

/* The rings of one CPU, each with the event it was mapped for: the first of
 * its kind there; all others write to it too.
 */
struct cpu_rings {
	int cpu;
	struct ring ring[RING_COUNT];
	int fd[RING_COUNT]; /* of the event; -1 if there is none */
	struct aux_ring aux;
	size_t aux_size;
	bool overwrite;
	uint64_t kept; /* overwrite: the trace's bytes up to the last snapshot */
	bool stopped;  /* the trace was, since its buffer was full */
};

void cpu_rings_init(struct cpu_rings *rings, int cpu, size_t aux_size,
		    bool overwrite);
void cpu_rings_free(struct cpu_rings *rings);

/* Sends the records of @event, opened for this CPU with @spec, to its ring,
 * which is mapped first if it is not there yet.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int cpu_rings_attach(struct cpu_rings *rings, const struct event *event,
		     const struct event_spec *spec);

/* Undoes it for the event that a ring was mapped for, before that is closed. */
void cpu_rings_detach(struct cpu_rings *rings, const struct event *event,
		      const struct event_spec *spec);

/* Maps an empty trace in place of the one that was kept by a snapshot.
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int cpu_rings_renew_trace(struct cpu_rings *rings);

#endif
