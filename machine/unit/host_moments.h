/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_UNIT_HOST_MOMENTS_H
#define KT_MACHINE_UNIT_HOST_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* With several vCPUs the guest's clock is the host's.  The ground truth and the
 * trace unit are plugins of their own that QEMU calls one after the other for the
 * same block; what the host runs in between, for as long as its scheduler likes,
 * would be in one function of the guest here and in another there.  So the truth,
 * which is called first, leaves what it read for the unit, in a file that both map.
 */
struct host_moment {
	uint64_t tsc;	 /* the host's */
	uint64_t is_new; /* the unit has not taken it */
};

/* Maps the file @path, which it makes if need be, with a moment for each of @cpus
 * vCPUs; it stays mapped.  Returns NULL with a message to stderr.
 */
struct host_moment *host_moments_map(const char *path, unsigned int cpus);

/* Leaves @tsc for the unit of the same vCPU, whose thread this is.  @moment may be
 * NULL.
 */
void host_moment_leave(struct host_moment *moment, uint64_t tsc);

/* Takes what was left since the last time.  Returns 0 if nothing was; @moment may
 * be NULL.
 */
uint64_t host_moment_take(struct host_moment *moment);

#endif
