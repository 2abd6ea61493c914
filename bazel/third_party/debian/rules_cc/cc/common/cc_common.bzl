# SPDX-License-Identifier: Apache-2.0
load("//cc:private_native.bzl", "native_cc_common")

cc_common = native_cc_common
