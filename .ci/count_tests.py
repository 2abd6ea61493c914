#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the test cases of JUnit XML files and prints "N passed, N failed, N skipped".

    count_tests.py [--failed-steps N] [--events FILE | --xml FILE] [--step-status N] ...

--events takes what `bazel test --build_event_json_file` wrote: it names the XML files of
that run, cached results included, and the targets that were skipped or have no XML.
--step-status is the exit status of the step that wrote the file named before it: where it
is not 0 and no case of the file failed, one failure is added, so that none gets lost.
Exit status: 0 if nothing failed and at least one case passed, else 1.
"""
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def count_xml(path):
    """The cases of one JUnit file; a file that cannot be read is one failure."""
    count = Count()
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print("no test results in %s: %s" % (path, error))
        count.failed = 1
        return count
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
            print("failed: %s.%s" % (case.get("classname", ""), case.get("name", "")))
        elif case.find("skipped") is not None or case.get("status") == "notrun" or case.get("result") == "skipped":
            count.skipped += 1
        else:
            count.passed += 1
    return count


def test_xml(result):
    """The path of test.xml among a test's outputs, or None."""
    for output in result.get("testActionOutput", []):
        if output.get("name") == "test.xml":
            return urllib.parse.unquote(urllib.parse.urlparse(output.get("uri", "")).path)
    return None


def count_target(result):
    """One attempt of one test target."""
    path = test_xml(result)
    count = count_xml(path) if path else Count()
    if result.get("status") != "PASSED" and count.failed == 0:
        count.failed = 1  # crashed, or ran out of time, before it could say so
    return count


def count_events(path):
    total = Count()
    try:
        with open(path) as lines:
            events = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        print("no test results in %s: %s" % (path, error))
        total.failed = 1
        return total
    for event in events:
        event_id = event["id"]
        if "testResult" in event_id and "testResult" in event:
            count = count_target(event["testResult"])
            if count.failed:
                print("  in %s" % event_id["testResult"]["label"])
            total.add(count)
        elif "targetCompleted" in event_id and event.get("aborted", {}).get("reason") == "SKIPPED":
            total.skipped += 1
            print("skipped: %s" % event_id["targetCompleted"]["label"])
    return total


def main(args):
    total = Count()
    last = Count()
    for option, value in zip(args[0::2], args[1::2]):
        if option == "--failed-steps":
            total.failed += int(value)
        elif option in ("--events", "--xml"):
            last = count_events(value) if option == "--events" else count_xml(value)
            total.add(last)
        elif option == "--step-status":
            if int(value) != 0 and last.failed == 0:
                total.failed += 1
        else:
            sys.exit("count_tests.py: no such option: " + option)
    print("%d passed, %d failed, %d skipped" % (total.passed, total.failed, total.skipped))
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
