"""The document itself is valid, formatted, and of this program's version."""

import re
import subprocess

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

import document
from program import ROOT, binary

DOCUMENT = document.load()
OPERATIONS = document.operations(DOCUMENT)


def test_is_valid():
    assert [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_is_formatted():
    assert document.PATH.read_text() == document.text(DOCUMENT)


def test_has_the_programs_version():
    output = subprocess.run([binary(), "version"], check=True, capture_output=True, text=True).stdout
    assert output.split()[1] == DOCUMENT["info"]["version"]


def test_is_what_the_program_serves(production):
    answer = production.ask("GET", "/openapi.json", key=None)
    assert answer.body == document.PATH.read_bytes(), "another build: the program carries an older document"


def test_operations_have_names_of_their_own():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names)) and all(operation["summary"] for _, _, operation in OPERATIONS)


def test_everything_defined_is_used():
    text = document.PATH.read_text()
    kinds = DOCUMENT["components"].items()
    unused = [
        name
        for kind, parts in kinds
        if kind != "securitySchemes"
        for name in parts
        if f'"#/components/{kind}/{name}"' not in text
    ]
    assert unused == []


def schemas(node=DOCUMENT):
    """Everything that may be a schema, without examples, whose content is anything."""
    if isinstance(node, dict):
        yield node
        for name, value in node.items():
            if name not in ("examples", "example"):
                yield from schemas(value)
    elif isinstance(node, list):
        for item in node:
            yield from schemas(item)


UNIONS = ("oneOf", "anyOf", "allOf")


class TestGeneratorsOfClients:
    """What makes clients in some language that do not compile, or that lose what was said. test_clients.py tries two."""

    def test_no_constructor_has_a_types_name(self):
        """Go's of X is NewX."""
        names = DOCUMENT["components"]["schemas"].keys()
        assert [name for name in names if name.startswith("New")] == []

    def test_no_two_enums_share_a_word(self):
        """Their constants are neighbours in Go."""
        words = [word for schema in DOCUMENT["components"]["schemas"].values() for word in schema.get("enum", [])]
        assert len(words) == len(set(words))

    def test_each_enum_has_a_type(self):
        assert [schema for schema in schemas() if isinstance(schema.get("enum"), list) and "type" not in schema] == []

    def test_what_becomes_another_type_has_no_pattern(self):
        """Ruby would hold a date against it."""
        assert [schema for schema in schemas() if "format" in schema and "pattern" in schema] == []

    def test_no_union_has_members_of_its_own(self):
        assert [schema for schema in schemas() if "properties" in schema and any(name in schema for name in UNIONS)] == []

    def test_nothing_is_referred_to_and_changed(self):
        """The reference is lost, or what stands beside it."""
        allowed = {"$ref", "description"}
        assert [schema for schema in schemas() if "$ref" in schema and schema.keys() - allowed] == []

    def test_no_union_has_a_list_of_its_other_choice(self):
        """Each would be imported under the same name in TypeScript."""
        choices = [choice for schema in schemas() for name in UNIONS for choice in schema.get(name, [])]
        assert [choice for choice in choices if choice.get("type") == "array"] == []


def test_each_error_code_is_explained():
    codes = DOCUMENT["components"]["schemas"]["ErrorCode"]
    assert len(codes["x-enum-descriptions"]) == len(codes["enum"]) == len(set(codes["enum"]))


def examples():
    for path, method, operation in OPERATIONS:
        for status, answer in document.answers(DOCUMENT, operation):
            for content in answer.get("content", {}).values():
                for name, example in content.get("examples", {}).items():
                    yield pytest.param(content["schema"], example["value"], id=f"{method} {path} {status} {name}")
        refused = {name for name, (status, _) in document.answered(DOCUMENT, operation).items() if status >= 400}
        for parameter, found in document.request_examples(DOCUMENT, operation):
            schema = (
                parameter["schema"] if parameter else operation["requestBody"]["content"]["application/json"]["schema"]
            )
            for name, example in found.items():
                if name not in refused:
                    yield pytest.param(schema, example["value"], id=f"{method} {path} {name}")


@pytest.mark.parametrize("schema, value", list(examples()))
def test_examples_have_the_documented_form(schema, value):
    root = {"allOf": [schema], "components": document.strict(DOCUMENT)["components"]}
    Draft202012Validator(root, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)
