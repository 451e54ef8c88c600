/*
 * Power and thermal management of processor packages: APERF and MPERF, energy
 * counters (RAPL), digital thermal sensors.
 *
 *   -device xeon-power,energy-unit=16,dram-energy-unit=16,cores=on
 *
 * MSRs and CPUID as in Intel's SDM, volume 3B, chapter 14 (14.2 for APERF and
 * MPERF, 14.7 for the sensors, 14.9 for RAPL), and the tables of volume 4.
 * Energy counters follow the virtual time at an injected power, APERF and MPERF
 * the time-stamp counter at an injected load and speed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/reset.h"
#include "cpu.h"
#include "model-console.h"
#include "model-device.h"
#include "x86-msr-hook.h"
#include "power.h"

#define MAX_PACKAGES        8
#define MAX_CPUS            256

#define CPUID_6_EAX_DTS     BIT(0)
#define CPUID_6_EAX_PTM     BIT(6)
#define CPUID_6_ECX_APERF   BIT(0)

#define MSR_PLATFORM_INFO           0x0ce
#define MSR_MPERF                   0x0e7
#define MSR_APERF                   0x0e8
#define MSR_THERM_STATUS            0x19c
#define MSR_TEMPERATURE_TARGET      0x1a2
#define MSR_PACKAGE_THERM_STATUS    0x1b1
#define MSR_RAPL_POWER_UNIT         0x606
#define MSR_PKG_POWER_LIMIT         0x610
#define MSR_PKG_ENERGY_STATUS       0x611
#define MSR_PKG_POWER_INFO          0x614
#define MSR_DRAM_POWER_LIMIT        0x618
#define MSR_DRAM_ENERGY_STATUS      0x619
#define MSR_DRAM_POWER_INFO         0x61c
#define MSR_PP0_POWER_LIMIT         0x638
#define MSR_PP0_ENERGY_STATUS       0x639

/* Degrees below which the sensors count down */
#define TJ_MAX              90
/* Made up: 95 W, the default of pkg=, is the design power, too */
#define TDP_WATTS           95
#define POWER_UNIT          3           /* 1/8 W */
#define TIME_UNIT           10          /* 976 us */
#define READING_VALID       (1u << 31)

typedef enum PowerDomain {
    POWER_PKG, POWER_CORES, POWER_DRAM,
    POWER_DOMAINS
} PowerDomain;

typedef struct PowerPackage {
    int64_t synced;                     /* virtual time of the energy */
    uint64_t nanojoules[POWER_DOMAINS];
    uint64_t limit[POWER_DOMAINS];
    /* injected */
    unsigned watts[POWER_DOMAINS];
    unsigned celsius;
    unsigned busy, speed;               /* percent */
} PowerPackage;

typedef struct PowerCPU {
    int64_t synced;                     /* time-stamp counter of the rest */
    uint64_t mperf, aperf;
    /* what is less than a tick, in 1/100 and 1/10000 */
    uint64_t mperf_rest, aperf_rest;
} PowerCPU;

#define TYPE_POWER "xeon-power"
OBJECT_DECLARE_SIMPLE_TYPE(Power, POWER)

struct Power {
    DeviceState parent_obj;

    uint32_t energy_unit, dram_energy_unit;
    unsigned base_ratio;                /* of the time-stamp counter */
    bool cores;                         /* PP0 is there */
    PowerPackage package[MAX_PACKAGES];
    PowerCPU cpu[MAX_CPUS];
};

static Power *the_power;

void power_cpuid(uint32_t *eax, uint32_t *ebx, uint32_t *ecx)
{
    if (the_power) {
        *eax |= CPUID_6_EAX_DTS | CPUID_6_EAX_PTM;
        *ecx |= CPUID_6_ECX_APERF;
    }
}

static void sync_package(PowerPackage *p)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    for (int d = 0; d < POWER_DOMAINS; d++) {
        /* A watt is a nanojoule in a nanosecond. */
        p->nanojoules[d] += p->watts[d] * (uint64_t)(now - p->synced);
    }
    p->synced = now;
}

/* A halted CPU is as busy as any other: only injections say how busy it is. */
static void sync_cpu(Power *pw, X86CPU *cpu)
{
    PowerCPU *c = &pw->cpu[CPU(cpu)->cpu_index];
    const PowerPackage *p = &pw->package[cpu->socket_id];
    int64_t now = cpus_get_elapsed_ticks();
    uint64_t busy = (now - c->synced) * (uint64_t)p->busy;

    c->synced = now;
    c->aperf_rest += busy * p->speed;
    c->aperf += c->aperf_rest / 10000;
    c->aperf_rest %= 10000;
    c->mperf_rest += busy;
    c->mperf += c->mperf_rest / 100;
    c->mperf_rest %= 100;
}

