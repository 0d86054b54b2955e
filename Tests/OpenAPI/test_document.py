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
