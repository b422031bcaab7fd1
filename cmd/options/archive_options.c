/* SPDX-License-Identifier: MIT */
#include "cmd/options/archive_options.h"

#include "cmd/command.h"
#include "cmd/console/next_option.h"
#include "cmd/console/say.h"

#include <getopt.h>
#include <stdio.h>

enum { UNPACK = 256, KEEP_STACKS, NO_FILES, SYMFS };

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
	{ "unpack", required_argument, NULL, UNPACK },
	{ "keep-stacks", no_argument, NULL, KEEP_STACKS },
	{ "no-files", no_argument, NULL, NO_FILES },
	{ "symfs", required_argument, NULL, SYMFS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktrace-hw archive [OPTION]...\n"
	"       ktrace-hw archive --unpack FILE [-o DIR]\n"
	"\n"
	"Packs a recording and the files of the traced programs into one file,\n"
	"which all commands read (-i FILE) and tar(1) unpacks.\n"
	"\n"
	"  -i, --input DIR    the recording (default: the last one here)\n"
	"  -o, --output FILE  the archive (default: named after the recording)\n"
	"  --keep-stacks      keep whole copies of user stacks; otherwise only the\n"
	"                     addresses in them, as the other data may be secret\n"
	"  --no-files         leave out the files of the traced programs\n"
	"  --symfs DIR        find these files below DIR\n"
	"  --unpack FILE      unpack an archive to a recording\n";

static int take(struct archive_options *options, int option)
{
	switch (option) {
	case 'i':
		options->input = optarg;
		return 0;
	case 'o':
		options->output = optarg;
		return 0;
	case UNPACK:
		options->unpacked = optarg;
		return 0;
	case KEEP_STACKS:
		options->keeps_stacks = true;
		return 0;
	case NO_FILES:
		options->without_files = true;
		return 0;
	case SYMFS:
		options->symfs = optarg;
		return 0;
	case 'h':
		fputs(usage, stdout);
		return EXIT_OK + 1;
	default:
		return EXIT_USAGE + 1;
	}
}

int archive_options_read(struct archive_options *options, int argc, char **argv)
{
	int option;
	int status = 0;

	*options = (struct archive_options){ 0 };
	optind = 1;
	while (!status &&
	       (option = next_option(argc, argv, "i:o:h", long_options)) != -1)
		status = take(options, option);
	if (status || optind == argc)
		return status;
	say_of("archive", "'%s': name the recording with -i", argv[optind]);
	return EXIT_USAGE + 1;
}
