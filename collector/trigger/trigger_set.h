/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_SET_H
#define KT_COLLECTOR_TRIGGER_SET_H

#include "collector/trigger/trigger_program.h"
#include "collector/trigger/trigger_spec.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct event_list;
struct kernel_symbols;
struct log;

/* One trigger, armed or being armed. */
struct trigger {
	struct trigger_spec spec;
	struct trigger_maps maps;
	size_t hit_spec; /* the event whose samples are its hits */
	bool has_events; /* @hit_spec is valid */
	int line;	 /* the FIFO of TRIGGER_LINE; otherwise -1 */
};

/* All triggers of a recording, and their shared resources. */
struct trigger_set {
	struct array triggers; /* struct trigger */
	struct array fds;      /* int: maps, programs, links; closed last */
	struct trigger_maps target;
	size_t probes; /* created so far */
	bool has_probes;
};

struct trigger_set trigger_set_new(void);

/* Disarms all triggers: removes their probes from tracefs. The events must be
 * closed.
 */
void trigger_set_free(struct trigger_set *set);

/* The environment for arming triggers. */
struct trigger_setup {
	struct event_list *events;
	/* Opens spec number @spec of events and attaches its events to their
	 * rings. Returns 0, -ERROR_SYSTEM with errno set (the spec is then
	 * removed) or -ERROR_MEMORY.
	 */
	int (*open)(void *context, size_t spec);
	void *context;
	size_t trace_spec; /* the trace's spec, whose events are open */
	bool can_pause;	   /* a hit can pause that trace */
	const int *cpus;   /* the traced CPUs */
	size_t cpu_count;
	/* The processes whose hits count, including their children; none: all
	 * processes.
	 */
	const pid_t *processes;
	size_t process_count;
	struct kernel_symbols *symbols; /* empty; read when first needed */
	/* the option that is being applied, for messages ... */
	const char *option;
	const char *sequel; /* ... and the consequence if that fails */
	const struct log *log;
};

/* Arms the triggers of @texts. Skips and logs a trigger that this kernel does
 * not support, or that names a missing function or event.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int trigger_set_arm(struct trigger_set *set, const struct trigger_setup *setup,
		    const char *const *texts, size_t count);

/* Returns the trigger whose hits are samples of event spec @spec, or NULL. */
const struct trigger *trigger_set_of_spec(const struct trigger_set *set,
					  size_t spec);

#endif
