/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENTS_RIGHTS_H
#define KT_COLLECTOR_EVENTS_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Explains which right is missing when the kernel refuses a part of a
 * recording, and how to grant it.
 *
 * The kernel answers with EPERM or EACCES for many reasons. The facts that tell
 * them apart: the process's capabilities and user namespace, the sysctls
 * perf_event_paranoid, perf_event_mlock_kb and kptr_restrict, lockdown, and
 * whether a container hides the file.
 *
 * Sources: perf_allow_kernel(), perf_allow_cpu() in linux/perf_event.h;
 * perf_mmap() in kernel/events/core.c; open_kcore() in fs/proc/kcore.c;
 * kallsyms_show_value() in kernel/ksyms_common.c; security/lockdown/.
 */
enum right {
	RIGHT_EVENTS,  /* perf_event_open(2) of the kernel, of whole CPUs */
	RIGHT_BUFFERS, /* mmap(2) of an event's buffers */
	RIGHT_CODE,    /* open(2) of /proc/kcore */
	RIGHT_SYMBOLS, /* addresses in /proc/kallsyms */
	RIGHT_COUNT,
};

/* The state of this system on which the kernel's decisions depend. */
struct rights_facts {
	uint64_t capabilities; /* effective, 1 << CAP_… */
	bool in_user_namespace;
	bool in_container;
	bool is_locked_down; /* for confidentiality */
	bool kcore_is_hidden;
	uint32_t buffer_kb; /* of each CPU's trace; the caller sets it */
	int paranoid;	    /* kernel.perf_event_paranoid */
	int mlock_kb;	    /* kernel.perf_event_mlock_kb, for each CPU */
	uint64_t limit_kb;  /* RLIMIT_MEMLOCK, in addition, for all CPUs */
	long cpus;
	int kptr_restrict; /* kernel.kptr_restrict */
};

struct rights_advice {
	char missing[160]; /* the missing right; fits after a colon */
	char command[256]; /* the command or change that grants it */
};

void rights_facts_read(struct rights_facts *facts);

/* Explains why @right was refused with the errno @cause, which is EPERM or
 * EACCES, or 0 if addresses are hidden.
 */
void rights_explain(const struct rights_facts *facts, enum right right,
		    int cause, struct rights_advice *advice);

/* Like rights_explain(), for this process. @buffer_bytes: of each CPU's trace,
 * if @right is RIGHT_BUFFERS. errno stays as it is: callers log it afterwards.
 */
void rights_advise(enum right right, int cause, size_t buffer_bytes,
		   struct rights_advice *advice);

/* Returns whether trace buffers of facts->buffer_kb may be mapped on all CPUs,
 * if this user has mapped nothing else.
 */
bool rights_allow_buffers(const struct rights_facts *facts);

#endif
