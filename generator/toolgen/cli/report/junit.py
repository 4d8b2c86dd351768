"""A report as JUnit XML, which CI services show as tests: one for each tool that passed, and each finding."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from toolgen.cli.report.entry import Report, location


def as_junit(report: Report) -> str:
    """Return one suite. What fails the command is a failure; other findings are skipped tests."""
    suite = Element("testsuite", name=f"toolgen {report.command}")
    failures = skipped = 0
    for name in report.passed:
        SubElement(suite, "testcase", classname="toolgen", name=name)
    for entry in report.entries:
        case = SubElement(suite, "testcase", classname=entry.code, name=f"{location(entry.span)}")
        text = "\n".join(f"{label}: {words}" for label, words in entry.labels)
        if entry.severity in report.fails and not entry.accepted:
            SubElement(case, "failure", message=entry.message, type=entry.code).text = text
            failures += 1
        else:
            SubElement(case, "skipped", message=entry.accepted or entry.message)
            skipped += 1
    counts = {"tests": len(suite), "failures": failures, "errors": 0, "skipped": skipped}
    suite.attrib.update({name: str(number) for name, number in counts.items()})
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    # texts of entries are printable, so they have no character that XML forbids
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'
