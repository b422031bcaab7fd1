/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_STREAMS_H
#define KT_DECODER_TRACE_DAT_STREAMS_H

#include <stdbool.h>

struct array;
struct stream_list;
struct trace_dat;

/* Locates the pages of all dat->cpus, unpacks them if needed into a file of
 * @maps (struct file_map), and adds their streams to @list.
 *
 * Returns 0 or a negative enum error, which was logged. Sets *@is_cut if pages
 * are truncated or damaged, which is logged; the pages before them are added.
 */
int trace_dat_add_streams(struct trace_dat *dat, struct array *maps,
			  struct stream_list *list, bool *is_cut);

#endif
