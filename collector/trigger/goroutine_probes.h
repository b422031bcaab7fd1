/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_GOROUTINE_PROBES_H
#define KT_COLLECTOR_TRIGGER_GOROUTINE_PROBES_H

#include <stdint.h>

/* record --goroutines: the ids of goroutines, which are only in the program's
 * memory.
 *
 *	runtime.gogo, where Go's scheduler switches to a goroutine
 *	  └─► a probe (uprobe), which reads goid of the goroutine's struct g
 *	        └─► tracepoint GOROUTINE_EVENT of the recording
 *
 * The kernel reads the id before the thread goes on, so it is the id of the
 * goroutine that runs next. The probe is at the jump at the end of runtime.gogo
 * (src/runtime/asm_amd64.s, asm_arm64.s since Go 1.17), because the kernel
 * emulates jumps. It executes other probed instructions in memory of its own,
 * where the trace has a gap.
 *
 * Invariant: as in argument_probes.h.
 */

struct event_list;
struct log;

/* Where and how the probe of a Go program reads. */
struct goroutine_probe {
	uint64_t offset; /* of the jump, in the file */
	uint64_t goid;	 /* offset of runtime.g.goid, from the debug data */
};

/* Finds the probe of the program @path. Returns NULL, or the reason why there
 * is none.
 */
const char *goroutine_probe_find(const char *path,
				 struct goroutine_probe *probe);

/* Creates the probes of the programs of @list, which are separated by commas,
 * and adds their events to @events. Logs programs without a probe, and leaves
 * them out.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_SYSTEM with the reason in @log.
 */
int goroutine_probes_add(const char *list, struct event_list *events,
			 const struct log *log);

#endif
