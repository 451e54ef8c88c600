/*
 * Events of the guide's chapter 2: code, extended select, counters, increments
 * per cycle, unit mask bits; and those of later generations.
 *
 * LIST: events that are only in Intel's list for this processor (Linux,
 * tools/perf/pmu-events/arch/x86/jaketown), which has no increments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "uncore.h"

/* Counters, as in column "Ctrs" */
#define C0      0x1
#define C0_1    0x3
#define C0_2    0x7
#define C0_3    0xf
#define C1_3    0xe
#define C2      0x4
#define C2_3    0xc

/* code, name, counters, max increment */
#define PLAIN(c, n, r, i) \
    { .name = n, .code = c, .ctrs = r, .max_inc = i }
#define PLAIN_EXT(c, n, r, i) \
    { .name = n, .code = c, .ext = 1, .ctrs = r, .max_inc = i }
#define CLOCK(c, n, r, k) \
    { .name = n, .code = c, .ctrs = r, .max_inc = 1, .clock = k }
/* code, name, counters, max increment, unit mask bits */
#define BITS(c, n, r, i, u) \
    { .name = n, .code = c, .ctrs = r, .max_inc = i, \
      .umask = UNCORE_UM_BITS, .umask_bits = u }
#define BITS_EXT(c, n, r, i, u) \
    { .name = n, .code = c, .ext = 1, .ctrs = r, .max_inc = i, \
      .umask = UNCORE_UM_BITS, .umask_bits = u }
/* counters r in table and event list, k in a note: r support the event */
#define RING(c, n, r, k) \
    { .name = n, .code = c, .ctrs = r, .note_ctrs = k, .max_inc = 1, \
      .umask = UNCORE_UM_BITS, .umask_bits = 0x0f }
#define BAND(c, n, f) \
    { .name = n, .code = c, .ctrs = C0_3, .max_inc = 1, .filter = f }
#define PCU_STATES(r) \
    { .name = "POWER_STATE_OCCUPANCY", .code = 0x80, .ctrs = r, \
      .max_inc = 8, .umask = UNCORE_UM_OCC_SEL, .umask_bits = 0xc0 }
/* Only in Intel's list; i: maximum increment of an injection */
#define LIST(c, n, r, i, u) \
    { .name = n, .code = c, .ctrs = r, .max_inc = i, .max_inc_blank = true, \
      .umask = UNCORE_UM_BITS, .umask_bits = u, .list = true }
#define END { .name = NULL }

/* Tables 2-6 and 2-7 */
static const UncoreEvent ubox_events[] = {
    BITS(0x42, "EVENT_MSG", C0_1, 1, 0x1f),
    PLAIN(0x44, "LOCK_CYCLES", C0_1, 1),
    /*
     * Lists up to Linux 6.1 have an extended select for the last three, which
     * table 2-2 reserves; newer ones, and later processors, do not.
     */
    LIST(0x41, "FILTER_MATCH", C0_1, 1, 0x0f),
    LIST(0x43, "U2C_EVENTS", C0_1, 1, 0xff),
    LIST(0x45, "PHOLD_CYCLES", C0_1, 1, 0x03),
    LIST(0x46, "RACU_REQUESTS", C0_1, 1, 0x01),
    LIST(0x47, "MSG_CHNL_SIZE_COUNT", C0_1, 1, 0x03),
    END
};

/* Table 2-30 */
static const uint8_t tor_insert_values[] = {
    0x01, 0x04, 0x10, 0x03, 0x0a, 0x41, 0x44, 0x48, 0x50, 0x43, 0x4a, 0
};
/* Table 2-31 */
static const uint8_t tor_occupancy_values[] = {
    0x01, 0x04, 0x08, 0x03, 0x0a, 0x41, 0x44, 0x48, 0x43, 0x4a, 0
};

