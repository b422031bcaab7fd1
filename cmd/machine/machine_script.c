/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine_script.h"

#include "cmd/console/say.h"
#include "cmd/machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {
	"../machine/host/machine",
	"../libexec/ktrace-hw/host/machine",
};

int machine_find_self(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (length < 0)
		return -1;
	path[length] = '\0';
	return 0;
}

int machine_find_beside(const char *const *names, size_t count,
			char path[PATH_MAX])
{
	char self[PATH_MAX];
	char beside[PATH_MAX + 64];

	if (machine_find_self(self))
		return -1;
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < count; i++) {
		snprintf(beside, sizeof(beside), "%s/%s", self, names[i]);
		if (!access(beside, X_OK) && realpath(beside, path))
			return 0;
	}
	return -1;
}

static int find_script(char script[PATH_MAX])
{
	return machine_find_beside(places, sizeof(places) / sizeof(*places),
				   script);
}

bool machine_is_installed(void)
{
	char script[PATH_MAX];

	return !find_script(script);
}

int machine_script_run(char **argv)
{
	char script[PATH_MAX];

	if (find_script(script)) {
		say("the virtual machine is not installed: "
		    "machine/host/machine is missing beside the program");
		return EXIT_MACHINE;
	}
	argv[0] = script;
	execv(script, argv);
	say("%s: %s", script, strerror(errno));
	return EXIT_MACHINE;
}
