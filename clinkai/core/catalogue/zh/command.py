"""对话中的斜杠命令。"""

STRINGS = {
    "command.help.mode": "显示各种模式，或切换到指定的模式：plan、ask、auto、sandbox",
    "command.help.grants": "除模式允许的之外，还有哪些无需询问即可运行",
    "command.help.help": "此帮助",
    "command.help.quit": "离开",
    "command.unknown": "没有命令 /{name}；/help 列出全部命令。如要作为文本发送，请在前面加一个空格。",
    "command.alone": "/{name} 后面不能带内容。如要作为文本发送，请在前面加一个空格。",
    "command.grants.command": "本会话，此命令：{what}",
    "command.grants.write": "本会话，写入此文件：{what}",
    "command.grants.prefix": "本会话，以此开头的命令：{what}",
    "command.grants.allow": "长期规则允许，以此开头的命令：{what}",
    "command.grants.deny": "长期规则禁止，以此开头的命令：{what}",
    "command.grants.none": "没有任何授权；哪些无需询问只由模式决定。",

    "command.help.compact": "把最早的消息换成摘要，可写明要求",

    "command.help.undo": "撤销最近一条消息（或第 N 条）对文件的改动",
    "command.help.redo": "恢复最近一次（或第 N 条消息）被撤销的改动",
    "command.help.diff": "以补丁形式显示本会话对文件的改动",

    "command.help.rewind": "回到你最新一条消息之前，或倒数第 N 条之前；加 restore 则文件也恢复",
    "command.help.fork": "从这里或倒数第 N 条消息之前另开一个会话；当前会话不变",
    "command.rewind": "已撤回这条消息及其后的内容：{text}",
    "command.fork": "新会话 {id} 从当前会话的记录 {seq} 之后继续：python clinkai.py --resume {id}",
    "command.number": "“{word}”不是数字：请写明要往回几条消息。",
}
