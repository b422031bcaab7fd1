/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_IDLE_EXITS_H
#define KT_TABLES_WAITS_IDLE_EXITS_H

/* How long idle CPUs take to wake up: for each time that a CPU was idle, the
 * delay between the cause of the wake-up and the first instruction of the
 * interrupt handler. For report --idle and SQL.
 *
 *	cpu_idle: state ─► handler begins ─► hrtimer_expire_entry ─► handler ends
 *	                      ▲                     the timer's delay
 *	  another CPU's function that sends the interrupt
 *
 * 1. A timer's cause is the time at which it was to expire. hrtimer_start has
 *    it, and hrtimer_expire_entry the time that the handler read, both of the
 *    timer's clock. The handler read it where the trace shows the end of
 *    ktime_get_update_offsets_now(), which gives the expiry in the recording's
 *    clock: it is inferred. Of several timers, the first to expire is the cause.
 * 2. The cause of an interrupt that another CPU sent is the start of the
 *    function there that sends such interrupts (x86-64). Both ends are in the
 *    trace. It is exact if exactly one such function began on other CPUs since
 *    this CPU's last handler of such interrupts, and all CPUs were traced while
 *    it was idle; otherwise the last one is the inferred cause. One that began
 *    before the CPU was idle is not a cause: the CPU never slept.
 * 3. Other causes, such as devices' interrupts, are unknown, as is a timer that
 *    expired before the CPU was idle: the CPU never slept. A CPU that polls is
 *    woken without an interrupt.
 * 4. With interrupts off in the idle state (intel_idle), the delay includes the
 *    kernel's code between the return from the state and the handler.
 * 5. A time idle that a gap of the trace cuts, or that begins before the trace,
 *    is not emitted.
 *
 * Memory grows with the number of CPUs and timers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct idle_tracker;

enum idle_cause { IDLE_BY_UNKNOWN, IDLE_BY_TIMER, IDLE_BY_CPU, IDLE_CAUSES };

/* Returns the name of @cause: "timer", "cpu"; NULL for IDLE_BY_UNKNOWN. */
const char *idle_cause_name(enum idle_cause cause);

/* A CPU was idle, and was woken. */
struct idle_exit {
	uint32_t cpu;
	int32_t state;	   /* as the kernel numbers them */
	uint64_t begin_ns; /* start of the idle state */
	/* start of the handler; without one, the return from the idle state */
	uint64_t end_ns;
	uint32_t handler; /* function; FUNCTION_NONE: no interrupt */
	uint8_t cause;	  /* enum idle_cause */
	bool is_exact;
	uint64_t delay_ns; /* IDLE_BY_UNKNOWN: 0 */
	int32_t by_cpu;	   /* IDLE_BY_CPU: which; else -1 */
};

/* Receives the exits of all CPUs. Returns 0 or -ERROR_MEMORY. */
struct idle_callback {
	int (*consume)(struct idle_callback *callback,
		       const struct idle_exit *exit);
};

/* Follows the pass of @input; borrows both. Returns NULL when out of memory. */
struct idle_tracker *idle_tracker_new(const struct attribution_input *input,
				      struct idle_callback *callback);
void idle_tracker_free(struct idle_tracker *tracker);

/* Returns 0, or -ERROR_MEMORY if the tracker or the callback ever ran out of
 * memory.
 */
int idle_tracker_status(const struct idle_tracker *tracker);

/* The names of idle states. */
struct idle_names;

/* Reads the list of the recording of @input (recording_cpus_path()), which may
 * have none. Returns NULL when out of memory.
 */
struct idle_names *idle_names_of(const struct attribution_input *input);

/* Reads a list of @size bytes at @text; ignores lines that do not name an idle
 * state. Returns NULL when out of memory.
 */
struct idle_names *idle_names_read(const char *text, size_t size);
void idle_names_free(struct idle_names *names);

/* Returns the name of @state of @cpu; NULL if it is not recorded. */
const char *idle_names_find(const struct idle_names *names, uint32_t cpu,
			    int32_t state);

#endif