static void sync_all(Power *pw)
{
    CPUState *cs;

    for (int p = 0; p < MAX_PACKAGES; p++) {
        sync_package(&pw->package[p]);
    }
    CPU_FOREACH(cs) {
        sync_cpu(pw, X86_CPU(cs));
    }
}

static uint32_t energy(const Power *pw, PowerPackage *p, PowerDomain d)
{
    unsigned unit = d == POWER_DRAM ? pw->dram_energy_unit : pw->energy_unit;

    sync_package(p);
    return muldiv64(p->nanojoules[d], 1u << unit, NANOSECONDS_PER_SECOND);
}

/* In units of 100 MHz; QEMU's time-stamp counter runs as fast as the host's. */
static unsigned base_ratio(Power *pw)
{
    uint64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (!pw->base_ratio && ns) {
        pw->base_ratio = MIN((cpus_get_elapsed_ticks() * 10 + ns / 2) / ns,
                             UINT8_MAX);
    }
    return pw->base_ratio;
}

/* The register of a power limit; NULL: there is none at @msr */
static uint64_t *limit(const Power *pw, PowerPackage *p, uint32_t msr)
{
    switch (msr) {
    case MSR_PKG_POWER_LIMIT:
        return &p->limit[POWER_PKG];
    case MSR_DRAM_POWER_LIMIT:
        return &p->limit[POWER_DRAM];
    case MSR_PP0_POWER_LIMIT:
        return pw->cores ? &p->limit[POWER_CORES] : NULL;
    }
    return NULL;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    Power *pw = opaque;
    PowerPackage *p = &pw->package[cpu->socket_id];
    PowerCPU *c = &pw->cpu[CPU(cpu)->cpu_index];
    const uint64_t *held = limit(pw, p, msr);

    if (held) {
        *value = *held;
        return X86_MSR_DONE;
    }
    switch (msr) {
    case MSR_PLATFORM_INFO:
        *value = base_ratio(pw) << 8 | (uint64_t)MIN(12, base_ratio(pw)) << 40;
        break;
    case MSR_MPERF:
        sync_cpu(pw, cpu);
        *value = c->mperf;
        break;
    case MSR_APERF:
        sync_cpu(pw, cpu);
        *value = c->aperf;
        break;
    case MSR_THERM_STATUS:
    case MSR_PACKAGE_THERM_STATUS:
        *value = (TJ_MAX - p->celsius) << 16;
        if (msr == MSR_THERM_STATUS) {
            /* in degrees */
            *value |= READING_VALID | 1 << 27;
        }
        break;
    case MSR_TEMPERATURE_TARGET:
        *value = TJ_MAX << 16;
        break;
    case MSR_RAPL_POWER_UNIT:
        *value = POWER_UNIT | pw->energy_unit << 8 | TIME_UNIT << 16;
        break;
    case MSR_PKG_ENERGY_STATUS:
        *value = energy(pw, p, POWER_PKG);
        break;
    case MSR_DRAM_ENERGY_STATUS:
        *value = energy(pw, p, POWER_DRAM);
        break;
    case MSR_PKG_POWER_INFO:
    case MSR_DRAM_POWER_INFO:
        *value = TDP_WATTS << POWER_UNIT;
        break;
    case MSR_PP0_ENERGY_STATUS:
        if (!pw->cores) {
            return X86_MSR_FAULT;
        }
        *value = energy(pw, p, POWER_CORES);
        break;
    case MSR_PP0_POWER_LIMIT:
        return X86_MSR_FAULT;
    default:
        return X86_MSR_PASS;
    }
    return X86_MSR_DONE;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    Power *pw = opaque;
    PowerCPU *c = &pw->cpu[CPU(cpu)->cpu_index];
    uint64_t *held = limit(pw, &pw->package[cpu->socket_id], msr);

    if (held) {
        *held = value;
        return X86_MSR_DONE;
    }
    switch (msr) {
    case MSR_MPERF:
        sync_cpu(pw, cpu);
        c->mperf = value;
        break;
    case MSR_APERF:
        sync_cpu(pw, cpu);
        c->aperf = value;
        break;
    case MSR_THERM_STATUS:
    case MSR_PACKAGE_THERM_STATUS:
        /* Logs, of which there are none, are cleared. */
        break;
    case MSR_PLATFORM_INFO:
    case MSR_TEMPERATURE_TARGET:
    case MSR_RAPL_POWER_UNIT:
    case MSR_PKG_ENERGY_STATUS:
    case MSR_PKG_POWER_INFO:
    case MSR_DRAM_ENERGY_STATUS:
    case MSR_DRAM_POWER_INFO:
    case MSR_PP0_ENERGY_STATUS:
    case MSR_PP0_POWER_LIMIT:
        return X86_MSR_FAULT;
    default:
        return X86_MSR_PASS;
    }
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

enum { PACKAGE, PKG, CORES, DRAM, TEMP, BUSY, SPEED, KEYS };

static const ModelKey keys[KEYS] = {
    [PACKAGE] = { "package", 1, MAX_PACKAGES - 1 },
    [PKG] = { "pkg", 1, 1000 },
    [CORES] = { "cores", 1, 1000 },
    [DRAM] = { "dram", 1, 1000 },
    [TEMP] = { "temp", 1, TJ_MAX },
    [BUSY] = { "busy", 1, 100 },
    [SPEED] = { "speed", 1, 1000 },
};

/*
 * power [package=N,pkg=W,cores=W,dram=W,temp=C,busy=PERCENT,speed=PERCENT]:
 * from now on, of a package or of all
 */
static ModelStatus power_command(void *opaque, const char *args, GString *out,
                                 Error **errp)
{
    Power *pw = opaque;
    ModelValue v[KEYS];
    g_auto(GStrv) items = model_parse_keys(keys, KEYS, 1, "power", args, v,
                                           errp);

    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    sync_all(pw);
    for (int n = 0; n < MAX_PACKAGES; n++) {
        PowerPackage *p = &pw->package[n];
        unsigned *const to[KEYS] = {
            NULL, &p->watts[POWER_PKG], &p->watts[POWER_CORES],
            &p->watts[POWER_DRAM], &p->celsius, &p->busy, &p->speed,
        };

        for (int k = PKG; k < KEYS; k++) {
            if (v[k].text && (!v[PACKAGE].text || v[PACKAGE].n == n)) {
                *to[k] = v[k].n;
            }
        }
    }
    return MODEL_STATUS_OK;
}

static void power_reset(void *opaque)
{
    Power *pw = opaque;

    sync_all(pw);
    for (int n = 0; n < MAX_PACKAGES; n++) {
        PowerPackage *p = &pw->package[n];

        memset(p->nanojoules, 0, sizeof(p->nanojoules));
        memset(p->limit, 0, sizeof(p->limit));
    }
    for (int n = 0; n < MAX_CPUS; n++) {
        pw->cpu[n].mperf = pw->cpu[n].aperf = 0;
    }
}

static void power_realize(DeviceState *dev, Error **errp)
{
    Power *pw = POWER(dev);
    static const uint32_t ranges[][2] = {
        { MSR_PLATFORM_INFO, MSR_PLATFORM_INFO }, { MSR_MPERF, MSR_APERF },
        { MSR_THERM_STATUS, MSR_PACKAGE_THERM_STATUS },
        { MSR_RAPL_POWER_UNIT, MSR_PP0_ENERGY_STATUS },
    };

    if (the_power) {
        error_setg(errp, "a machine has one " TYPE_POWER);
        return;
    }
    if (pw->energy_unit > 31 || pw->dram_energy_unit > 31) {
        error_setg(errp, "an energy unit is 2^-31 to 1 J");
        return;
    }
    for (int n = 0; n < MAX_PACKAGES; n++) {
        pw->package[n] = (PowerPackage) {
            .watts = { TDP_WATTS, 60, 20 }, .celsius = 50, .busy = 100,
            .speed = 100,
        };
    }
    the_power = pw;
    for (int i = 0; i < ARRAY_SIZE(ranges); i++) {
        x86_msr_hook_register(ranges[i][0], ranges[i][1], &msr_ops, pw);
    }
    model_console_register("power", power_command, pw);
    qemu_register_reset(power_reset, pw);
}

static Property power_properties[] = {
    DEFINE_PROP_UINT32("energy-unit", Power, energy_unit, 16),
    DEFINE_PROP_UINT32("dram-energy-unit", Power, dram_energy_unit, 16),
    DEFINE_PROP_BOOL("cores", Power, cores, true),
    DEFINE_PROP_END_OF_LIST(),
};

static void power_class_init(ObjectClass *klass, void *data)
{
    model_class_init(klass, "power and thermal management of processor "
                     "packages", power_properties);
    DEVICE_CLASS(klass)->realize = power_realize;
}

static const TypeInfo power_types[] = {
    {
        .name = TYPE_POWER,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(Power),
        .class_init = power_class_init,
    },
};

DEFINE_TYPES(power_types)
