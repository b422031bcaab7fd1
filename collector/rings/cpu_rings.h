/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CPU_RINGS_H
#define KT_COLLECTOR_CPU_RINGS_H

#include "collector/events/event_list.h"
#include "collector/rings/aux_ring.h"
#include "collector/rings/ring.h"

struct log;

/* The rings of one CPU. Each is mapped for the first event of its kind on the
 * CPU; all other events of that kind are redirected to it.
 */
struct cpu_rings {
	int cpu;
	struct ring ring[RING_COUNT];
	int fd[RING_COUNT]; /* of the event; -1: none */
	struct aux_ring aux;
	size_t aux_size;
	bool overwrite;
	uint64_t kept; /* overwrite: the trace's bytes up to the last snapshot */
	bool stopped;  /* trace stopped because its buffer was full */
};

void cpu_rings_init(struct cpu_rings *rings, int cpu, size_t aux_size,
		    bool overwrite);
void cpu_rings_free(struct cpu_rings *rings);

/* Redirects the records of @event, opened for this CPU with @spec, to its ring,
 * which is mapped first if it does not exist yet.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int cpu_rings_attach(struct cpu_rings *rings, const struct event *event,
		     const struct event_spec *spec);

/* Undoes cpu_rings_attach() for the event for which a ring was mapped. Must be
 * called before the event is closed.
 */
void cpu_rings_detach(struct cpu_rings *rings, const struct event *event,
		      const struct event_spec *spec);

/* Maps an empty trace buffer in place of the one that a snapshot has saved.
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int cpu_rings_renew_trace(struct cpu_rings *rings);

#endif
