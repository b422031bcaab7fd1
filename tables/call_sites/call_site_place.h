/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_PLACE_H
#define KT_TABLES_CALL_SITE_PLACE_H

#include "tables/call_sites/call_site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_frame;
struct sideband_user_state;
struct symbols;

/* Sets the instruction of @site to the one at @address. All functions of this
 * header use the maps of site->pid at site->first_ns.
 */
void call_site_locate(struct call_site *site, const struct symbols *symbols,
		      uint64_t address);

/* Like call_site_locate(), for a system call that returns to @address: its
 * instruction is the one before @address.
 */
void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address);

/* Like call_site_locate(), with the address that the kernel returns to. The
 * purpose must be set: a faulting instruction is run again, so it is at
 * @address.
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

/* Finds the address that the kernel returns to in the registers of a sample.
 * Returns false if the sample has none.
 */
bool call_site_read_return(const struct sideband_user_state *user,
			   const struct symbols *symbols, uint64_t *address);

#endif
