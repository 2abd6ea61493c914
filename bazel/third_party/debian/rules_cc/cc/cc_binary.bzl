# SPDX-License-Identifier: Apache-2.0
cc_binary = native.cc_binary
