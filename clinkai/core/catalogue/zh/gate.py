"""Why something is asked or refused. Each reason repeats the word that caused it."""

STRINGS = {
    # What the model is told.
    "gate.refused": "已拒绝：{reason} 不要重复，请换一种方法。",
    "gate.nobody": "已拒绝：{reason} 本次运行无人可问。不要重复，请换一种方法，或在回答中说明需要什么。",
    "gate.denied": "用户没有同意。（{reason}）不要重复，请换一种方法或先询问。",
    "gate.note": "用户补充：{note}",
    "gate.more_rounds": "{n} 轮已用完，是否再给同样多的轮数？",

    # Modes, rules, paths of the file tools.
    "gate.plan.write": "计划模式下不作任何修改：{path}。",
    "gate.plan.run": "计划模式下只运行只读命令：{command}",
    "gate.mode.ask": "询问模式下每次修改都要先询问：{path}。",
    "gate.rule.deny": "{word} 被这条长期规则禁止：{rule}",
    "gate.path.outside": "{path} 在工作区之外。",
    "gate.path.private": "{path} 不对工具开放。",
    "gate.path.secret": "{path} 可能含有机密。",
    "gate.path.protected": "{path} 能让别的程序动作。",

    # Operands of commands.
    "gate.operand.outside": "{word} 指向工作区之外。",
    "gate.operand.private": "{word} 指向不对工具开放的位置。",
    "gate.operand.secret": "{word} 可能含有机密。",
    "gate.operand.protected": "{word} 能让别的程序动作。",
    "gate.operand.bad": "{word} 不是工作区内的普通路径。",
    "gate.operand.elsewhere": "{word} 是另一个文件夹；命令在工作区本身运行。",

    # Lines that are not read further.
    "gate.shell.empty": "命令为空。",
    "gate.shell.long": "命令超过 {limit} 个字符：{word}…",
    "gate.shell.newline": "{word} 处有换行：只判断单行命令。",
    "gate.shell.char": "{word} 处有控制字符、隐藏字符或不常见的字符（{code}）。",
    "gate.shell.padding": "{word} 之后的一长串空格会遮住后面的内容。",
    "gate.shell.quote": "引号没有配对：{word}",
    "gate.shell.escape": "反斜杠后面没有内容：{word}",
    "gate.shell.operator": "不在判断范围内或位置不对的运算符：{word}",
    "gate.shell.redirect": "重定向的目标不是 /dev/null：{word}",
    "gate.shell.substitution": "shell 会把它替换成别的内容：{word}",
    "gate.shell.brace": "shell 会展开花括号：{word}",
    "gate.shell.tilde": "shell 会把 ~ 换成某个主目录：{word}",
    "gate.shell.comment": "从这里开始是注释：{word}",
    "gate.shell.bang": "引号之外的感叹号：{word}",
    "gate.shell.group": "引号之外的 shell 括号：{word}",
    "gate.shell.glob": "会被换成文件名：{word}；如果是匹配模式，请加引号。",
    "gate.shell.many": "{word} 匹配的名称超过 {limit} 个。",
    "gate.shell.compound": "{word} 连接或重定向命令，而设置 COMPOUND 为 refuse。",

    # Programs, options, operands.
    "gate.program": "{word} 不在只读程序的名单上。",
    "gate.program.path": "{word} 用路径指定程序；名单上只有不带路径的名称。",
    "gate.option": "{program} 的选项 {word} 不在名单上。",
    "gate.option.value": "{program} 的选项 {word} 缺少取值，或取值不在名单上。",
    "gate.option.needed": "{word} 只有带上 {option} 才能不经询问运行。",
    "gate.value": "取值 {word} 不在名单上。",
    "gate.script": "{word} 超出了 {program} 不经询问可做的事。",
    "gate.operands.few": "{word} 缺少参数。",
    "gate.operands.many": "对 {program} 来说，{word} 是多余的参数。",
    "gate.version": "{program} 只有 --version 能不经询问运行：{word}",

    # Git.
    "gate.git.none": "{word} 后面没有子命令。",
    "gate.git.sub": "git {word} 不在只读命令的名单上。",
    "gate.git.names": "{program} 会新建或更改：{word}",
    "gate.git.key": "这个仓库自带的设置会让 {word} 启动程序或查看别处：{name}。",
    "gate.git.outside": "{word} 会使用工作区之外的仓库：{folder}",
    "gate.git.borrows": "{word} 会读取这个仓库从别处借用的对象。",
    "gate.git.settings": "无法查看这个仓库的设置，因此 {word} 需要询问。",

    # PowerShell.
    "gate.powershell.syntax": "PowerShell 会对它求值：{word}",
    "gate.powershell.list": "不是由普通词组成的列表：{word}",
    "gate.powershell.pipe": "{word} 会从管道取得输入，其中可能有路径。",
}
