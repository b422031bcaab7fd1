/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_CODE_WATCH_H
#define KT_COLLECTOR_TRIGGER_CODE_WATCH_H

#include <stdint.h>
#include <sys/types.h>

/* Reports that a process has written code where its next code is expected, at
 * the time when its compiler goes to sleep, which is before another thread of
 * the same CPU runs that code.
 *
 *	code_watch_set(): a process and CODE_WATCH_WORDS addresses ─► BPF map
 *	sched_switch, unless by preemption ─► BPF program: a word is not 0
 *	                                        └─► BPF ring ─► code_watch_fd()
 *
 * 1. A process is reported once for each code_watch_set().
 * 2. Words in pages without memory count as 0.
 * 3. All functions may be called with NULL, which watches nothing.
 */
enum { CODE_WATCH_WORDS = 4 };

struct code_watch;

/* Returns NULL if the kernel does not permit BPF programs or has no BPF rings
 * (before Linux 5.8), or when out of memory.
 */
struct code_watch *code_watch_new(void);
void code_watch_free(struct code_watch *watch);

/* Watches the words at @addresses (0: no word) of process @pid, and no longer
 * the words of an earlier call for @pid. If there are too many processes, it is
 * not watched.
 */
void code_watch_set(struct code_watch *watch, pid_t pid,
		    const uint64_t addresses[CODE_WATCH_WORDS]);
void code_watch_forget(struct code_watch *watch, pid_t pid);

/* Returns a descriptor that is readable if there are reports; -1: none. */
int code_watch_fd(const struct code_watch *watch);

/* Returns the next reported process; 0 if there are no more. */
pid_t code_watch_next(struct code_watch *watch);

#endif
