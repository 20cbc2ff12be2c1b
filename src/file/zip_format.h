/*
** zip_format.h - signatures, lengths and fields of ZIP's records, for the two files about it.
*/
#pragma once

enum {
  ZIP_LOCAL = 0x04034b50, ZIP_CENTRAL = 0x02014b50, ZIP_END = 0x06054b50, ZIP_END64 = 0x06064b50,
  ZIP_LOCATOR64 = 0x07064b50
};
enum {
  ZIP_LOCAL_BYTES = 30, ZIP_CENTRAL_BYTES = 46, ZIP_END_BYTES = 22, ZIP_END64_BYTES = 56, ZIP_LOCATOR64_BYTES = 20
};
enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };
enum { ZIP_FLAG_ENCRYPTED = 1, ZIP_FLAG_UTF8 = 0x800 };
enum { ZIP_EXTRA64 = 1, ZIP_EXTRA_ALIGNED = 0xa11e }; /* extra fields: ZIP64's sizes; an alignment, then blanks */
#define ZIP_FULL16 0xffffu
#define ZIP_FULL32 0xffffffffu /* the value is in ZIP64's record */
