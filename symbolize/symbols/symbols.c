/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/symbols.h"

#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/sideband.h"
#include "symbolize/functions/same_names.h"
#include "symbolize/kernel/kernel_symbols.h"
#include "symbolize/kernel/text_file.h"
#include "symbolize/symbols/user_space.h"

#include <stdlib.h>
#include <string.h>

struct symbols {
	const struct arch *arch;
	struct function_table *functions;
	struct address_map *kernel;
	struct user_space *user; /* NULL without a recording */
	bool is_text;		 /* all symbols are in kernel */
};

static int symbols_new(const struct arch *arch, struct symbols **symbols)
{
	struct symbols *made = calloc(1, sizeof(*made));

	*symbols = NULL;
	if (!made)
		return -ERROR_MEMORY;
	made->arch = arch;
	made->functions = function_table_new();
	made->kernel = address_map_new();
	if (!made->functions || !made->kernel) {
		symbols_close(made);
		return -ERROR_MEMORY;
	}
	*symbols = made;
	return 0;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	user_space_close(symbols->user);
	address_map_free(symbols->kernel);
	function_table_free(symbols->functions);
	free(symbols);
}

static struct kernel_symbols kernel_of(struct symbols *symbols)
{
	return (struct kernel_symbols){
		.arch = symbols->arch,
		.functions = symbols->functions,
		.map = symbols->kernel,
	};
}

static int finish(const struct symbols *symbols)
{
	int status = address_map_finish(symbols->kernel);

	return status ? status :
			same_names_tell_apart(symbols->functions,
					      symbols->kernel);
}

int symbols_from_text(const struct arch *arch, const char *kallsyms,
		      size_t kallsyms_size, const char *modules,
		      size_t modules_size, struct symbols **symbols)
{
	struct kernel_symbols kernel;
	int status = symbols_new(arch, symbols);

	if (status < 0)
		return status;
	(*symbols)->is_text = true;
	kernel = kernel_of(*symbols);
	status = kernel_symbols_add_kallsyms(&kernel, kallsyms, kallsyms_size);
	if (!status)
		status = kernel_symbols_add_modules(&kernel, modules,
						    modules_size);
	if (!status)
		status = finish(*symbols);
	if (status < 0) {
		symbols_close(*symbols);
		*symbols = NULL;
	}
	return status;
}

/* trace-cmd keeps it in the recording itself. */
static int read_kept_kallsyms(const struct kernel_symbols *kernel,
			      const struct recording *recording,
			      const struct log *log)
{
	struct text_part text = recording_kallsyms(recording);
	int status =
		kernel_symbols_add_kallsyms(kernel, text.text, text.size_bytes);

	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "its kallsyms has no addresses: it was recorded "
			    "without the right to see them "
			    "(kernel.kptr_restrict)");
	return status;
}

static int read_kallsyms(const struct kernel_symbols *kernel,
			 const struct recording *recording,
			 const struct log *log)
{
	const char *path = recording_kallsyms_path(recording);
	struct text_file file;
	int status;

	if (!path && recording_kallsyms(recording).text)
		return read_kept_kallsyms(kernel, recording, log);
	if (!path) {
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "holds no copy of kallsyms: kernel functions have "
			    "no names; record with ktrace-hw record or perf "
			    "record --kcore, or put the traced kernel's "
			    "/proc/kallsyms beside a snapshot.ini");
		return 0;
	}
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status =
		kernel_symbols_add_kallsyms(kernel, file.text, file.size_bytes);
	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "has no addresses: it was copied without the right "
			    "to see them (kernel.kptr_restrict)");
	text_file_free(&file);
	return status;
}

static int read_modules(const struct kernel_symbols *kernel,
			const struct recording *recording,
			const struct log *log)
{
	const char *path = recording_modules_path(recording);
	struct text_file file;
	int status;

	if (!path)
		return 0;
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status = kernel_symbols_add_modules(kernel, file.text, file.size_bytes);
	text_file_free(&file);
	return status;
}

static int read_ksymbols(const struct kernel_symbols *kernel,
			 const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_KSYMBOL));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	if (!sideband)
		return status;
	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.ksymbol.unregister)
			continue;
		status = kernel_symbols_add_named(kernel,
						  record.ksymbol.address,
						  record.ksymbol.size_bytes,
						  record.ksymbol.name);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

static int read_kernel(struct symbols *symbols,
		       const struct recording *recording, const struct log *log)
{
	const struct kernel_symbols kernel = kernel_of(symbols);
	int status = read_kallsyms(&kernel, recording, log);

	if (!status)
		status = read_modules(&kernel, recording, log);
	if (!status)
		status = read_ksymbols(&kernel, recording);
	if (!status)
		status = finish(symbols);
	return status;
}

int symbols_open(const struct recording *recording, const struct log *log,
		 struct symbols **symbols)
{
	int status = symbols_new(arch_for(recording_arch(recording)), symbols);

	if (status < 0)
		return status;
	status = read_kernel(*symbols, recording, log);
	/* What no trace needs may well be missing. */
	if (!status && recording_names_user(recording))
		status = user_space_open(
			recording, (*symbols)->functions,
			recording_traces_user(recording) ? log : NULL,
			&(*symbols)->user);
	if (status < 0) {
		symbols_close(*symbols);
		*symbols = NULL;
	}
	return status;
}

void symbols_find(const struct symbols *symbols, int32_t pid, uint64_t address,
		  struct symbol *symbol)
{
	struct symbol_range range;

	symbols_find_range(symbols, pid, address, symbol, &range);
}

void symbols_find_range(const struct symbols *symbols, int32_t pid,
			uint64_t address, struct symbol *symbol,
			struct symbol_range *range)
{
	uint64_t kernel_start = symbols->is_text ? 0 :
						   symbols->arch->kernel_start;

	if (address >= kernel_start) {
		*symbol = *address_map_find(symbols->kernel, address);
		*range = (struct symbol_range){ symbol->start, symbol->end };
		if (range->start < kernel_start)
			range->start = kernel_start;
		return;
	}
	*range = (struct symbol_range){ .end = kernel_start };
	if (symbols->user &&
	    user_space_find(symbols->user, pid, address, symbol, range))
		return;
	*symbol = (struct symbol){
		.end = kernel_start,
		.function = FUNCTION_UNKNOWN,
	};
}

const struct arch *symbols_arch(const struct symbols *symbols)
{
	return symbols->arch;
}

const struct function_table *symbols_functions(const struct symbols *symbols)
{
	return symbols->functions;
}
