"""Answers that repeat themselves in parts, and yet are what was asked for."""

from __future__ import annotations

STATES = ("idle", "opening", "open", "half_open", "closing", "closed", "failed", "resetting")

TABLES = {
    "a Markdown table with equal rows": (
        "| Test | Before | After |\n|------|--------|-------|\n"
        + "| ok   | yes    | yes   |\n" * 24 + "\nAll 24 tests pass on both sides.\n"),
    "a Markdown table of words alone": (
        "| Monday | Tuesday | Wednesday | Thursday | Friday |\n" + "| --- " * 5 + "|\n"
        + "| lunch at noon | lunch at noon | lunch at noon | lunch at noon | lunch at noon |\n" * 5),
    "an aligned table without lines": (
        "NAME          READY   STATUS    RESTARTS\n"
        + "worker        ready   running   none\n" * 12),
    "a table drawn with boxes": (
        "┌────────────┬────────────┬────────────┐\n"
        + "│            │            │            │\n├────────────┼────────────┼────────────┤\n" * 9
        + "└────────────┴────────────┴────────────┘\n"),
    "a table of plus and minus": (
        "+--------+--------+--------+\n" + "| open   | open   | open   |\n" * 10
        + "+--------+--------+--------+\n") * 2,
    "CSV with equal rows": (
        "date,station,temp,rain\n" + "2024-01-01,Hamburg,3.5,0.0\n" * 20
        + "2024-01-02,Hamburg,2.1,0.4\n" * 20),
    "CSV of words": "colour,size,shop\n" + "dark red,very large,main street\n" * 8,
    "HTML rows": (
        "<table>\n" + "  <tr><td>Name</td><td>Not yet known</td></tr>\n" * 14 + "</table>\n"),
    "HTML cards of a mock-up": (
        '<div class="grid">\n' + """  <article class="card">
    <img src="placeholder.png" alt="A placeholder">
    <h3>Product name</h3>
    <p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.</p>
    <button type="button">Add to cart</button>
  </article>
""" * 6 + "</div>\n"),
    "a multiplication table": "\n".join(
        " ".join(f"{a * b:3}" for b in range(1, 13)) for a in range(1, 13)),
}

NUMBERS = {
    "a map of zeros": "level = [\n" + ("    [" + "0, " * 19 + "0],\n") * 15 + "]\n",
    "an identity matrix": "\n".join(
        " ".join("1" if row == column else "0" for column in range(24)) for row in range(24)),
    "a line of zeros": "weights = [" + "0.0, " * 255 + "0.0]\n",
    "a hex dump of nothing": "\n".join(
        f"{at:08x}  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|"
        for at in range(0, 1024, 16)),
    "a hex dump without addresses": "ff ff ff ff 00 00 00 00 ff ff ff ff 00 00 00 00\n" * 20,
    "zeros in Base64": "data:image/png;base64,iVBORw0KGgo" + "AAAA" * 500 + "ASUVORK5CYII=",
    "a binary mask": "mask = 0b" + "01" * 64 + "\n" + "11110000" * 40 + "\n",
    "a DNA repeat": ">HTT exon 1\nATGGCGACCCTGGAAAAGCTGATGAAGGCC" + "CAG" * 120 + "CCGCCACCGCC\n",
    "readings": "reading 20.5 C, humidity 40 %, pressure 1013 hPa\n" * 14,
}

DRAWINGS = {
    "rules between sections": (
        "=" * 78 + "\nRESULTS\n" + "=" * 78 + "\n\nAll good.\n\n" + "-" * 78 + "\n") * 3,
    "a chess board": "    a   b   c   d   e   f   g   h\n" + (
        "  +---+---+---+---+---+---+---+---+\n  |   | # |   | # |   | # |   | # |\n"
        "  +---+---+---+---+---+---+---+---+\n  | # |   | # |   | # |   | # |   |\n") * 4,
    "a brick wall": ("|___|___|___|___|___|___|___|___|\n"
                     "|_|___|___|___|___|___|___|___|_|\n") * 9,
    "waves": "   ~~~^~~~   ~~~^~~~   ~~~^~~~   ~~~^~~~\n" * 8,
    "a tower of letters": "        |  HOUSE  |  HOUSE  |\n        |  ====   |  ====   |\n" * 7,
    "a progress bar": "\n".join(
        f"[{'#' * n}{'.' * (50 - n)}] {n * 2:3}%" for n in range(0, 51, 2)),
    "a finished progress bar again and again": "[" + "█" * 40 + "] 100 %\n" + (
        "[" + "█" * 40 + "] 100 %\n") * 9,
    "a guitar tab": "e|-----0-----0-----0-----0-----|\n" * 2 + (
        "B|---1---1-1---1-1---1-1---1---|\nG|-0-----0-----0-----0-----0---|\n") * 6,
    "a field of squares": ("🟩🟩🟩🟩⬛⬛🟩🟩🟩🟩\n" * 3 + "⬛⬛⬛⬛⬛⬛⬛⬛⬛⬛\n") * 5,
    "Braille dots": "⣿⣿⣿⣿⣿⣿⣿⣿⡿⠟⠛⠛⠻⢿⣿⣿⣿⣿⣿⣿\n" * 16,
    "a wide gap": "left" + " " * 400 + "right\n" * 3,
}