/* Tables 2-14 and 2-16 to 2-32 */
static const UncoreEvent cbox_events[] = {
    CLOCK(0x00, "CLOCKTICKS", C0_3, UNCORE_UCLK),
    BITS(0x02, "TxR_INSERTS", C0_1, 1, 0x7f),
    PLAIN(0x04, "TxR_ADS_USED", C0_1, 1),
    BITS(0x05, "RING_BOUNCES", C0_1, 1, 0x0e),
    PLAIN(0x07, "RING_SRC_THRTL", C0_1, 1),
    BITS(0x11, "RxR_OCCUPANCY", C0, 20, 0x17),
    BITS(0x12, "RxR_EXT_STARVED", C0_1, 1, 0x0f),
    BITS(0x13, "RxR_INSERTS", C0_1, 1, 0x17),
    BITS(0x1b, "RING_AD_USED", C2_3, 1, 0x0f),
    BITS(0x1c, "RING_AK_USED", C2_3, 1, 0x0f),
    BITS(0x1d, "RING_BL_USED", C2_3, 1, 0x0f),
    BITS(0x1e, "RING_IV_USED", C2_3, 1, 0x0f),
    PLAIN(0x1f, "COUNTER0_OCCUPANCY", C1_3, 20),
    PLAIN(0x21, "ISMQ_DRD_MISS_OCC", C0_1, 20),
    BITS(0x31, "RxR_IPQ_RETRY", C0_1, 1, 0x17),
    BITS(0x32, "RxR_IRQ_RETRY", C0_1, 1, 0x1f),
    BITS(0x33, "RxR_ISMQ_RETRY", C0_1, 1, 0x3b),
    { .name = "LLC_LOOKUP", .code = 0x34, .ctrs = C0_1, .max_inc = 1,
      .umask = UNCORE_UM_LOOKUP, .umask_bits = 0x4f,
      /* ANY of libpfm4 */
      .list_umask = 0x1f },
    { .name = "TOR_INSERTS", .code = 0x35, .ctrs = C0_1, .max_inc = 1,
      .umask = UNCORE_UM_TOR, .umask_bits = 0x5f,
      .umask_values = tor_insert_values },
    { .name = "TOR_OCCUPANCY", .code = 0x36, .ctrs = C0, .max_inc = 20,
      .umask = UNCORE_UM_TOR, .umask_bits = 0x4f,
      .umask_values = tor_occupancy_values },
    { .name = "LLC_VICTIMS", .code = 0x37, .ctrs = C0_1, .max_inc = 1,
      .umask = UNCORE_UM_VICTIMS, .umask_bits = 0x4f },
    BITS(0x39, "MISC", C0_1, 1, 0x0f),
    LIST(0x03, "TxR_STARVED", C0_1, 1, 0x06),
    LIST(0x06, "RING_SINK_STARVED", C0_1, 1, 0x0f),
    LIST(0x14, "RxR_INT_STARVED", C0_1, 1, 0x0d),
    END
};

