"""Compares a server's answers with the document."""

import re

from jsonschema import Draft202012Validator

from document import resolved, strict

# Of every answer, so that none describes them.
EVERYWHERE = {"date", "connection", "content-length", "content-type"}
VOLATILE = [
    (re.compile(r"^eyJ[\w-]+\.[\w-]+\.[\w-]+$"), "JWS"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"(?<![-0-9a-f])[0-9a-f]{32,64}\b"), "HASH"),
    (re.compile(r"\b[0-9a-z]{8}-\d{1,19}\b"), "CURSOR"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "INSTANT"),
    (re.compile(r"\b\d{12,20}\b"), "NUMBER"),
    (re.compile(r"\b(http|ws)s?://[^/]+/"), r"\1://HOST/"),
]


class Answers:
    """Compares answers with what the document says about them."""

    def __init__(self, document):
        self.document = strict(document)

    def check(self, path, method, answer):
        """Checks that the answer has a documented status, type, headers and body."""
        operation = self.document["paths"][path][method]
        assert str(answer.status) in operation["responses"], f"{method} {path} may not answer {answer}"
        documented = resolved(self.document, operation["responses"][str(answer.status)])
        self.check_headers(documented, answer)
        content = documented.get("content", {})
        if not content or method == "head":
            assert not answer.body, answer
            return
        assert answer.type in content or "*/*" in content, f"{answer.type} is none of {list(content)}"
        if answer.json is not None:
            self.check_value(content.get(answer.type, {}).get("schema", {}), answer.json)

    def check_headers(self, documented, answer):
        described = {name: resolved(self.document, header) for name, header in documented.get("headers", {}).items()}
        for name, header in described.items():
            value = answer.headers.get(name)
            assert value is not None or not header.get("required"), f"{name} is missing: {answer}"
            if value is not None:
                self.check_value(header["schema"], int(value) if header["schema"].get("type") == "integer" else value)
        known = {name.lower() for name in described} | EVERYWHERE
        assert {name.lower() for name in answer.headers} <= known, f"not described: {answer}"

    def check_value(self, schema, value):
        root = {"allOf": [schema], "components": self.document["components"]}
        Draft202012Validator(root, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def steady(value):
    """The value without what differs from run to run."""
    if isinstance(value, dict):
        # Who asked the audit before decides, and which machine it is.
        return {name: "ID" if name in ("id", "node") else steady(member) for name, member in value.items()}
    if isinstance(value, list):
        return [steady(item) for item in value]
    if isinstance(value, str):
        for pattern, word in VOLATILE:
            value = pattern.sub(word, value)
    return value
