/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_REMARKS_INTERNAL_H
#define KT_EXPLAIN_REMARKS_INTERNAL_H

#include "explain/critical_path_internal.h"

#include <stdbool.h>
#include <stdint.h>

struct task_names;

/* Two facts that the sums of a critical path by cause do not show:
 *
 * - The last worker of a pool. Workers are the processes of one name that one
 *   process created, or the threads of one name in a process. The last worker
 *   is on the path while the others, which had worked beside it, wait for work
 *   or have ended:
 *
 *	worker 8   |####|                     waits for work
 *	worker 9   |####################|
 *	worker 10  |########|                 ended
 *	                    |===========|     only worker 9 works
 *
 * - The longest time for which an event loop, a thread that calls epoll_wait(),
 *   poll() or select() again and again, did not return to that call
 *   (struct life_loop). Its other events had to wait for as long, unless
 *   another thread of the process waited for them meanwhile: runtimes such as
 *   Go's let any thread do so.
 *
 * Each is reported if it takes a tenth of the path at least.
 */

struct last_worker {
	uint32_t thread;
	uint32_t workers; /* number of workers; 0: there is no last worker */
	uint64_t begin_ns;
	uint64_t end_ns;
	/* Search: the part of the path that is in one thread without a break. */
	uint32_t stretch_thread;
	uint64_t stretch_begin_ns;
	uint64_t stretch_end_ns;
};

#define LAST_WORKER_NONE \
	((struct last_worker){ .thread = LIFE_NONE, \
			       .stretch_thread = LIFE_NONE })

/* Consumes the links of a path in the order of critical_path_walk(). @options
 * are those of the walk. last_worker_end() must be called after the last link.
 */
void last_worker_consume(struct last_worker *last,
			 const struct path_options *options,
			 const struct task_names *names,
			 const struct path_link *link);
void last_worker_end(struct last_worker *last,
		     const struct path_options *options,
		     const struct task_names *names);

/* Returns the thread of the command whose event loop was held longest between
 * @begin_ns and the end of the path; LIFE_NONE if none is an event loop, or was
 * held for a tenth of that time.
 */
uint32_t longest_held(const struct path_options *options, uint64_t begin_ns);

#endif
