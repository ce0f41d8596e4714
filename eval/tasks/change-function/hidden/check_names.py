import sys

sys.path.insert(0, "src")

from names import initials, shorten, words  # noqa: E402

CASES = [
    (initials, "Royal Yacht Club", "RYC"),
    (initials, "Society of the Friends of Boats", "SFB"),
    (initials, "The Rowing and Sailing Union", "RSU"),
    (initials, "THE HOUSE OF LIGHT", "HL"),
    (initials, "Andover Offshore Theatre", "AOT"),
    (initials, "bread-and-butter", "BB"),
    (initials, "", ""),
    (initials, "of the and", ""),
    (words, "The Rowing and Sailing Union", ["The", "Rowing", "and", "Sailing", "Union"]),
    (shorten, "The Club of Rowing", "The Club of Rowing"),
    (shorten, "The Society of the Friends of Boats", "SFB"),
    (shorten, "Harbour Light", "Harbour Light"),
]

for function, given, wanted in CASES:
    found = function(given)
    if found != wanted:
        sys.exit(f"{function.__name__}({given!r}) gave {found!r}, not {wanted!r}")
print(len(CASES), "cases hold")
