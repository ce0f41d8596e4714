"""As much of JSON Schema as `tests/cases/atif` uses, and the rules beside the schema."""

from __future__ import annotations

import json
from pathlib import Path

FILE = Path(__file__).parents[2] / "cases/atif/trajectory.schema.json"
SCHEMA = json.loads(FILE.read_text("utf-8"))
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
WORDS = {"$ref", "anyOf", "type", "enum", "required", "properties", "additionalProperties", "items",
         "minItems", "minimum", "default", "description", "title", "$defs"}


def errors(value: object, schema: dict = SCHEMA, place: str = "$") -> list[str]:
    """What of `value` the schema does not allow; raises where the schema says more than we know."""
    assert set(schema) <= WORDS, schema
    if "$ref" in schema:
        return errors(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], place)
    if "anyOf" in schema:
        found = [errors(value, one, place) for one in schema["anyOf"]]
        return [] if [] in found else [error for one in found for error in one]
    if not is_a(value, schema.get("type")):
        return [f"{place}: {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place}: not one of {schema['enum']}"]
    if "minimum" in schema and value < schema["minimum"]:
        return [f"{place}: below {schema['minimum']}"]
    if isinstance(value, dict):
        return of_object(value, schema, place)
    if isinstance(value, list):
        found = [e for n, one in enumerate(value)
                 for e in errors(one, schema.get("items", {}), f"{place}[{n}]")]
        return found + ([f"{place}: too few"] if len(value) < schema.get("minItems", 0) else [])
    return []


def is_a(value: object, kind: str | None) -> bool:
    if kind is None:
        return True
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else int | float) and value is not True
    return isinstance(value, KINDS[kind])


def of_object(value: dict, schema: dict, place: str) -> list[str]:
    known = schema.get("properties", {})
    found = [f"{place}.{name}: missing" for name in schema.get("required", ()) if name not in value]
    for name, one in value.items():
        if name in known:
            found += errors(one, known[name], f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{place}.{name}: unknown")
    return found


def broken_rules(body: dict) -> list[str]:
    """The rules that the README beside the schema adds."""
    found = []
    if [step["step_id"] for step in body["steps"]] != list(range(1, len(body["steps"]) + 1)):
        found.append("step_id")
    for step in body["steps"]:
        if step["source"] != "agent":
            found += [name for name in ("tool_calls", "metrics", "reasoning_content", "model_name")
                      if step.get(name) is not None]
        ids = [call["tool_call_id"] for call in step.get("tool_calls") or ()]
        found += ["tool_call_id"] if len(set(ids)) < len(ids) else []
        results = (step.get("observation") or {}).get("results", ())
        found += [f"source_call_id {r.get('source_call_id')}" for r in results
                  if r.get("source_call_id") not in ids]
        metrics = step.get("metrics") or {}
        if (metrics.get("cached_tokens") or 0) > (metrics.get("prompt_tokens") or 0):
            found.append("cached_tokens")
        if step.get("llm_call_count") == 0 and (metrics or step.get("reasoning_content")):
            found.append("llm_call_count")
    return found
