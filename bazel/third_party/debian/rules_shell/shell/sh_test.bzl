# SPDX-License-Identifier: Apache-2.0
sh_test = native.sh_test
