/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITES_H
#define KT_TABLES_CALL_SITES_H

#include "tables/call_sites/call_site.h"

#include <stddef.h>

struct attribution_input;
struct kept_file_writer;
struct pack;

/* Charges the time of system calls and faults to the instructions that caused
 * them. These are in the trace where user code is traced; otherwise, a system
 * call's is found from the registers that record --user-stacks copies, and a
 * page fault's from its tracepoint. All of an entry's time belongs to the
 * window that the entry starts in.
 */
struct call_sites;

/* Borrows @input.  Returns NULL when out of memory. */
struct call_sites *call_sites_new(const struct attribution_input *input);
void call_sites_free(struct call_sites *sites);

/* call_sites_keep() makes all later entries, whatever the filter, go to @writer
 * as they end. call_sites_read() reads one such record and charges it.
 */
void call_sites_keep(struct call_sites *sites, struct kept_file_writer *writer);
void call_sites_read(struct call_sites *sites, struct pack *pack);

/* Charges the entries that have not returned. Must be called after the last
 * call event.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int call_sites_end(struct call_sites *sites);

size_t call_sites_count(const struct call_sites *sites);
const struct call_site *call_sites_at(const struct call_sites *sites,
				      size_t index);

#endif
