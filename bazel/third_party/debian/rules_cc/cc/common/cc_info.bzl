# SPDX-License-Identifier: Apache-2.0
load("//cc:private_native.bzl", "NativeCcInfo")

CcInfo = NativeCcInfo
