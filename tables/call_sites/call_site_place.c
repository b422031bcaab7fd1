/* SPDX-License-Identifier: MIT */
#include "tables/call_sites/call_site_place.h"

#include "attribution/time/wait_channels.h"
#include "decoder/recording/sideband.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

/* @symbol covers the instruction at @address. */
static void place(struct call_site *site, const struct symbol *symbol,
		  uint64_t address)
{
	site->address = address;
	site->function = symbol->function;
	site->offset = address - symbol->start;
}

void call_site_locate(struct call_site *site, const struct symbols *symbols,
		      uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	place(site, &symbol, address);
}

void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address - 1, &symbol);
	place(site, &symbol,
	      address - (symbol.is_t32 ?
				 T32_SYSTEM_CALL_BYTES :
				 symbols_arch(symbols)->system_call_bytes));
}

void call_site_locate_return(struct call_site *site,
			     const struct symbols *symbols, uint64_t address)
{
	if (site->purpose == (uint32_t)SITE_SYSTEM_CALL)
		call_site_locate_call(site, symbols, address);
	else
		call_site_locate(site, symbols, address);
}

bool call_site_find_entry(const struct symbols *symbols,
			  const struct path_frame *frames, uint32_t *depth)
{
	uint64_t kernel_start = symbols_arch(symbols)->kernel_start;

	while (*depth && frames[*depth].return_address >= kernel_start)
		--*depth;
	return frames[*depth].return_address &&
	       frames[*depth].return_address < kernel_start;
}

static bool is_same_file(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	const struct function_table *functions = symbols_functions(symbols);

	return !strcmp(function_at(functions, a)->module,
		       function_at(functions, b)->module);
}

/* glibc 2.41 (nptl/cancellation.c) makes the system calls of functions such as
 * fsync() in these, which programs do not call.
 */
static bool is_inner_name(const char *name)
{
	static const char *const inner[] = {
		"__internal_syscall_cancel",
		"__syscall_cancel",
		"__syscall_cancel_arch",
	};

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
		if (!strcmp(name, inner[i]))
			return true;
	return false;
}

/* Functions without a symbol are named "[libc.so.6+0x8f2d4]". */
static bool has_own_name(const struct symbols *symbols, uint32_t function)
{
	const struct function *named =
		function_at(symbols_functions(symbols), function);

	return named->name[0] != '[' && !is_inner_name(named->base);
}

/* Sets the site to @function, which called at @address; 0: it jumped, or the
 * address is unknown.
 */
static void name_place(struct call_site *site, const struct symbols *symbols,
		       uint32_t function, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	site->function = function;
	site->offset = symbol.function == function ? address - symbol.start : 0;
}

/* Sets the site to the innermost function with a name of its own in the same
 * file. Returns the depth of the kernel entry as if that function had entered
 * the kernel.
 */
static uint32_t name_by_frames(struct call_site *site,
			       const struct symbols *symbols,
			       const struct path_frame *frames, uint32_t depth)
{
	if (has_own_name(symbols, site->function))
		return depth;
	for (uint32_t at = depth - 1;
	     at > 0 &&
	     is_same_file(symbols, frames[at - 1].function, site->function);
	     at--) {
		if (!has_own_name(symbols, frames[at - 1].function))
			continue;
		name_place(site, symbols, frames[at - 1].function,
			   frames[at].return_address ?
				   frames[at].return_address - 1 :
				   0);
		return at;
	}
	return depth;
}

void call_site_find_caller(struct call_site *site,
			   const struct symbols *symbols,
			   const struct path_frame *frames, uint32_t depth)
{
	uint32_t at;

	if (depth < 2)
		return;
	depth = name_by_frames(site, symbols, frames, depth);
	if (depth < 2)
		return;
	for (at = depth - 1; at > 0; at--)
		if (!is_same_file(symbols, frames[at - 1].function,
				  site->function))
			break;
	if (!at)
		at = depth - 1;
	site->caller = frames[at - 1].function;
	site->caller_address = frames[at].return_address;
}

static uint32_t function_of(const struct symbols *symbols,
			    const struct call_site *site, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	return symbol.function;
}

/* Like name_by_frames(), for unwound addresses. Returns the index of the frame
 * of the function that the site is set to.
 */
static size_t name_by_addresses(struct call_site *site,
				const struct symbols *symbols,
				const uint64_t *addresses, size_t count)
{
	uint32_t function;

	if (has_own_name(symbols, site->function))
		return 0;
	for (size_t i = 1; i < count; i++) {
		function = function_of(symbols, site, addresses[i]);
		if (!is_same_file(symbols, function, site->function))
			return 0;
		if (has_own_name(symbols, function)) {
			name_place(site, symbols, function, addresses[i]);
			return i;
		}
	}
	return 0;
}

void call_site_find_unwound(struct call_site *site,
			    const struct symbols *symbols,
			    const uint64_t *addresses, size_t count)
{
	size_t named = name_by_addresses(site, symbols, addresses, count);
	uint32_t function;

	for (size_t i = named + 1; i < count; i++) {
		function = function_of(symbols, site, addresses[i]);
		if (!is_same_file(symbols, function, site->function)) {
			site->caller = function;
			return;
		}
	}
	if (named + 1 < count)
		site->caller = function_of(symbols, site, addresses[named + 1]);
}

static bool is_instruction_pointer(const char *name)
{
	return !strcmp(name, "ip") || !strcmp(name, "pc");
}

bool call_site_read_return(const struct sideband_user_state *user,
			   const struct symbols *symbols, uint64_t *address)
{
	const struct arch *arch = symbols_arch(symbols);

	for (unsigned int i = 0; i < arch->user_register_count; i++)
		if (is_instruction_pointer(arch->user_registers[i]))
			return sideband_register(&user->registers, i, address);
	return false;
}
