/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refusal of events: an errno, and a rate-limited log line with the reason.
 *
 * perf calls event_init() before it checks the user's permissions, so only
 * users with CAP_PERFMON get a log line: others cannot flood the log, or
 * exhaust the rate limit.
 */
#ifndef COMMON_REFUSE_H
#define COMMON_REFUSE_H

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/user_namespace.h>

/* Prefixed with the module name, as several may be built into one kernel */
#ifdef __KBUILD_MODNAME
#define refuse_limit	__PASTE(__KBUILD_MODNAME, _refuse_limit)
#endif
extern struct ratelimit_state refuse_limit;

static inline bool refuse_may_log(void)
{
	return (ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
		ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN)) &&
	       __ratelimit(&refuse_limit);
}

/**
 * refuse - log why an event is refused
 * @pmu: name of the PMU, as prefix of the line
 * @err: negative errno
 * @fmt: the violated rule, in terms of the PMU's format fields
 *
 * Evaluates to @err.
 */
#define refuse(pmu, err, fmt, ...)					\
({									\
	if (refuse_may_log())						\
		pr_notice("%s: " fmt "\n", pmu, ##__VA_ARGS__);		\
	(err);								\
})

/* Define the rate limit and its module parameter, log_burst. */
#define DEFINE_REFUSE							\
DEFINE_RATELIMIT_STATE(refuse_limit, 5 * HZ, 50);			\
static int refuse_set_burst(const char *val,				\
			    const struct kernel_param *kp)		\
{									\
	int burst, err = kstrtoint(val, 0, &burst);			\
									\
	if (err || burst < 0)						\
		return err ?: -EINVAL;					\
	refuse_limit.burst = burst;					\
	compat_ratelimit_changed(&refuse_limit);			\
	return 0;							\
}									\
static const struct kernel_param_ops refuse_burst_ops = {		\
	.set = refuse_set_burst,					\
	.get = param_get_int,						\
};									\
module_param_cb(log_burst, &refuse_burst_ops, &refuse_limit.burst, 0644);	\
MODULE_PARM_DESC(log_burst,						\
		 "Maximum number of refused events logged in 5 seconds (0: none, default: 50)")

#endif /* COMMON_REFUSE_H */
