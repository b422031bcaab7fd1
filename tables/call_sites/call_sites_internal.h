/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITES_CALL_SITES_INTERNAL_H
#define KT_TABLES_CALL_SITES_CALL_SITES_INTERNAL_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct cache_file_writer;
struct pack;
struct path_frame;
struct symbols;

/* A user instruction that enters the kernel, in one process, for one purpose,
 * called from one caller; and the time that its entries took until they
 * returned.
 */
struct call_site {
	/* The key: entries that differ in one of these belong to different
	 * sites.
	 */
	int32_t pid;
	/* the system call's function, or an enum site_purpose */
	uint32_t purpose;
	uint64_t address; /* of the instruction; 0: unknown */
	/* nearest function on the user stack, outside of @function, that is not
	 * of the C and C++ libraries, or else one of another file than
	 * @function, or else the caller of @function; FUNCTION_NONE: unknown
	 */
	uint32_t caller;
	/* contains the instruction; if that function has no name of its own,
	 * its nearest caller with a name in the same file. FUNCTION_UNKNOWN:
	 * see address
	 */
	uint32_t function;
	uint64_t caller_address; /* of the call in the caller; 0: unknown */
	/* in @function, of the instruction or of the last byte of the call that
	 * led to it
	 */
	uint64_t offset;

	/* start of one of its entries; addresses are looked up in the maps of
	 * that time
	 */
	uint64_t first_ns;
	uint64_t entries;
	uint64_t class_ns[TIME_CLASSES];
};

/* Purposes that share a number space with functions. */
enum site_purpose {
	SITE_PAGE_FAULT = -3,
	SITE_EXCEPTION = -2,
	SITE_SYSTEM_CALL = -1, /* unknown system call */
};

/* Writes @site, the site of one entry, without its process, or reads it into a
 * zeroed one. @functions: number of functions.
 */
void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions);

/* Sets the instruction of @site to the one before @address, to which its system
 * call returns. Like the functions below, uses the maps of site->pid at
 * site->first_ns.
 */
void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address);

/* Sets the instruction of @site, whose entry returns to @address. The purpose
 * must be set: a faulting instruction is run again, so it is at @address.
 */
void call_site_locate_return(struct call_site *site,
			     const struct symbols *symbols, uint64_t address);

/* Moves *@depth, the depth of a kernel function in @frames, to the kernel
 * function that user space was left with: on arm64, the type of an exception is
 * known only in an inner function. Returns false if the entry was not traced.
 */
bool call_site_find_entry(const struct symbols *symbols,
			  const struct path_frame *frames, uint32_t *depth);

/* Sets the caller of @site, and moves its function and offset to the named
 * function (struct call_site). Requires user traces: the user functions are in
 * @frames below the entry at @depth.
 */
void call_site_find_caller(struct call_site *site,
			   const struct symbols *symbols,
			   const struct path_frame *frames, uint32_t depth);

/* Like call_site_find_caller(), with the @count addresses that
 * user_stack_addresses() wrote.
 */
void call_site_find_unwound(struct call_site *site,
			    const struct symbols *symbols,
			    const uint64_t *addresses, size_t count);

/* Charges the time of system calls and faults to the instructions that caused
 * them. These are in the trace where user code is traced; otherwise, a system
 * call's is found from the registers that record --user-stacks copies, and a
 * page fault's from its tracepoint. A copied stack is also preferred to one of
 * the trace that a gap has interrupted. All of an entry's time belongs to the
 * window that the entry starts in.
 */
struct call_sites;

/* Borrows @input.  Returns NULL when out of memory. */
struct call_sites *call_sites_new(const struct attribution_input *input);
void call_sites_free(struct call_sites *sites);

/* call_sites_keep() makes all later entries, whatever the filter, go to @writer
 * as they end. call_sites_read() reads one such record and charges it.
 */
void call_sites_keep(struct call_sites *sites,
		     struct cache_file_writer *writer);
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
