/* SPDX-License-Identifier: MIT */
#ifndef KT_ANALYSIS_ENGINE_H
#define KT_ANALYSIS_ENGINE_H

/* Chooses the engine: the component that follows a trace through the code.
 *
 * Our own engine (execution/) reads Intel PT, ETMv4 and ETE; libipt and OpenCSD
 * are second engines, to compare results (verify, --engine) and for trace units
 * that only they read. All functions except engine_open_blocks() only look at
 * the recording.
 */

#include <stdbool.h>

struct flow_input;
struct flow_source;
struct recording;

/* The component that follows a trace through the code. */
enum engine {
	ENGINE_DEFAULT, /* the first that reads the trace */
	ENGINE_GRAPH,	/* our own: execution/ */
	ENGINE_LIBIPT,
	ENGINE_OPENCSD,
};

/* Sets *@engine to the engine named @name. Returns whether there is one. */
bool engine_read(const char *name, enum engine *engine);

/* Returns the name of @engine, which is not ENGINE_DEFAULT. */
const char *engine_name(enum engine engine);

/* Returns @engine; for ENGINE_DEFAULT, the engine that it stands for with
 * @recording.
 */
enum engine engine_for(enum engine engine, const struct recording *recording);

/* Returns the library engine that also reads the format of @recording's trace
 * unit.
 */
enum engine engine_second(const struct recording *recording);

/* Returns whether @engine, which is not ENGINE_DEFAULT, can decode @recording's
 * trace.
 */
bool engine_reads(enum engine engine, const struct recording *recording);

/* Opens the stream of @input as a source of blocks. Returns as
 * flow_source_open() does.
 */
int engine_open_blocks(enum engine engine, const struct flow_input *input,
		       struct flow_source **source);

#endif
