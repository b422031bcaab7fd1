/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* kallsyms, and after the first zero byte the list of modules. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;
	size_t first = strnlen(text, size);
	size_t second = first < size ? first + 1 : size;
	struct symbols *symbols;
	struct symbol symbol;

	if (symbols_from_text(arch_for(RECORDING_ARCH_X86_64), text, first,
			      text + second, size - second, &symbols) < 0)
		return 0;
	symbols_find(symbols, -1, UINT64_MAX, 0xffffffff81000000, &symbol);
	symbols_find(symbols, -1, UINT64_MAX, 0x401000, &symbol);
	symbols_close(symbols);
	return 0;
}
