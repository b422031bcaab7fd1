/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GRAPH_FORMATS_H
#define KT_DECODER_GRAPH_FORMATS_H

#include "decoder/recording/graph_trace.h"

struct array;

/* Finds in @formats (struct tracepoint) what the function_graph tracer writes,
 * and in @page, a page's head, where its events begin.  graph->page_bytes
 * becomes @page_bytes, or 0 where something is missing.
 */
void graph_formats_find(const struct array *formats,
			const struct tracepoint *page, uint32_t page_bytes,
			struct graph_trace *graph);

#endif
