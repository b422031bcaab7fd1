/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_SEEKABLE_H
#define KT_ARCHIVE_SEEKABLE_H

/* Zstandard's seekable format (contrib/seekable_format in zstd's sources):
 * frames that stand alone, and behind them a frame that decompressors skip,
 * with a table of their sizes: a number of frames times {compressed size, size},
 * then {number of frames, descriptor, magic}.  All are little-endian.
 */
#define SEEKABLE_SKIPPED_MAGIC 0x184d2a5eu
#define SEEKABLE_MAGIC 0x8f92eab1u

enum {
	SEEKABLE_HEADER_BYTES = 8, /* of the skipped frame */
	SEEKABLE_ENTRY_BYTES = 8, /* without checksums: frames have their own */
	SEEKABLE_FOOTER_BYTES = 9,
	SEEKABLE_FRAME_BYTES = 1 << 20, /* unpacked, of those that we write */
};

#endif
