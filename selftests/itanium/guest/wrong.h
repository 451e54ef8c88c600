/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one event alone can get wrong: words of the reason, and the three words of
 * the request. For a program of the host and for one of the guest.
 */
#define FILTER(n)	((unsigned long long)(n) << 40)
#define FINE		(1ULL << 43)
#define ADDR_BITS(n)	((unsigned long long)(n) << 44)
#define DATA_BITS(n)	((unsigned long long)(n) << 50)
#define TM(n)		((unsigned long long)(n) << 56)
#define PTM(n)		((unsigned long long)(n) << 58)
#define PPM(n)		((unsigned long long)(n) << 60)
#define JITTER		(1ULL << 62)
#define EAR(n, umask)	((unsigned long long)(n) << 20 | (unsigned long long)(umask) << 24)

static const struct {
	const char *rule;
	unsigned long long config, config1, config2;
} wrong[] = {
	{ "reserved bits", .config = 1ULL << 63 },
	{ "jitter=", .config = 0x08 | JITTER },
	{ "no event has this code", .config = 0x07 },
	{ "no event has this code", .config = 0xe7 },
	{ "no event has this code", .config = 0xff },
	{ "MESI", .config = 0x10012 },
	{ "MESI", .config = 0xf00dc },
	{ "never exceeded", .config = 0x1012 },
	{ "never exceeded", .config = 0x6008 },
	{ "all=", .config = 0x80e1 },
	{ "all=", .config = 0x80e3 },
	{ "all=", .config = 0x80e5 },
	{ "all=", .config = 0x80e8 },
	{ "all=", .config = 0x80f0 },
	{ "all=", .config = 0x80f1 },
	{ "all=", .config = 0x8018 },
	{ "tag channels", .config = 0x408 },
	{ "ear_umask=", .config = 0x1c8 | EAR(1, 0) },
	{ "give ear=", .config = 0xc8 },
	{ "give ear=", .config = 0x43 },
	{ "no such capture unit", .config = 0xc8 | EAR(7, 0) },
	{ "no such capture unit", .config = 0xc8 | EAR(15, 0) },
	{ "without ear=", .config = 0x12 | EAR(0, 1) },
	{ "ip_delay=", .config = 0x12 | 1ULL << 32 },
	{ "ip_delay=", .config = 0xc8 | EAR(1, 0) | 1ULL << 32 },
	{ "event=0xc8", .config = 0x12 | EAR(1, 0) },
	{ "event=0xc8", .config = 0x43 | EAR(2, 2) },
	{ "event=0x43", .config = 0xc8 | EAR(4, 0) },
	{ "event=0x43", .config = 0x12 | EAR(5, 1) },
	{ "tables 3-16", .config = 0xc8 | EAR(1, 0xb) },
	{ "tables 3-16", .config = 0xc8 | EAR(1, 0x10) },
	{ "tables 3-16", .config = 0xc8 | EAR(2, 0x1) },
	{ "tables 3-16", .config = 0xc8 | EAR(3, 0x1) },
	{ "tables 3-16", .config = 0x43 | EAR(5, 0x8) },
	{ "tables 3-16", .config = 0x12 | EAR(6, 0x1) },
	{ "captures nothing", .config = 0xc8 | EAR(2, 0) },
	{ "captures nothing", .config = 0x43 | EAR(5, 0) },
	{ "table 3-16", .config = 0x43 | EAR(4, 0x81) },
	{ "table 3-16", .config = 0x43 | EAR(4, 0x3f) },
	{ "table 3-16", .config = 0x43 | EAR(4, 0xfd) },
	{ "IP-EAR replaces", .config = 0x11 | EAR(6, 0) },
	{ "belong to filter=", .config = 0x08, .config1 = 1 },
	{ "belong to filter=", .config = 0x08, .config2 = 1 },
	{ "by opcode", .config = 0x40 | FILTER(1), .config1 = 15ULL << 41 },
	{ "41 bits", .config = 0x08 | FILTER(1), .config1 = 1ULL << 45 },
	{ "41 bits", .config = 0x08 | FILTER(1), .config1 = 15ULL << 41, .config2 = 1ULL << 41 },
	{ "opc_type=0", .config = 0x08 | FILTER(1), .config1 = 1 },
	{ "opc_mask=", .config = 0x08 | FILTER(1), .config1 = 1 | 15ULL << 41, .config2 = 1 },
	{ "by instruction address", .config = 0x49 | FILTER(2) },
	{ "by the kind of fetch", .config = 0x41 | FILTER(2) },
	{ "by data address", .config = 0x08 | FILTER(4) },
	{ "56 bits", .config = 0x08 | FILTER(2), .config2 = 1ULL << 56 },
	{ "size has ignored", .config = 0x08 | FILTER(2), .config1 = 0x10, .config2 = 0xff },
	{ "bundle", .config = 0x08 | FILTER(2), .config1 = 8 },
	{ "the group's leader", .config = 0x08 | FILTER(3), .config1 = 15ULL << 41 },
	{ "no room for an address", .config = 0xc7 | FILTER(5), .config1 = 15ULL << 41 },
	{ "no room for an address", .config = 0xc7 | FILTER(7), .config1 = 15ULL << 41 },
	{ "fine=1 is for", .config = 0x08 | FINE },
	{ "fine=1 is for", .config = 0xc7 | FILTER(4) | FINE },
	{ "fine=1 is for", .config = 0xc7 | FILTER(6) | FINE },
	{ "channels 2 and 3", .config = 0x208 | FILTER(2) | FINE, .config1 = 0x10,
	  .config2 = 0x20 },
	{ "multiples of 32", .config = 0x08 | FILTER(2) | FINE, .config1 = 0x30, .config2 = 0x60 },
	{ "multiples of 32", .config = 0x08 | FILTER(2) | FINE, .config1 = 0x20, .config2 = 0x50 },
	{ "within 64 KiB", .config = 0x08 | FILTER(2) | FINE, .config1 = 0x20, .config2 = 0x20 },
	{ "within 64 KiB", .config = 0x08 | FILTER(2) | FINE, .config1 = 0x20, .config2 = 0x10020 },
	{ "second pair", .config = 0x08 | FILTER(2) | FINE, .config1 = 0x10000,
	  .config2 = 0x10040 },
	{ "no filter= or ear=", .config = 0x80cd | FILTER(2), .config1 = 0x4000 },
	{ "no filter= or ear=", .config = 0x80cd | FILTER(4), .config1 = 0x4000 },
	{ "no filter= or ear=", .config = 0x8008 | FILTER(1), .config1 = 15ULL << 41 },
	{ "no filter= or ear=", .config = 0x80c8 | EAR(1, 0) },
	{ "with a branch stack", .config = 0x08 | TM(1) },
	{ "with a branch stack", .config = 0x08 | PTM(1) },
	{ "with a branch stack", .config = 0x12 | EAR(6, 0) | PPM(1) },
	{ "captures nothing (3.3.10", .config = 0x11 | PTM(1) | PPM(1) },
	{ "for filter=6", .config = 0x08 | FILTER(2) | ADDR_BITS(4) },
	{ "for filter=6", .config = 0xc7 | FILTER(4) | DATA_BITS(4) },
	{ "takes the ranges' sizes", .config = 0xc7 | FILTER(6) | ADDR_BITS(4) },
	{ "takes the ranges' sizes", .config = 0xc7 | FILTER(6) | DATA_BITS(4) },
	{ "by data address", .config = 0x08 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) },
	{ "56 bits", .config = 0xc7 | FILTER(6) | ADDR_BITS(57) | DATA_BITS(4) },
	{ "size has ignored", .config = 0xc7 | FILTER(6) | ADDR_BITS(5) | DATA_BITS(4),
	  .config2 = 8 },
};
