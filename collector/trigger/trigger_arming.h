/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_ARMING_H
#define KT_COLLECTOR_TRIGGER_ARMING_H

#include "collector/events/event_spec.h"
#include "collector/trigger/trigger_set.h"

struct bpf_code;

/* A trigger that is being armed.  Each function returns 0, or -1 when it has
 * said to the log why it cannot be.
 */
struct trigger_arming {
	struct trigger_set *set;
	const struct trigger_setup *setup;
	struct trigger *trigger;
};

/* Says that the trigger is left out, and why. */
int trigger_refuse(const struct trigger_arming *arming, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of a call that failed with errno, while it did @what. */
int trigger_refuse_errno(const struct trigger_arming *arming, const char *what);

/* Keeps @fd to close it at the end; -1 is refused, by errno. */
int trigger_keep(const struct trigger_arming *arming, int fd, const char *what);

/* Makes the map of tasks and what is known of each, or one of numbers. */
int trigger_task_map(const struct trigger_arming *arming, int *map);
int trigger_process_map(const struct trigger_arming *arming, int *map);

/* Opens the events of @spec, which is number *@index of them then; @what they
 * are, if the kernel refuses.
 */
int trigger_open_events(const struct trigger_arming *arming,
			struct event_spec spec, const char *what,
			size_t *index);

/* Opens the event that reports go to, and the map that finds it: a trigger's
 * own, or @output.
 */
int trigger_hits_map(const struct trigger_arming *arming);
int trigger_output_map(const struct trigger_arming *arming,
		       struct event_spec output);

/* Makes the maps that tell whose hits count, where not everybody's do. */
int trigger_know_target(const struct trigger_arming *arming);

/* Finds the kernel function that @name, of a system call or of itself, means.
 */
int trigger_find_function(const struct trigger_arming *arming, const char *name,
			  char *function, size_t size);

/* Makes a probe of the kernel at the begin or the return of @function. */
int trigger_probe_kernel(const struct trigger_arming *arming, size_t number,
			 bool is_return, const char *function);

/* Opens the events of a probe that has been made.  They do @action to the
 * trace, AUX_NONE or where that can be.
 */
int trigger_open_probe(const struct trigger_arming *arming, size_t number,
		       bool is_return, enum event_aux_action action,
		       size_t *spec);

/* Opens the named pipe @path, which is made if it is not there: *@line. */
int trigger_open_line(const struct trigger_arming *arming, const char *path,
		      int *line);

/* Runs @code whenever the events of @spec, which is a probe, would count. */
int trigger_attach(const struct trigger_arming *arming, size_t spec,
		   const struct bpf_code *code);

/* Runs @code at the raw tracepoint @name. */
int trigger_attach_raw(const struct trigger_arming *arming, const char *name,
		       const struct bpf_code *code);

/* Takes tasks out of @map as they die: what dies inside of a call never ends it.
 */
int trigger_forget_dead(const struct trigger_arming *arming, int map);

/* Arm the trigger, by its kind. */
int trigger_arm_call(const struct trigger_arming *arming);
int trigger_arm_runnable(const struct trigger_arming *arming);
int trigger_arm_tracepoint(const struct trigger_arming *arming);
int trigger_arm_user(const struct trigger_arming *arming);
int trigger_arm_signal(const struct trigger_arming *arming);
int trigger_arm_exit(const struct trigger_arming *arming);
int trigger_arm_line(const struct trigger_arming *arming);

#endif