/* Tables 2-40 and 2-42 to 2-58 */
static const UncoreEvent ha_events[] = {
    CLOCK(0x00, "CLOCKTICKS", C0_3, UNCORE_UCLK),
    BITS(0x01, "REQUESTS", C0_3, 1, 0x0f),
    BITS(0x06, "TRACKER_INSERTS", C0_3, 1, 0x03),
    BITS(0x0b, "CONFLICT_CYCLES", C0_3, 1, 0x03),
    BITS(0x0c, "DIRECTORY_LOOKUP", C0_3, 1, 0x03),
    BITS(0x0d, "DIRECTORY_UPDATE", C0_3, 1, 0x03),
    PLAIN(0x0e, "TxR_AK_NDR", C0_3, 1),
    BITS(0x0f, "TxR_AD", C0_3, 1, 0x03),
    BITS(0x10, "TxR_BL", C0_3, 1, 0x07),
    PLAIN(0x11, "DIRECT2CORE_COUNT", C0_3, 1),
    PLAIN(0x12, "DIRECT2CORE_CYCLES_DISABLED", C0_3, 1),
    PLAIN(0x13, "DIRECT2CORE_TXN_OVERRIDE", C0_3, 1),
    BITS(0x15, "RPQ_CYCLES_NO_REG_CREDITS", C0_3, 4, 0x0f),
    BITS(0x18, "WPQ_CYCLES_NO_REG_CREDITS", C0_3, 4, 0x0f),
    BITS(0x1a, "IMC_WRITES", C0_3, 1, 0x0f),
    BITS(0x1b, "TAD_REQUESTS_G0", C0_3, 2, 0xff),
    BITS(0x1c, "TAD_REQUESTS_G1", C0_3, 2, 0x0f),
    PLAIN(0x1e, "IMC_RETRY", C0_3, 1),
    { .name = "ADDR_OPC_MATCH", .code = 0x20, .ctrs = C0_3, .max_inc = 1,
      .umask = UNCORE_UM_BITS, .umask_bits = 0x03,
      .filter = UNCORE_F_HA_MATCH },
    BITS(0x22, "IGR_NO_CREDIT_CYCLES", C0_3, 1, 0x0f),
    BITS(0x2a, "TxR_AD_CYCLES_FULL", C0_3, 1, 0x03),
    BITS(0x32, "TxR_AK_CYCLES_FULL", C0_3, 1, 0x03),
    BITS(0x36, "TxR_BL_CYCLES_FULL", C0_3, 1, 0x03),
    LIST(0x14, "BYPASS_IMC", C0_3, 1, 0x03),
    LIST(0x16, "RPQ_CYCLES_NO_SPEC_CREDITS", C0_3, 4, 0x0f),
    LIST(0x19, "WPQ_CYCLES_NO_SPEC_CREDITS", C0_3, 4, 0x0f),
    LIST(0x27, "TxR_AD_INSERTS", C0_3, 1, 0x03),
    LIST(0x28, "TxR_AD_OCCUPANCY", C0_3, 32, 0x03),
    LIST(0x29, "TxR_AD_CYCLES_NE", C0_3, 1, 0x03),
    LIST(0x2f, "TxR_AK_INSERTS", C0_3, 1, 0x03),
    LIST(0x30, "TxR_AK_OCCUPANCY", C0_3, 32, 0x03),
    LIST(0x31, "TxR_AK_CYCLES_NE", C0_3, 1, 0x03),
    LIST(0x33, "TxR_BL_INSERTS", C0_3, 1, 0x03),
    LIST(0x34, "TxR_BL_OCCUPANCY", C0_3, 32, 0x03),
    LIST(0x35, "TxR_BL_CYCLES_NE", C0_3, 1, 0x03),
    LIST(0x3e, "RING_AD_USED", C0_3, 1, 0x0f),
    LIST(0x3f, "RING_AK_USED", C0_3, 1, 0x0f),
    LIST(0x40, "RING_BL_USED", C0_3, 1, 0x0f),
    END
};

