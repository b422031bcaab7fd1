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

/* One trigger, armed or on its way. */
struct trigger {
	struct trigger_spec spec;
	struct trigger_maps maps;
	size_t hit_spec; /* the event whose samples are its hits */
	bool has_events; /* there is one */
	int line;	 /* the FIFO of TRIGGER_LINE, else -1 */
};

/* All of a recording, and what they have in common. */
struct trigger_set {
	struct array triggers; /* struct trigger */
	struct array fds;      /* int: maps, programs, links: closed at last */
	struct trigger_maps target;
	size_t probes; /* made so far */
	bool has_probes;
};

struct trigger_set trigger_set_new(void);

/* Disarms all: takes away what was made in tracefs.  The events must be closed.
 */
void trigger_set_free(struct trigger_set *set);

/* Where triggers are armed. */
struct trigger_setup {
	struct event_list *events;
	/* Opens spec number @spec of events and gives its events their rings.
	 * Returns 0, -ERROR_SYSTEM with errno set (the spec is gone then) or
	 * -ERROR_MEMORY.
	 */
	int (*open)(void *context, size_t spec);
	void *context;
	size_t trace_spec; /* whose events are open */
	bool can_pause;	   /* a hit can pause that trace */
	const int *cpus;   /* that are traced */
	size_t cpu_count;
	/* Whose hits count, with all that they start; none: everybody's. */
	const pid_t *processes;
	size_t process_count;
	struct kernel_symbols *symbols; /* empty; read when first needed */
	const char *option;		/* that asked, for messages ... */
	const char *sequel; /* ... and what follows where it cannot be */
	const struct log *log;
};

/* Arms the triggers of @texts.  One that this kernel cannot do, or that names
 * something that is not there, is left out, said to the log.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int trigger_set_arm(struct trigger_set *set, const struct trigger_setup *setup,
		    const char *const *texts, size_t count);

/* Returns the trigger whose hits are samples of event spec @spec, or NULL. */
const struct trigger *trigger_set_of_spec(const struct trigger_set *set,
					  size_t spec);

#endif
