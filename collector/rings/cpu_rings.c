/* SPDX-License-Identifier: MIT */
#include "collector/rings/cpu_rings.h"
#include "common/error.h"

#include <sys/ioctl.h>

/* perf's default for records is 512 KiB, too little for the events of
 * attribution, and for the mappings of all programs that start, while the
 * recorder reads the kernel's code. The trace's ring gets an AUX record each time
 * that a traced task leaves its CPU.
 */
static const size_t ring_sizes[RING_COUNT] = {
	[RING_CODE] = 64 << 10,	  [RING_PATCHES] = 512 << 10,
	[RING_MAPS] = 1 << 20,	  [RING_SIDEBAND] = 4 << 20,
	[RING_STACKS] = 8 << 20,  [RING_HITS] = 64 << 10,
	[RING_TRACE] = 512 << 10,
};

void cpu_rings_init(struct cpu_rings *rings, int cpu, size_t aux_size,
		    bool overwrite)
{
	*rings = (struct cpu_rings){ .cpu = cpu,
				     .aux_size = aux_size,
				     .overwrite = overwrite };
	for (int i = 0; i < RING_COUNT; i++)
		rings->fd[i] = -1;
}

void cpu_rings_free(struct cpu_rings *rings)
{
	aux_ring_unmap(&rings->aux);
	for (int i = 0; i < RING_COUNT; i++)
		ring_unmap(&rings->ring[i]);
}

static int map_trace(struct cpu_rings *rings)
{
	return aux_ring_map(&rings->aux, &rings->ring[RING_TRACE],
			    rings->fd[RING_TRACE], rings->aux_size,
			    rings->overwrite);
}

int cpu_rings_attach(struct cpu_rings *rings, const struct event *event,
		     const struct event_spec *spec)
{
	enum event_ring kind = spec->ring;
	int error;

	if (kind == RING_NONE)
		return 0;
	if (rings->fd[kind] >= 0) {
		if (ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT,
			  rings->fd[kind]) < 0)
			return -ERROR_SYSTEM;
		return 0;
	}
	error = ring_map(&rings->ring[kind], event->fd, ring_sizes[kind]);
	if (error)
		return error;
	rings->fd[kind] = event->fd;
	return kind == RING_TRACE && rings->aux_size ? map_trace(rings) : 0;
}

void cpu_rings_detach(struct cpu_rings *rings, const struct event *event,
		      const struct event_spec *spec)
{
	if (spec->ring == RING_NONE || rings->fd[spec->ring] != event->fd)
		return;
	ring_unmap(&rings->ring[spec->ring]);
	rings->fd[spec->ring] = -1;
}

int cpu_rings_renew_trace(struct cpu_rings *rings)
{
	aux_ring_unmap(&rings->aux);
	return map_trace(rings);
}
