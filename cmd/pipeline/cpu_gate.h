/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CPU_GATE_H
#define KT_CMD_CPU_GATE_H

struct cpu_pipeline;
struct gate_events;
struct gate_steps;
struct session;

/* Used if only selected calls were traced: combines one CPU's events with the
 * marks of the recorder's probes.
 */
struct cpu_gate {
	struct gate_steps *steps;
	struct gate_events *events;
};

/* Borrows @session and the open @cpu. Returns 0 or -ERROR_MEMORY; the caller
 * closes @gate in either case.
 */
int cpu_gate_open(struct cpu_gate *gate, const struct session *session,
		  struct cpu_pipeline *cpu);

/* A zeroed gate may be closed. */
void cpu_gate_close(struct cpu_gate *gate);

#endif
