"""Which descriptions does a JSON Schema accept?

Usage: check_schema.py SCHEMA FILE...   Prints a line for each file: `accepted` or `refused`, its name, and why.
"""

import json
import sys
from pathlib import Path

import jsonschema
import yaml


def plain(value):
    """As JSON has it: keys are texts."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def main(schema, *files):
    schema = json.loads(Path(schema).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for file in files:
        try:
            error = jsonschema.exceptions.best_match(validator.iter_errors(plain(yaml.safe_load(Path(file).read_text()))))
        except yaml.YAMLError as found:
            error = found
        word = "refused" if error else "accepted"
        print(f"{word}\t{Path(file).stem}\t{str(error).splitlines()[0] if error else ''}")


if __name__ == "__main__":
    main(*sys.argv[1:])
