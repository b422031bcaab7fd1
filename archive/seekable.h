/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_SEEKABLE_H
#define KT_ARCHIVE_SEEKABLE_H

/* Zstandard's seekable format (contrib/seekable_format in zstd's sources):
 * independent frames, followed by a frame that decompressors skip, with a table
 * of their sizes: for each frame {compressed size, size}, then {number of
 * frames, descriptor, magic}. All numbers are little-endian.
 */
#define SEEKABLE_SKIPPED_MAGIC 0x184d2a5eu
#define SEEKABLE_MAGIC 0x8f92eab1u

enum {
	SEEKABLE_HEADER_BYTES = 8, /* of the skipped frame */
	SEEKABLE_ENTRY_BYTES = 8, /* without checksums: frames have their own */
	SEEKABLE_FOOTER_BYTES = 9,
	/* unpacked size of the frames that we write */
	SEEKABLE_FRAME_BYTES = 1 << 20,
};

#endif
