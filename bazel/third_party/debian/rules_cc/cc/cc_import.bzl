# SPDX-License-Identifier: Apache-2.0
cc_import = native.cc_import
