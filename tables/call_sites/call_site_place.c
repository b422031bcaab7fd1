/* SPDX-License-Identifier: MIT */
#include "tables/call_sites/call_site_place.h"

#include "attribution/time/task_paths.h"
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

void call_site_find_caller(struct call_site *site,
			   const struct symbols *symbols,
			   const struct path_frame *frames, uint32_t depth)
{
	uint32_t at;

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

void call_site_find_unwound(struct call_site *site,
			    const struct symbols *symbols,
			    const uint32_t *functions, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!is_same_file(symbols, functions[i], site->function)) {
			site->caller = functions[i];
			return;
		}
	if (count > 1)
		site->caller = functions[1];
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