CODE = {
    "equal assertions": "def test_it():\n" + "    assert next(it) is None\n" * 12,
    "assertions in a unit test": (
        "        self.assertTrue(queue.put_nowait(item))\n"
        "        self.assertEqual(queue.qsize(), 1)\n") * 9,
    "errors in Go": "\tif err != nil {\n\t\treturn nil, err\n\t}\n" * 10,
    "closing brackets": "".join("  " * n + "</div>\n" for n in range(20, 0, -1)) + "}\n" * 30,
    "the ends of blocks": "end\n" * 25 + "    end if\n" * 20,
    "nothing to do": "def later(self):\n    pass\n\n" * 12,
    "branches that do nothing": (
        "    elif step is done:\n        return False\n" * 6 + "    else:\n        return True\n"),
    "calls in a row": 'turtle.forward(100)\nturtle.right(90)\n' * 18,
    "prints in a row": 'print("Hello, dear reader of this book!")\n' * 10,
    "commands in a row": "turn left and walk on\n" * 8 + "go home now\n" * 10,
    "instructions of a processor": "    mov eax, ebx\n    add eax, ecx\n    nop\n" * 16,
    "no operation": "nop\n" * 60,
    "statements that insert the same": (
        "INSERT INTO visits (page, agent) VALUES ('/index', 'test agent of the shop');\n") * 9,
    "JSON objects": "[\n" + '  {"id": 0, "name": "", "tags": [], "parent": null},\n' * 12 + "]\n",
    "JSON with sentences": '[{"text": "The quick brown fox jumps over it.", "label": "animal"}, ' +
        '{"text": "The quick brown fox jumps over it.", "label": "animal"}, ' * 7 + "{}]",
    "YAML items": "properties:\n" + "  - type: string\n    required: true\n" * 12,
    "an enumeration": "enum State {\n" + "".join(
        f"    STATE_{name.upper()} = {n},  // the connection is {name}\n"
        for n, name in enumerate(STATES * 3)) + "};\n",
    "a list of colours": 'COLOURS = ["red", "green", "blue", "yellow", ' + (
        '"red", "green", "blue", "yellow", ') * 8 + '"red"]\n',
    "nulls": "[" + "null, " * 120 + "null]",
    "comments between parts": (
        "// ------------------------------------------------------------\n"
        "// This part is generated, do not edit it by hand\n") * 8,
    "lines of a listing in a fence": "The log says:\n\n```\n" + (
        "Retrying the connection in five seconds.\n") * 20 + "```\n\nSo the server is down.\n",
    "a rewritten block": (
        "export function useThing(state) {\n  const value = read(state);\n"
        "  if (!value) {\n    throw new Error('There is no value.');\n  }\n"
        "  return value;\n}\n\n") * 6,
    "LaTeX items": "\\begin{itemize}\n" + "  \\item Fill in what was measured\n" * 9
        + "\\end{itemize}\n",
    "a stack trace": "RecursionError\n" + (
        '  File "tree.py", line 12, in walk\n    return walk(node.left)\n') * 14,
    "regular expression": "(?:" + "[0-9a-f]{2}:" * 32 + "[0-9a-f]{2})$",
    "style rules": ".row { margin: 0 auto; }\n.row { margin: 0 auto; }\n" * 6,
}

LISTS = {
    "a long list of similar lines": "".join(
        f"- [ ] Move the settings of service {n} to the new format\n" for n in range(1, 90)),
    "empty boxes": "- [ ] \n" * 40,
    "bullets to fill in": "- Lorem ipsum dolor sit amet\n" * 5,
    "files of a tree": "src\n" + "│   ├── __init__.py\n│   └── test_module.py\n" * 12,
    "changes of versions": "".join(
        f"* Bumped the version of the package number {n} to its newest release.\n"
        for n in range(60)),
    "a refrain": (
        "Row, row, row your boat\nGently down the stream\n"
        "Merrily, merrily, merrily, merrily\nLife is but a dream\n") * 2
        + "Baby shark, doo doo doo doo doo doo\n" * 3 + "Baby shark!\n",
    "a song": "Na na na nananana, nananana, hey Jude\n" * 4,
    "a scream": "N" + "O" * 300 + "!\n" + "Ha" * 100 + "!\n",
    "a sentence said twice": "I have checked the file, and there is nothing wrong with it. " * 2
        + "That is all I have to say about it.",
    "lines that differ in a number": "".join(
        f"Step {n}: copy the file to the server and start the service again.\n"
        for n in range(40)),
    "paragraphs to fill a page": "".join(
        f"<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit{'.' * n}</p>\n"
        for n in range(12)),
    "a timetable": "".join(
        f"{hour:02}:{minute:02} to the main station\n" for hour in range(5, 23)
        for minute in (0, 20, 40)),
    "a quiz in Chinese": "".join(
        f"第{n}题：请选择正确的答案，并写出你的理由。\n" for n in range(1, 40)),
}

ALL = {**TABLES, **NUMBERS, **DRAWINGS, **CODE, **LISTS}
