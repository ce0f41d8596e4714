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
}