/* Tables 2-64 and 2-66 to 2-72 */
static const UncoreEvent imc_events[] = {
    PLAIN(0x01, "ACT_COUNT", C0_3, 1),
    BITS(0x02, "PRE_COUNT", C0_3, 1, 0x03),
    BITS(0x04, "CAS_COUNT", C0_3, 1, 0x0f),
    BITS(0x05, "DRAM_REFRESH", C0_3, 1, 0x06),
    PLAIN(0x06, "DRAM_PRE_ALL", C0_3, 1),
    BITS(0x07, "MAJOR_MODES", C0_3, 1, 0x0f),
    BITS(0x08, "PREEMPTION", C0_3, 1, 0x03),
    PLAIN(0x09, "ECC_CORRECTABLE_ERRORS", C0_3, 1),
    PLAIN(0x10, "RPQ_INSERTS", C0_3, 1),
    PLAIN(0x11, "RPQ_CYCLES_NE", C0_3, 1),
    PLAIN(0x12, "RPQ_CYCLES_FULL", C0_3, 1),
    PLAIN(0x20, "WPQ_INSERTS", C0_3, 1),
    PLAIN(0x21, "WPQ_CYCLES_NE", C0_3, 1),
    PLAIN(0x22, "WPQ_CYCLES_FULL", C0_3, 1),
    PLAIN(0x23, "WPQ_READ_HIT", C0_3, 1),
    PLAIN(0x24, "WPQ_WRITE_HIT", C0_3, 1),
    BITS(0x41, "POWER_THROTTLE_CYCLES", C0_3, 1, 0xff),
    { .name = "POWER_SELF_REFRESH", .code = 0x43, .ctrs = C0_3, .max_inc = 1,
      .max_inc_blank = true },
    PLAIN(0x80, "RPQ_OCCUPANCY", C0_3, 22),
    PLAIN(0x81, "WPQ_OCCUPANCY", C0_3, 32),
    BITS(0x83, "POWER_CKE_CYCLES", C0_3, 16, 0xff),
    PLAIN(0x84, "POWER_CHANNEL_DLLOFF", C0_3, 1),
    PLAIN(0x85, "POWER_CHANNEL_PPD", C0_3, 4),
    PLAIN(0x86, "POWER_CRITICAL_THROTTLE_CYCLES", C0_3, 1),
    /* CLOCKTICKS in the list; this is its name in v2's list */
    { .name = "DCLOCKTICKS", .code = 0x00, .ctrs = C0_3, .max_inc = 1,
      .clock = UNCORE_DCLK, .list = true },
    END
};

