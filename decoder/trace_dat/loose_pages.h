/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LOOSE_PAGES_H
#define KT_DECODER_LOOSE_PAGES_H

struct recording;
struct stream_list;
struct trace_dat;

/* Adds to @list the streams of @recording, whose recorder was killed: the head of
 * its trace.dat, @dat, was written, in which no CPU has pages, and each CPU's pages are in
 * a file trace.cpuN beside it.  What is not a whole page is left out.
 *
 * Returns 0 or a negative enum error, said.
 */
int loose_pages_add(const struct trace_dat *dat, struct recording *recording,
		    struct stream_list *list);

#endif
