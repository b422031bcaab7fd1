/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_TRIGGER_SET_H
#define KT_COLLECTOR_TRIGGER_TRIGGER_SET_H

#include "collector/events/event_spec.h"
#include "collector/trigger/trigger_program.h"
#include "collector/trigger/trigger_spec.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct bpf_code;
struct event_list;
struct kernel_symbols;
struct log;

/* The triggers of snapshots: conditions that are checked in the kernel, so that
 * the trace stops where one holds.
 *
 *	text ─ trigger_spec_parse() ─► probes (tracefs) ─► BPF programs ─► a sample
 *	                                                   │              of hit_spec
 *	                                                   └ maps of starts and tasks
 *
 * A trigger that cannot be armed is skipped with the reason in the log; the
 * recording continues. Arming opens events and attaches the programs to them.
 * If the kernel supports it, these events pause the trace themselves.
 *
 * Invariants:
 *  1. All probes, programs and maps that arming made are removed by
 *     trigger_set_free(), even after a failure in the middle of arming.
 *  2. Events must be closed before trigger_set_free(): a probe in use cannot be
 *     removed.
 *  3. Only hits of the chosen processes and their children count, if there are
 *     any.
 */

/* One trigger, armed or being armed. */
struct trigger {
	struct trigger_spec spec;
	struct trigger_maps maps;
	size_t hit_spec; /* the event whose samples are its hits */
	bool has_events; /* hit_spec is valid */
	int line;	 /* the FIFO of TRIGGER_LINE; otherwise -1 */
};

/* All triggers of a recording, and their shared resources. */
struct trigger_set {
	struct array triggers; /* struct trigger */
	struct array fds;      /* int: maps, programs, links; closed last */
	struct trigger_maps target;
	size_t armed;  /* of triggers: those that were not refused */
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

/* A trigger that is being armed. Unless stated otherwise, each function returns
 * 0, or -1 after logging why the trigger cannot be armed.
 */
struct trigger_arming {
	struct trigger_set *set;
	const struct trigger_setup *setup;
	struct trigger *trigger;
};

/* Logs that the trigger cannot be armed because @what, such as "a BPF map",
 * failed with errno. Returns -1.
 */
int trigger_refuse_errno(const struct trigger_arming *arming, const char *what);

/* trigger_task_map() creates a map from tasks to struct trigger_begin;
 * trigger_process_map() creates a map with 32-bit numbers as keys, such as
 * process numbers.
 */
int trigger_task_map(const struct trigger_arming *arming, int *map);

int trigger_process_map(const struct trigger_arming *arming, int *map);

/* trigger_map() creates a map of any type. trigger_output_map() opens the event
 * @output on each traced CPU, and creates the trigger's map "hits", through
 * which programs find it.
 */
int trigger_map(const struct trigger_arming *arming, enum bpf_map_type type,
		size_t key_bytes, size_t value_bytes, size_t entries, int *map);

int trigger_output_map(const struct trigger_arming *arming,
		       struct event_spec output);

/* Creates the maps of the tasks whose hits count, unless all tasks count. */
int trigger_target_maps(const struct trigger_arming *arming);

/* Finds the kernel function for @name, a system call or a kernel function. */
int trigger_find_function(const struct trigger_arming *arming, const char *name,
			  char *function, size_t size);

/* Creates a kernel probe at the start or the return of @function. */
int trigger_probe_kernel(const struct trigger_arming *arming, size_t number,
			 bool is_return, const char *function);

/* Opens the events of a probe that exists. If the kernel supports it, they
 * apply @action, or nothing with AUX_NONE, to the trace.
 */
int trigger_open_probe(const struct trigger_arming *arming, size_t number,
		       bool is_return, enum event_aux_action action,
		       size_t *spec);

/* Opens the named pipe @path, which is created if it does not exist, as *@line.
 */
int trigger_open_line(const struct trigger_arming *arming, const char *path,
		      int *line);

/* Runs @code whenever the events of @spec, which is a probe, would count. */
int trigger_attach(const struct trigger_arming *arming, size_t spec,
		   const struct bpf_code *code);

/* Runs @code at the raw tracepoint @name. */
int trigger_attach_raw(const struct trigger_arming *arming, const char *name,
		       const struct bpf_code *code);

/* Removes tasks from @map when they die, since a task that dies inside of a
 * call never ends the call.
 */
int trigger_forget_dead(const struct trigger_arming *arming, int map);

#endif
