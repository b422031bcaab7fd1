/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITES_CALL_SITES_INTERNAL_H
#define KT_TABLES_CALL_SITES_CALL_SITES_INTERNAL_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct pack;
struct path_frame;
struct symbols;
struct table_records;

/* A user instruction that enters the kernel, in one process, for one purpose,
 * with one caller of its function; and the time of its entries until they
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
	/* the nearest function below function on the user stack that is not of
	 * the C or C++ library; if there is none, the nearest one in a file
	 * other than that of function; else the caller of function.
	 * FUNCTION_NONE: unknown
	 */
	uint32_t caller;
	/* contains the instruction; if that function has no name of its own,
	 * its nearest caller with a name in the same file. FUNCTION_UNKNOWN:
	 * see address
	 */
	uint32_t function;
	uint64_t caller_address; /* return address in the caller; 0: unknown */
	/* bytes from the start of function to the instruction, or to the last
	 * byte of the call that led to it
	 */
	uint64_t offset;

	/* start of one of its entries; addresses are looked up in the maps of
	 * that time
	 */
	uint64_t first_ns;
	uint64_t entries;
	uint64_t class_ns[TIME_CLASSES];
};

/* Purposes other than known system calls; as uint32_t they are above the
 * numbers of functions.
 */
enum site_purpose {
	SITE_PAGE_FAULT = -3,
	SITE_EXCEPTION = -2,
	SITE_SYSTEM_CALL = -1, /* unknown system call */
};

/* Writes @site, the site of one entry, without its process and time, or reads it
 * into @site, which must be zeroed. Fails the pack if a function is not
 * below @functions, the number of functions.
 */
void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions);

/* Sets the instruction of @site to the system call that returns to @address.
 * Like the functions below, uses the maps of site->pid at site->first_ns.
 */
void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address);

/* Sets the instruction of @site, whose entry returns to @address. The purpose
 * must be set: a faulting instruction is at @address, since it is run again; a
 * system call is before it.
 */
void call_site_locate_return(struct call_site *site,
			     const struct symbols *symbols, uint64_t address);

/* Lowers *@depth, the index of a kernel function in @frames, to that of the
 * entry's outermost kernel function. They differ on arm64, where only an inner
 * function shows the type of an exception. Returns false if the entry was
 * not traced.
 */
bool call_site_find_entry(const struct symbols *symbols,
			  const struct path_frame *frames, uint32_t *depth);

/* Sets the caller of @site, and replaces a function without a name as struct
 * call_site describes. @frames must have the user functions below the kernel
 * entry at @depth, as user traces provide.
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
 * them. If user code is traced, the trace shows these instructions. Otherwise
 * the instruction of a system call is in the registers that record
 * --user-stacks copies, and the instruction of a page fault in the fault's
 * tracepoint. If a gap interrupted the stack in the trace, a copied stack is
 * preferred. All of an entry's time is charged to the time window in which the
 * entry starts.
 */
struct call_sites;

/* Registers with @input->trackers, so that the pass of @input feeds it. Borrows
 * @input. Returns NULL when out of memory.
 */
struct call_sites *call_sites_new(const struct attribution_input *input);
void call_sites_free(struct call_sites *sites);

/* The records of finished entries; their owner is a struct call_sites. Those
 * that the filter does not select are written, and read, but not charged.
 */
extern const struct table_records call_site_records;

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
