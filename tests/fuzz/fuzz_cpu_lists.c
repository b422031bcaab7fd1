/* SPDX-License-Identifier: MIT */
#include "attribution/allowed_cpus.h"
#include "symbolize/symbols/symbols.h"
#include "tables/waits/idle_exits.h"
#include "tests/fuzz/fuzz.h"

/* A recording's list of the CPUs that threads may use, and of idle states. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char kernel[] = "ffffffff81000000 T schedule\n";
	struct idle_names *names = idle_names_read((const char *)bytes, size);
	struct idle_elsewhere idle = IDLE_ELSEWHERE_NONE;
	struct symbols *symbols = NULL;
	struct allowed_cpus *allowed;

	if (names)
		idle_names_find(names, 0, 1);
	idle_names_free(names);
	if (symbols_from_text(&arch_x86_64, kernel, sizeof(kernel) - 1, "", 0,
			      &symbols) < 0)
		return 0;
	allowed = allowed_cpus_new(NULL, symbols_functions(symbols));
	if (allowed &&
	    !allowed_cpus_read(allowed, (const char *)bytes, size / 2, false) &&
	    !allowed_cpus_read(allowed, (const char *)bytes + size / 2,
			       size - size / 2, true))
		idle_elsewhere_add(&idle, allowed, 1, 1,
				   (struct time_window){ 0, 100 });
	idle_elsewhere_free(&idle);
	allowed_cpus_free(allowed);
	symbols_close(symbols);
	return 0;
}
