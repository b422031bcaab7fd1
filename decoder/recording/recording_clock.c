/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_clock.h"

#include "common/regular_file.h"
#include "decoder/recording/recording_files.h"

#include <unistd.h>

void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings)
{
	enum { MOST_BYTES = 4096 }; /* of three lines */
	char text[MOST_BYTES];
	ssize_t size;
	int fd;

	*readings = (struct clock_readings){ 0 };
	if (!recording_files(recording)->clock)
		return;
	fd = regular_file_open(recording_files(recording)->clock);
	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text));
	close(fd);
	if (size > 0)
		clock_readings_parse(readings, text, (size_t)size);
}
