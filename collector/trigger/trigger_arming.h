/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_ARMING_H
#define KT_COLLECTOR_TRIGGER_ARMING_H

#include "collector/events/event_spec.h"
#include "collector/trigger/trigger_set.h"

struct bpf_code;

/* A trigger that is being armed. Unless stated otherwise, each function returns
 * 0, or -1 after logging why the trigger cannot be armed.
 */
struct trigger_arming {
	struct trigger_set *set;
	const struct trigger_setup *setup;
	struct trigger *trigger;
};

/* Logs that the trigger is ignored, and why. */
int trigger_refuse(const struct trigger_arming *arming, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like trigger_refuse(), for a call that failed with errno while doing @what.
 */
int trigger_refuse_errno(const struct trigger_arming *arming, const char *what);

/* Stores @fd to close it at the end; if it is -1, refuses the trigger because
 * of errno.
 */
int trigger_keep(const struct trigger_arming *arming, int fd, const char *what);

/* trigger_task_map() creates a map from tasks to struct trigger_begin;
 * trigger_process_map() creates a map with 32-bit numbers as keys, such as
 * process numbers.
 */
int trigger_task_map(const struct trigger_arming *arming, int *map);
int trigger_process_map(const struct trigger_arming *arming, int *map);

/* Adds @spec as number *@index and opens its events. @what describes them, for
 * the message if the kernel refuses.
 */
int trigger_open_events(const struct trigger_arming *arming,
			struct event_spec spec, const char *what,
			size_t *index);

/* Open the event that receives reports, a trigger's own or @output, and create
 * the map through which programs find it.
 */
int trigger_hits_map(const struct trigger_arming *arming);
int trigger_output_map(const struct trigger_arming *arming,
		       struct event_spec output);

/* Creates the maps of the tasks whose hits count, unless all tasks count. */
int trigger_know_target(const struct trigger_arming *arming);

/* Finds the kernel function for @name, a system call or a kernel function. */
int trigger_find_function(const struct trigger_arming *arming, const char *name,
			  char *function, size_t size);

/* Creates a kernel probe at the start or the return of @function. */
int trigger_probe_kernel(const struct trigger_arming *arming, size_t number,
			 bool is_return, const char *function);

/* Opens the events of a probe that exists. They apply @action to the trace,
 * which may be AUX_NONE, if that is possible.
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

/* Arm the trigger, by its kind. */
int trigger_arm_call(const struct trigger_arming *arming);
int trigger_arm_runnable(const struct trigger_arming *arming);
int trigger_arm_tracepoint(const struct trigger_arming *arming);
int trigger_arm_user(const struct trigger_arming *arming);
int trigger_arm_signal(const struct trigger_arming *arming);
int trigger_arm_exit(const struct trigger_arming *arming);
int trigger_arm_line(const struct trigger_arming *arming);

#endif
