"""Taking back what a turn did to files."""

STRINGS = {

    "undo.undo": "Turn {turn} (“{prompt}”) taken back; files: {n}",
    "undo.redo": "Turn {turn} (“{prompt}”) put back; files: {n}",
    "undo.already": "(was so already)",
    "undo.later": "left alone: turn {turn} changed it again; undo that one first",
    "undo.changed": "left alone: somebody else has changed it since",
    "undo.lost": "left alone: its former content was not kept",
    "undo.full": "left alone: there is no room left to keep what is there now",
    "undo.unkept": "left alone: what is there now could not be kept ({why})",
    "undo.since": "changed since the turn:",
    "undo.wanted": "would have become, from what the turn left:",
    "undo.number": "“{word}” is no number of a turn: your messages are counted from 1.",
    "undo.missing": (
        "{path} is changed, but one of its contents was not kept: it is not in the patch."
    ),
    "undo.no_diff": "This session has changed no files.",
    "undo.error.undo": "There is nothing to undo: no turn that stands has changed files.",
    "undo.error.undo.hint": (
        "A turn whose files were all left alone is undone by its number, once they are free."
    ),
    "undo.error.redo": "There is nothing to redo: nothing was undone.",
    "undo.error.redo.hint": "A turn that was put back can be undone again.",
    "undo.error.undo_turn": (
        "There is nothing to undo in turn {turn}: it changed no files, or was taken back."
    ),
    "undo.error.undo_turn.hint": "See which turn changed what: sessions show ID --files",
    "undo.error.redo_turn": "There is nothing to redo in turn {turn}: it was not taken back.",
    "undo.error.redo_turn.hint": "See which turn changed what: sessions show ID --files",
    "undo.error.number": "There is no turn {turn}; this session has {n}.",
    "undo.error.number.hint": "Turns are counted from 1, by your messages.",
    "undo.told.undo": (
        "[The user took back your changes to: {files}. These files are again as they were "
        "before; do not make the same changes again unless asked to.]"
    ),
    "undo.told.redo": (
        "[The user put back your changes to: {files}. These files are again as you had left "
        "them.]"
    ),

    "undo.none": "Nothing of turn {turn} (“{prompt}”) could be changed",
}
