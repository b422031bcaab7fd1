/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_UNIT_HOST_MOMENTS_H
#define KT_MACHINE_UNIT_HOST_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* With several vCPUs the guest's clock is the host's. The ground truth and the
 * trace unit are separate plugins that QEMU calls one after the other for the
 * same block. If the host's scheduler ran something else in between, that time
 * would be in one function for the first and in another for the second.
 * Therefore the ground truth, which is called first, passes its reading to the
 * unit in a file that both map.
 */
struct host_moment {
	uint64_t tsc;	 /* the host's */
	uint64_t is_new; /* the unit has not read it */
};

/* Maps the file @path with an entry for each of @cpus vCPUs, creating it if
 * necessary. It stays mapped. Returns NULL after a message to stderr on
 * failure.
 */
struct host_moment *host_moments_map(const char *path, unsigned int cpus);

/* Stores @tsc for the unit of the same vCPU; called on its thread. @moment may
 * be NULL.
 */
void host_moment_leave(struct host_moment *moment, uint64_t tsc);

/* Returns the value stored since the last call, or 0 if there is none. @moment
 * may be NULL.
 */
uint64_t host_moment_take(struct host_moment *moment);

#endif
