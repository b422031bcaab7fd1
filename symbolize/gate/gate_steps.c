/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_steps.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

struct gate_steps {
	struct sideband *sideband;
	int32_t cpu;
};

struct gate_steps *gate_steps_open(const struct recording *recording,
				   int32_t cpu)
{
	struct gate_steps *steps = calloc(1, sizeof(*steps));

	if (!steps)
		return NULL;
	steps->cpu = cpu;
	steps->sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	if (!steps->sideband) {
		gate_steps_close(steps);
		return NULL;
	}
	return steps;
}

void gate_steps_close(struct gate_steps *steps)
{
	if (!steps)
		return;
	sideband_close(steps->sideband);
	free(steps);
}

int gate_steps_next(void *ctx, struct gate_step *step)
{
	struct gate_steps *steps = ctx;
	struct sideband_record record;
	int status;

	while ((status = sideband_next(steps->sideband, &record)) > 0)
		if (record.cpu == steps->cpu && gate_step_read(&record, step))
			return 1;
	return status;
}
