/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITES_H
#define KT_TABLES_CALL_SITES_H

#include "tables/call_sites/call_site.h"

#include <stddef.h>

struct attribution_input;
struct kept_file_writer;
struct pack;

/* Charges the time of system calls and faults to the instructions that began
 * them.  Where user code is traced, they are in the trace; else a system
 * call's is in the registers that record --user-stacks copies, a page fault's
 * in its tracepoint.  All of an entry's time is that of the window that it begins
 * in.
 */
struct call_sites;

/* Borrows @input.  Returns NULL when out of memory. */
struct call_sites *call_sites_new(const struct attribution_input *input);
void call_sites_free(struct call_sites *sites);

/* Keeps each entry, whoever's it is, as it ends from now on; reads one that was kept,
 * and charges it.
 */
void call_sites_keep(struct call_sites *sites, struct kept_file_writer *writer);
void call_sites_read(struct call_sites *sites, struct pack *pack);

/* Charges what has not returned, after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int call_sites_end(struct call_sites *sites);

size_t call_sites_count(const struct call_sites *sites);
const struct call_site *call_sites_at(const struct call_sites *sites,
				      size_t index);

#endif
