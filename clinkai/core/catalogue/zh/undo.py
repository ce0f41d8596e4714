"""撤销某一轮对文件的改动。"""

STRINGS = {

    "undo.undo": "已撤销第 {turn} 轮（“{prompt}”）；文件数：{n}",
    "undo.redo": "已恢复第 {turn} 轮（“{prompt}”）；文件数：{n}",
    "undo.already": "（本来就是这样）",
    "undo.later": "未动：第 {turn} 轮又改过它，请先撤销那一轮",
    "undo.changed": "未动：之后有别人改过它",
    "undo.lost": "未动：它的旧内容没有保存",
    "undo.full": "未动：没有空间保存它现在的内容",
    "undo.unkept": "未动：无法保存它现在的内容（{why}）",
    "undo.since": "该轮之后的改动：",
    "undo.wanted": "从该轮留下的内容出发，本应变成：",
    "undo.number": "“{word}”不是轮次编号：按您的消息从 1 数起。",
    "undo.missing": "{path} 有改动，但它的某一份内容没有保存，因此不在补丁中。",
    "undo.no_diff": "本会话没有改动任何文件。",
    "undo.error.undo": "没有可撤销的：没有哪一轮的文件改动仍然有效。",
    "undo.error.undo.hint": "如果某一轮的文件全都未动，等文件不再冲突后，可以按编号撤销它。",
    "undo.error.redo": "没有可恢复的：没有撤销过任何改动。",
    "undo.error.redo.hint": "恢复过的轮次可以再次撤销。",
    "undo.error.undo_turn": "第 {turn} 轮没有可撤销的：它没有改动文件，或者已经撤销。",
    "undo.error.undo_turn.hint": "查看每一轮改了什么：sessions show ID --files",
    "undo.error.redo_turn": "第 {turn} 轮没有可恢复的：它没有被撤销。",
    "undo.error.redo_turn.hint": "查看每一轮改了什么：sessions show ID --files",
    "undo.error.number": "没有第 {turn} 轮；本会话共有 {n} 轮。",
    "undo.error.number.hint": "轮次按您的消息从 1 数起。",
    "undo.told.undo": "[用户撤销了你对以下文件的改动：{files}。这些文件已恢复成改动之前的样子；除非用户要求，不要再做同样的改动。]",
    "undo.told.redo": "[用户恢复了你对以下文件的改动：{files}。这些文件又是你改完之后的样子。]",

    "undo.none": "第 {turn} 轮（“{prompt}”）未能改动任何文件",
}
