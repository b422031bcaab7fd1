/* SPDX-License-Identifier: MIT */
#include "selftest/selftest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

/* Copies the lines of /proc/cpuinfo about the first CPU's model. */
static void write_cpu(FILE *out)
{
	static const char *const keys[] = {
		"vendor_id",	"cpu family",	   "model",    "stepping",
		"microcode",	"CPU implementer", "CPU part", "CPU variant",
		"CPU revision", "CPU architecture"
	};
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file) && *line != '\n')
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (!strncmp(line, keys[i], strlen(keys[i])))
				fputs(line, out);
	if (file)
		fclose(file);
	fprintf(out, "CPUs: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static void write_kernel(FILE *out)
{
	struct utsname name;

	if (!uname(&name))
		fprintf(out, "kernel: %s %s, %s\n", name.release, name.version,
			name.machine);
}

static void write_setting(FILE *out, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];

	if (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		fprintf(out, "%s: %s\n", path, line);
	}
	if (file)
		fclose(file);
}

/* Writes the one-line files of a folder of sysfs, in order of their names. */
static void write_folder(FILE *out, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char file[512];

		if (entries[i]->d_type == DT_REG) {
			snprintf(file, sizeof(file), "%s/%s", path,
				 entries[i]->d_name);
			write_setting(out, file);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

void selftest_write_machine(FILE *out)
{
	static const char *const folders[] = {
		DEVICES "/intel_pt",	    DEVICES "/intel_pt/caps",
		DEVICES "/intel_pt/format", DEVICES "/cs_etm",
		DEVICES "/cs_etm/format",
	};
	static const char *const settings[] = {
		"/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/perf_event_mlock_kb",
		"/proc/sys/kernel/kptr_restrict",
		"/sys/kernel/security/lockdown",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"/sys/devices/system/cpu/cpuidle/current_driver",
	};

	write_cpu(out);
	write_kernel(out);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		write_setting(out, settings[i]);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		write_folder(out, folders[i]);
}
