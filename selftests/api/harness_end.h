/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a program of kselftest_harness.h. The last test, in the last fixture, asks the
 * protocol checker.
 */
FIXTURE(protocol_checker) { };
FIXTURE_SETUP(protocol_checker) { }
FIXTURE_TEARDOWN(protocol_checker) { }

TEST_F(protocol_checker, reports_nothing)
{
	SKIP_WITHOUT_MODEL();
	if (!test_checker)
		SKIP(return, "this driver does not follow the guide");
	EXPECT_TRUE(model_silent(test_checker));
}

TEST_HARNESS_MAIN
