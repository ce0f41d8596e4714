"""Records what real vocabularies make of the texts in tests/cases/tokens.jsonl.

    python tests/bench/tokens.py NAME URL

URL is a llama-server (for a vocabulary without weights: a model of models.py); its count of every
text is written into the file as `tokens[NAME]`. A line is {"kind", "text", "tokens"}; texts are
added by hand, of our own or in the public domain.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request

import drive

CASES = os.path.join(drive.TOP, "tests", "cases", "tokens.jsonl")


def main(name: str, url: str) -> None:
    with open(CASES, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        case["tokens"][name] = count(url, case["text"])
    with open(CASES, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)


def count(url: str, text: str) -> int:
    """Tokens of the text as part of a prompt: without those that begin or end a document."""
    body = json.dumps({"content": text, "add_special": False}).encode()
    request = urllib.request.Request(url.rstrip("/") + "/tokenize", body,
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return len(json.load(answer)["tokens"])


if __name__ == "__main__":
    main(*sys.argv[1:])
