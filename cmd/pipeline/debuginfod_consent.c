/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/debuginfod_consent.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "symbolize/elf/elf_file.h"

#include <stdlib.h>
#include <unistd.h>

int debuginfod_consent(bool is_asked)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (is_asked && (!urls || !*urls)) {
		say("--debuginfod: no server is named: set DEBUGINFOD_URLS, as to "
		    "https://debuginfod.debian.net");
		return EXIT_USAGE;
	}
	if (is_asked)
		setenv(DEBUG_SEARCH_CONSENT, "1", 1);
	if (!debug_search_has_consent()) {
		unsetenv("DEBUGINFOD_URLS");
		return 0;
	}
	/* The client would wait three times 90 s for a server that is silent.
	 */
	setenv("DEBUGINFOD_TIMEOUT", "30", 0);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	if (isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
	return 0;
}
