/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine_arguments.h"

#include "cmd/console/say.h"
#include "cmd/machine/machine_script.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Paths of the recorder for a machine of another architecture: cross-built in
 * the source tree, or installed.
 */
static const char *const arm64_places[] = {
	"../build-arm64/ktrace-hw",
	"../libexec/ktrace-hw/arm64/ktrace-hw",
};

void machine_add(struct array *arguments, const char *text)
{
	const char **item = array_add(arguments);

	if (!item) {
		say("out of memory");
		exit(EXIT_MACHINE);
	}
	*item = text;
}

void machine_add_words(struct array *arguments, char *text)
{
	char *rest = text;
	const char *word;

	while ((word = strsep(&rest, " ")))
		if (*word)
			machine_add(arguments, word);
}

int machine_find_recorder(const char *arch, char path[PATH_MAX])
{
	const size_t count = sizeof(arm64_places) / sizeof(*arm64_places);
	char found[PATH_MAX];
	int length;

	if (!arch || strcmp(arch, "arm64")) {
		if (!machine_find_self(path))
			return 0;
		say("/proc/self/exe: %s", strerror(errno));
		return -1;
	}
	if (machine_find_beside(arm64_places, count, found)) {
		say("--arch arm64: the program for arm64 is not built: "
		    "scripts/arm64_sysroot.sh, then make ARCH=arm64");
		return -1;
	}
	length = snprintf(path, PATH_MAX, "/host%s", found);
	if (length < PATH_MAX)
		return 0;
	say("%s: %s", found, strerror(ENAMETOOLONG));
	return -1;
}
