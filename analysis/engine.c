/* SPDX-License-Identifier: MIT */
#include "analysis/engine.h"

#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"

#include <assert.h>
#include <string.h>

static const char *const engine_names[] = {
	[ENGINE_GRAPH] = "graph",
	[ENGINE_LIBIPT] = "libipt",
	[ENGINE_OPENCSD] = "opencsd",
};

bool engine_read(const char *name, enum engine *engine)
{
	for (int i = ENGINE_GRAPH; i <= ENGINE_OPENCSD; i++)
		if (!strcmp(engine_names[i], name)) {
			*engine = (enum engine)i;
			return true;
		}
	return false;
}

const char *engine_name(enum engine engine)
{
	assert(engine != ENGINE_DEFAULT);
	return engine_names[engine];
}

static bool is_intel_pt(const struct recording *recording)
{
	return recording_trace(recording) == RECORDING_TRACE_INTEL_PT;
}

/* Returns whether each stream of the recording has branches to follow. */
static bool is_read_by_us(const struct recording *recording)
{
	for (size_t i = 0; i < recording_stream_count(recording); i++)
		if (!branch_source_fits(recording,
					recording_stream(recording, i)))
			return false;
	return true;
}

enum engine engine_second(const struct recording *recording)
{
	return is_intel_pt(recording) ? ENGINE_LIBIPT : ENGINE_OPENCSD;
}

enum engine engine_for(enum engine engine, const struct recording *recording)
{
	if (engine != ENGINE_DEFAULT)
		return engine;
	return is_read_by_us(recording) ? ENGINE_GRAPH : ENGINE_OPENCSD;
}

bool engine_reads(enum engine engine, const struct recording *recording)
{
	return engine == engine_for(ENGINE_DEFAULT, recording) ||
	       engine == engine_second(recording);
}

int engine_open_blocks(enum engine engine, const struct flow_input *input,
		       struct flow_source **source)
{
	if (engine == ENGINE_GRAPH)
		return execution_blocks.open(input, source);
	return flow_source_open(input, source);
}
