/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LOOSE_PAGES_H
#define KT_DECODER_LOOSE_PAGES_H

struct recording;
struct stream_list;
struct trace_dat;

/* Adds to @list the streams of a @recording whose recorder was killed: the head
 * of its trace.dat, @dat, was written without pages, and each CPU's pages are
 * in a file trace.cpuN next to it. Ignores incomplete pages.
 *
 * Returns 0 or a negative enum error, which was logged.
 */
int loose_pages_add(const struct trace_dat *dat, struct recording *recording,
		    struct stream_list *list);

#endif
