/* SPDX-License-Identifier: MIT */
#include "selftest/selftest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

/* Contract: selftest_write_machine() of selftest.h. */

/* Copies the lines of /proc/cpuinfo about the first CPU's model. */
static void write_cpu(FILE *out)
{
	static const char *const keys[] = {
		"vendor_id",	"cpu family",	    "model",	  "stepping",
		"microcode",	"CPU implementer",  "CPU part",	  "CPU variant",
		"CPU revision", "CPU architecture", "model name",
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

/* Writes the first line of a file that may be absent, as the value of @name. */
static void write_value(FILE *out, const char *name, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];

	if (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		fprintf(out, "%s: %s\n", name, line);
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
			write_value(out, file, file);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Returns the identification of a CPU's CoreSight unit, which the caller frees;
 * empty or NULL: it has none.
 */
static char *unit_of(int cpu)
{
	static const char *const files[] = {
		"trcidr/trcidr0", "trcidr/trcidr1",  "trcidr/trcidr2",
		"trcidr/trcidr3", "trcidr/trcidr4",  "trcidr/trcidr5",
		"trcidr/trcidr8", "mgmt/trcdevarch", "ts_source",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < sizeof(files) / sizeof(*files); i++) {
		char path[128];

		snprintf(path, sizeof(path), DEVICES "/cs_etm/cpu%d/%s", cpu,
			 files[i]);
		write_value(out, files[i], path);
	}
	if (out)
		fclose(out);
	return text;
}

/* Writes the CoreSight trace unit of each CPU, unless it is the same as that of
 * the CPU before.
 */
static void write_units(FILE *out)
{
	const long count = sysconf(_SC_NPROCESSORS_CONF);
	char *last = NULL;

	for (int cpu = 0; cpu < count; cpu++) {
		char *text = unit_of(cpu);

		if (text && *text && (!last || strcmp(text, last) != 0))
			fprintf(out, "trace unit of CPU %d:\n%s", cpu, text);
		free(last);
		last = text;
	}
	free(last);
}

void selftest_write_machine(FILE *out)
{
	static const char *const folders[] = {
		DEVICES "/intel_pt",
		DEVICES "/intel_pt/caps",
		DEVICES "/intel_pt/format",
		DEVICES "/cs_etm",
		DEVICES "/cs_etm/format",
		DEVICES "/cs_etm/sinks",
		"/sys/devices/system/cpu/vulnerabilities",
	};
	static const char *const settings[] = {
		"/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/perf_event_mlock_kb",
		"/proc/sys/kernel/kptr_restrict",
		"/sys/kernel/security/lockdown",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"/sys/devices/system/cpu/cpuidle/current_driver",
		"/sys/module/coresight_etm4x/parameters/pm_save_enable",
	};

	write_cpu(out);
	write_kernel(out);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		write_value(out, settings[i], settings[i]);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		write_folder(out, folders[i]);
	write_units(out);
}
