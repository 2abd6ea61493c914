# SPDX-License-Identifier: Apache-2.0
cc_test = native.cc_test