/* Tables 2-81 and 2-83 */
static const UncoreEvent pcu_events[] = {
    CLOCK(0x00, "CLOCKTICKS", C0_3, UNCORE_PCLK),
    PLAIN(0x01, "VOLT_TRANS_CYCLES_INCREASE", C0_3, 1),
    PLAIN(0x02, "VOLT_TRANS_CYCLES_DECREASE", C0_3, 1),
    PLAIN(0x03, "VOLT_TRANS_CYCLES_CHANGE", C0_3, 1),
    PLAIN(0x04, "FREQ_MAX_LIMIT_THERMAL_CYCLES", C0_3, 1),
    PLAIN(0x05, "FREQ_MAX_POWER_CYCLES", C0_3, 1),
    PLAIN(0x06, "FREQ_MAX_OS_CYCLES", C0_3, 1),
    PLAIN(0x07, "FREQ_MAX_CURRENT_CYCLES", C0_3, 1),
    PLAIN(0x09, "PROCHOT_INTERNAL_CYCLES", C0_3, 1),
    PLAIN(0x0a, "PROCHOT_EXTERNAL_CYCLES", C0_3, 1),
    BAND(0x0b, "FREQ_BAND0_CYCLES", UNCORE_F_BAND0),
    BAND(0x0c, "FREQ_BAND1_CYCLES", UNCORE_F_BAND1),
    BAND(0x0d, "FREQ_BAND2_CYCLES", UNCORE_F_BAND2),
    BAND(0x0e, "FREQ_BAND3_CYCLES", UNCORE_F_BAND3),
    /*
     * The guide lists PCUFilter[7:0] as filter of seven of these, without a
     * meaning. Not modelled.
     */
    PLAIN(0x1e, "DEMOTIONS_CORE0", C0_3, 1),
    PLAIN(0x1f, "DEMOTIONS_CORE1", C0_3, 1),
    PLAIN(0x20, "DEMOTIONS_CORE2", C0_3, 1),
    PLAIN(0x21, "DEMOTIONS_CORE3", C0_3, 1),
    PLAIN(0x22, "DEMOTIONS_CORE4", C0_3, 1),
    PLAIN(0x23, "DEMOTIONS_CORE5", C0_3, 1),
    PLAIN(0x24, "DEMOTIONS_CORE6", C0_3, 1),
    PLAIN(0x25, "DEMOTIONS_CORE7", C0_3, 1),
    PLAIN(0x2f, "MEMORY_PHASE_SHEDDING_CYCLES", C0_3, 1),
    PLAIN(0x32, "VR_HOT_CYCLES", C0_3, 1),
    PCU_STATES(C0_3),
    PLAIN_EXT(0x00, "FREQ_TRANS_CYCLES", C0_3, 1),
    PLAIN_EXT(0x01, "FREQ_MIN_IO_P_CYCLES", C0_3, 1),
    PLAIN_EXT(0x02, "FREQ_MIN_PERF_P_CYCLES", C0_3, 1),
    PLAIN_EXT(0x03, "CORE0_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x04, "CORE1_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x05, "CORE2_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x06, "CORE3_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x07, "CORE4_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x08, "CORE5_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x09, "CORE6_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x0a, "CORE7_TRANSITION_CYCLES", C0_3, 1),
    PLAIN_EXT(0x0b, "TOTAL_TRANSITION_CYCLES", C0_3, 1),
    END
};

/* Tables 2-94 and 2-96 to 2-103 */
static const UncoreEvent qpi_events[] = {
    BITS(0x00, "TxL_FLITS_G0", C0_3, 2, 0x07),
    BITS(0x01, "RxL_FLITS_G0", C0_3, 2, 0x07),
    PLAIN(0x04, "TxL_INSERTS", C0_3, 1),
    PLAIN(0x05, "TxL_BYPASSED", C0_3, 1),
    PLAIN(0x06, "TxL_CYCLES_NE", C0_3, 1),
    /* Not 1 as in table 2-94: the queue has several entries. */
    { .name = "TxL_OCCUPANCY", .code = 0x07, .ctrs = C0_3, .max_inc = 128,
      .max_inc_blank = true },
    PLAIN(0x08, "RxL_INSERTS", C0_3, 1),
    PLAIN(0x09, "RxL_BYPASSED", C0_3, 1),
    PLAIN(0x0a, "RxL_CYCLES_NE", C0_3, 1),
    PLAIN(0x0b, "RxL_OCCUPANCY", C0_3, 128),
    PLAIN(0x0c, "TxL0_POWER_CYCLES", C0_3, 1),
    PLAIN(0x0d, "TxL0P_POWER_CYCLES", C0_3, 1),
    PLAIN(0x0f, "RxL0_POWER_CYCLES", C0_3, 1),
    PLAIN(0x10, "RxL0P_POWER_CYCLES", C0_3, 1),
    PLAIN(0x12, "L1_POWER_CYCLES", C0_3, 1),
    BITS(0x13, "DIRECT2CORE", C0_3, 1, 0x0f),
    CLOCK(0x14, "CLOCKTICKS", C0_3, UNCORE_QFCLK),
    BITS_EXT(0x00, "TxL_FLITS_G1", C0_3, 2, 0x1f),
    BITS_EXT(0x01, "TxL_FLITS_G2", C0_3, 2, 0x1f),
    BITS_EXT(0x02, "RxL_FLITS_G1", C0_3, 2, 0x1f),
    BITS_EXT(0x03, "RxL_FLITS_G2", C0_3, 2, 0x1f),
    PLAIN_EXT(0x09, "RxL_INSERTS_DRS", C0_3, 1),
    PLAIN_EXT(0x0a, "RxL_INSERTS_NCB", C0_3, 1),
    PLAIN_EXT(0x0b, "RxL_INSERTS_NCS", C0_3, 1),
    PLAIN_EXT(0x0c, "RxL_INSERTS_HOM", C0_3, 1),
    PLAIN_EXT(0x0d, "RxL_INSERTS_SNP", C0_3, 1),
    PLAIN_EXT(0x0e, "RxL_INSERTS_NDR", C0_3, 1),
    PLAIN_EXT(0x15, "RxL_OCCUPANCY_DRS", C0_3, 128),
    PLAIN_EXT(0x16, "RxL_OCCUPANCY_NCB", C0_3, 128),
    PLAIN_EXT(0x17, "RxL_OCCUPANCY_NCS", C0_3, 128),
    PLAIN_EXT(0x18, "RxL_OCCUPANCY_HOM", C0_3, 128),
    PLAIN_EXT(0x19, "RxL_OCCUPANCY_SNP", C0_3, 128),
    PLAIN_EXT(0x1a, "RxL_OCCUPANCY_NDR", C0_3, 128),
    PLAIN_EXT(0x1b, "VNA_CREDIT_RETURN_OCCUPANCY", C0_3, 128),
    PLAIN_EXT(0x1c, "VNA_CREDIT_RETURNS", C0_3, 1),
    PLAIN_EXT(0x1d, "RxL_CREDITS_CONSUMED_VNA", C0_3, 1),
    BITS_EXT(0x1e, "RxL_CREDITS_CONSUMED_VN0", C0_3, 1, 0x3f),
    { .name = "CTO_COUNT", .code = 0x38, .ext = 1, .ctrs = C0_3,
      .max_inc = 2, .filter = UNCORE_F_QPI_MATCH },
    LIST(0x02, "TxL_CRC_NO_CREDITS", C0_3, 1, 0x03),
    LIST(0x03, "RxL_CRC_ERRORS", C0_3, 1, 0x03),
    LIST(0x35, "RxL_STALLS", C0_3, 1, 0xff),
    END
};

/*
 * Tables 2-108 and 2-110 to 2-116. Ring events: counters 2 and 3 in a note of
 * 2.8.2, 0-3 in table and event list.
 */
static const UncoreEvent r2pcie_events[] = {
    CLOCK(0x01, "CLOCKTICKS", C0_3, UNCORE_UCLK),
    RING(0x07, "RING_AD_USED", C0_3, C2_3),
    RING(0x08, "RING_AK_USED", C0_3, C2_3),
    RING(0x09, "RING_BL_USED", C0_3, C2_3),
    RING(0x0a, "RING_IV_USED", C0_3, C2_3),
    BITS(0x10, "RxR_CYCLES_NE", C0_1, 1, 0x38),
    PLAIN(0x12, "RxR_AK_BOUNCES", C0, 1),
    BITS(0x23, "TxR_CYCLES_NE", C0, 1, 0x07),
    /* its unit masks (table 2-117) are not in the guide */
    PLAIN(0x24, "TxR_INSERTS", C0, 1),
    BITS(0x25, "TxR_CYCLES_FULL", C0, 1, 0x07),
    LIST(0x26, "TxR_NACKS", C0_1, 1, 0x07),
    LIST(0x32, "IIO_CREDITS_USED", C0_1, 1, 0x38),
    LIST(0x33, "IIO_CREDITS_ACQUIRED", C0_1, 1, 0x38),
    LIST(0x34, "IIO_CREDITS_REJECT", C0_1, 1, 0x38),
    END
};

/*
 * Tables 2-122 and 2-124 to 2-141; the unit masks of 0x23 to 0x26 (tables
 * 2-135 to 2-138) are not in the guide. Ring events as in R2PCIe.
 */
static const UncoreEvent r3qpi_events[] = {
    { .name = "CLOCKTICKS", .code = 0x01, .ctrs = C0_2, .max_inc = 1,
      .max_inc_blank = true, .clock = UNCORE_UCLK },
    RING(0x07, "RING_AD_USED", C0_2, C2),
    RING(0x08, "RING_AK_USED", C0_2, C2),
    RING(0x09, "RING_BL_USED", C0_2, C2),
    RING(0x0a, "RING_IV_USED", C0_2, C2),
    BITS(0x10, "RxR_CYCLES_NE", C0_1, 1, 0x3f),
    BITS(0x11, "RxR_INSERTS", C0_1, 1, 0x3f),
    BITS(0x12, "RxR_BYPASSED", C0_1, 1, 0x01),
    BITS(0x13, "RxR_OCCUPANCY", C0, 32, 0x3f),
    BITS(0x20, "IIO_CREDITS_ACQUIRED", C0_1, 1, 0x38),
    BITS(0x21, "IIO_CREDITS_REJECT", C0_1, 1, 0x38),
    BITS(0x22, "IIO_CREDITS_USED", C0_1, 1, 0x38),
    PLAIN(0x23, "TxR_CYCLES_NE", C0_1, 1),
    PLAIN(0x24, "TxR_INSERTS", C0_1, 1),
    PLAIN(0x25, "TxR_CYCLES_FULL", C0_1, 1),
    PLAIN(0x26, "TxR_NACK", C0_1, 1),
    PLAIN(0x31, "VNA_CREDIT_CYCLES_OUT", C0_1, 1),
    PLAIN(0x32, "VNA_CREDIT_CYCLES_USED", C0_1, 1),
    PLAIN(0x33, "VNA_CREDITS_ACQUIRED", C0_1, 4),
    BITS(0x34, "VNA_CREDITS_REJECT", C0_1, 1, 0x3f),
    BITS(0x36, "VN0_CREDITS_USED", C0_1, 1, 0x3f),
    BITS(0x37, "VN0_CREDITS_REJECT", C0_1, 1, 0x3f),
    END
};

static const UncoreEvent none[] = { END };

static const UncoreEvent *const first[UNCORE_KINDS] = {
    [UNCORE_UBOX] = ubox_events, [UNCORE_CBOX] = cbox_events,
    [UNCORE_HA] = ha_events, [UNCORE_IMC] = imc_events,
    [UNCORE_PCU] = pcu_events, [UNCORE_QPI] = qpi_events,
    [UNCORE_R2PCIE] = r2pcie_events, [UNCORE_R3QPI] = r3qpi_events,
    [UNCORE_SBOX] = none, [UNCORE_IRP] = none,
};

/* v2 to v4: no document but Intel's lists */
static const struct {
    UncoreKind kind;
    uint32_t ctrs, umask_bits;
    UncoreEvent event;
} later[] = {
#define LATER(box, c, x, n, r, u, i, how, clk, match) \
    { UNCORE_##box, r, u, { \
        .name = n, .code = c, .ext = x, .max_inc = i, .max_inc_blank = true, \
        .umask = UNCORE_UM_##how, .clock = UNCORE_##clk, \
        .filter = UNCORE_F_##match, \
    } },
#include "uncore-later.def"
#undef LATER
};

const UncoreEvent *uncore_events(unsigned generation, UncoreKind kind)
{
    static UncoreEvent *made[UNCORE_GENERATIONS][UNCORE_KINDS];
    UncoreEvent **events = &made[generation][kind];
    unsigned digit = UNCORE_GENERATIONS - 1 - generation;

    if (!generation) {
        return first[kind];
    }
    if (!*events) {
        UncoreEvent *e = *events = g_new0(UncoreEvent, ARRAY_SIZE(later) + 1);

        for (int i = 0; i < ARRAY_SIZE(later); i++) {
            unsigned ctrs = extract32(later[i].ctrs, 4 * digit, 4);

            if (later[i].kind == kind && ctrs) {
                *e = later[i].event;
                e->ctrs = ctrs;
                e++->umask_bits = extract32(later[i].umask_bits, 8 * digit, 8);
            }
        }
    }
    return *events;
}

const UncoreEvent *uncore_event_find(const UncoreBox *box, uint8_t code,
                                     bool ext)
{
    for (const UncoreEvent *e = box->events; e->name; e++) {
        if (e->code == code && e->ext == ext) {
            return e;
        }
    }
    return NULL;
}
