/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_SPEC_H
#define KT_COLLECTOR_EVENT_SPEC_H

/* The perf events of a recording, before they are opened: a list of specs, each
 * with its attr, the CPUs or threads for which it is opened, and the ring that
 * it writes to.
 *
 *	options ─► event_spec_*() ─► list of struct event_spec ─► event_list: open
 *	                                     │                     on each CPU
 *	                                     └─► attrs in the recording
 *
 * 1. The number of a spec in the list is the event's number in the recording.
 * 2. Each sample starts with the fields of EVENT_SAMPLE_TYPE, so that the
 *    recorder reads the time, the task and the id without knowing the event.
 * 3. A group's leader has a lower number than the other events of the group.
 * 4. Fields marked "for the kernel only" are not in the recording: its readers
 *    must not depend on them.
 *
 * Source: perf_event_open(2).
 */

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where an event is opened. */
enum event_scope {
	EVENT_OF_TARGET, /* the traced threads, or whole CPUs */
	EVENT_OF_CPUS,	 /* everything that runs on the traced CPUs */
	EVENT_OF_KERNEL, /* everything on any CPU: all run the same code */
};

/* Which ring of its CPU an event writes to. */
enum event_ring {
	RING_CODE, /* code changes: each record wakes the recorder */
	/* patches, and on arm64 BPF code: only many records wake it */
	RING_PATCHES,
	RING_MAPS, /* mappings of programs: each record wakes the recorder */
	RING_SIDEBAND,
	RING_STACKS, /* samples with copies of user stacks */
	RING_HITS,   /* trigger hits: each wakes the recorder at once */
	RING_TRACE,  /* has the trace buffer */
	RING_COUNT,
	RING_NONE = RING_COUNT, /* no records: only its side effect matters */
};

/* What an event in a trace's group does to the trace each time that it fires;
 * AUX_START_PAUSED is the initial state of the trace itself. Since Linux 6.13
 * (attr.aux_action, which older headers do not define).
 */
enum event_aux_action {
	AUX_NONE = 0,
	AUX_START_PAUSED = 1,
	AUX_PAUSE = 2,
	AUX_RESUME = 4,
};

/* An event to open: one attr of the recording. */
struct event_spec {
	char name[64];
	enum event_scope scope;
	enum event_ring ring;
	struct perf_event_attr attr;
	/* for the kernel only: recorded attrs have the old size */
	uint64_t config3;
	uint32_t aux_action; /* for the kernel only; enum event_aux_action */
	/* 1 + the number of the spec whose event on the same CPU leads its
	 * group; 0: no group
	 */
	size_t group;
	bool on_demand; /* event_list_enable() skips it */
	/* of a tracepoint: it does not count in this thread, whose number is of
	 * the first PID namespace; 0: it counts in all threads
	 */
	pid_t left_out;
};

/* Sample fields common to all attrs, so that the time, the task, the CPU and
 * the event's id are at the same positions in each record.
 */
#define EVENT_SAMPLE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* The fields of EVENT_SAMPLE_TYPE at the start of a sample, after its header
 * (perf_event_open(2)).
 */
struct event_sample {
	uint64_t id;
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t reserved;
};

/* The size of these fields, without ip, at the end of all other records
 * (attr.sample_id_all).
 */
enum { EVENT_TRAILER_SIZE = 32 };

/* Each event_spec_*() function below returns a spec that is not opened yet; its
 * comment names what the event records.
 *
 * Patches of the kernel's text, and code that is added or removed: BPF
 * programs, ftrace trampolines, kprobe pages. Opening this event patches
 * nothing.
 */
struct event_spec event_spec_text_poke(void);

/* Each call of the function at @address, which patches the kernel's text
 * (common/formats/recording_events.h): samples of a breakpoint.
 */
struct event_spec event_spec_text_poke_breakpoint(uint64_t address);

/* Each call of the function at @address, which writes or wipes code of the BPF
 * JIT compiler (common/formats/recording_events.h): samples of a breakpoint,
 * called @name, with @registers.
 */
struct event_spec event_spec_bpf_text(const char *name, uint64_t address,
				      uint64_t registers);

/* Each call of mremap(), whose kernel function is at @address
 * (common/formats/recording_events.h): samples of a breakpoint, with @registers
 * of user space.
 */
struct event_spec event_spec_mremap(uint64_t address, uint64_t registers);

/* Modules that are loaded or freed: samples of the tracepoint @name, number
 * @id.
 */
struct event_spec event_spec_module(const char *name, uint64_t id);
#define EVENT_MODULE_LOAD "module:module_load"
#define EVENT_MODULE_FREE "module:module_free"

/* Context switches, of the target. @of_cpus: of all tasks on the traced CPUs;
 * each record then names both tasks.
 */
struct event_spec event_spec_switches(bool of_cpus);

/* Forks, exits, names and mappings of code of the target: one event, because
 * the kernel writes forks and exits to each event with any of these
 * (kernel/events/core.c, perf_event_task_match()). @wakes: each record wakes
 * the recorder, so that it can open a mapped file while the process has it
 * (program_copies.h).
 */
struct event_spec event_spec_tasks(bool wakes);

/* Samples of the tracepoint @id, called @name, with their raw fields.  They
 * start disabled: opening patches the kernel, enabling does not.
 */
struct event_spec event_spec_tracepoint(const char *name, uint64_t id,
					enum event_scope scope);

/* Adds the registers of user space and up to @stack_bytes of its stack, a
 * multiple of 8 below 64 KiB, to the samples of @spec. The event starts
 * disabled, because the recorder's own preparations would fill the ring.
 */
void event_spec_add_user_stack(struct event_spec *spec, uint32_t stack_bytes);

/* Samples that a BPF program or the recorder writes, called @name. */
struct event_spec event_spec_bpf_output(const char *name, enum event_ring ring);

/* Makes @spec pause or resume (@action) the trace of its CPU each time that it
 * fires. @trace is the number of the trace's spec, which is opened before.
 */
void event_spec_act(struct event_spec *spec, size_t trace,
		    enum event_aux_action action);

/* A timer that resumes the paused trace of spec number @trace, 10 us after
 * PERF_EVENT_IOC_REFRESH.
 */
struct event_spec event_spec_resume(size_t trace);

/* The trace itself, of user space too if @user; the tracer sets type and
 * config. It starts disabled; @on_exec: the thread's next exec enables it.
 */
struct event_spec event_spec_trace(const char *name, bool user, bool on_exec,
				   uint32_t aux_watermark_bytes);

#endif
