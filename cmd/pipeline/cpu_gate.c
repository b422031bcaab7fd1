/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/cpu_gate.h"
#include "cmd/pipeline/cpu_pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "symbolize/gate/gate_events.h"
#include "symbolize/gate/gate_steps.h"

int cpu_gate_open(struct cpu_gate *gate, const struct session *session,
		  struct cpu_pipeline *cpu)
{
	struct gate_input input = {
		.next_events = cpu_pipeline_next,
		.events = cpu,
		.next_step = gate_steps_next,
	};

	*gate = (struct cpu_gate){
		.steps = gate_steps_open(session->recording, cpu->cpu),
	};
	input.steps = gate->steps;
	if (gate->steps)
		gate->events = gate_events_new(session->symbols, &input);
	return gate->events ? 0 : -ERROR_MEMORY;
}

void cpu_gate_close(struct cpu_gate *gate)
{
	gate_events_free(gate->events);
	gate_steps_close(gate->steps);
}
