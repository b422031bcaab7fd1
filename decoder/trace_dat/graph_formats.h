/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GRAPH_FORMATS_H
#define KT_DECODER_GRAPH_FORMATS_H

#include "decoder/recording/graph_trace.h"

struct array;

/* Fills in @graph: the function_graph tracer's events from @formats (struct
 * tracepoint), and from @page, the format of a page's header, the offset of its
 * events. graph->page_bytes becomes @page_bytes, or 0 if something is missing.
 */
void graph_formats_find(const struct array *formats,
			const struct tracepoint *page, uint32_t page_bytes,
			struct graph_trace *graph);

#endif
