/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CPU_GATE_H
#define KT_CMD_CPU_GATE_H

struct cpu_pipeline;
struct gate_events;
struct gate_steps;
struct session;

/* Where chosen calls alone were traced: what one CPU's events become by the
 * marks of the recorder's probes.
 */
struct cpu_gate {
	struct gate_steps *steps;
	struct gate_events *events;
};

/* Borrows @session and the open @cpu.  Returns 0 or -ERROR_MEMORY; @gate is to
 * be closed in either case.
 */
int cpu_gate_open(struct cpu_gate *gate, const struct session *session,
		  struct cpu_pipeline *cpu);

/* What is empty may be closed, too. */
void cpu_gate_close(struct cpu_gate *gate);

#endif
