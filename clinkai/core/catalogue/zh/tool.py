"""工具说的话：说明、回答和错误。每个字模型都要读、都要付出代价；人也会看到。"""

STRINGS = {
    # 工具说明，随每次请求发送：何时用、返回什么、失败了怎么办。
    "tool.read": "读取文本文件，每行为“行号、制表符、内容”，最多 400 行；"
                 "没读完时，最后一行会说明接着读要用的 offset。也可读 out:N，即被截断的结果的全文。",
    "tool.read.offset": "起始行",
    "tool.write": "新建文件（连同所需文件夹），或整个替换已读过的文件。只改局部请用 edit。",
    "tool.edit": "替换文件中的文本。old 要原样抄自文件，不带行号，并带上足够的前后行，使它只出现一次"
                 "（或设 replace_all）。要改多处就改用 edits：要么全部生效，要么都不生效。"
                 "失败时回答里会列出文件中的实际内容，照着抄即可。",
    "tool.ls": "列出文件夹（文件夹以 / 结尾），或符合 src/**/*.py 这类模式的路径。不含 git 忽略的内容。",
    "tool.grep": "用 Python 正则表达式搜索文本文件，返回 文件:行号: 内容。不含 git 忽略的内容。"
                 "结果太多就用 path 或 glob 缩小范围。",
    "tool.grep.glob": "只搜这些文件，如 *.py",
    "tool.bash": "在工作区中运行一条命令，没有输入（bash；Windows 上为 PowerShell）：构建、测试、git，"
                 "以及其他工具做不到的事。返回输出，退出码不为 0 时一并给出。"
                 "只读命令立即运行，其他命令可能被拒绝：请换一种方法。",
    "tool.bash.timeout": "秒数：默认 120，最多 600",

    # 参数。
    "tool.type.str": "字符串",
    "tool.type.int": "整数",
    "tool.type.bool": "true 或 false",
    "tool.type.float": "小数",
    "tool.type.list": "列表",
    "tool.type.object": "对象",
    "tool.type.null": "null",
    "tool.args.object": "{where} 必须是对象，可含：{names}",
    "tool.args.unknown": "没有 {name} 这个参数。可用的参数：{names}",
    "tool.args.missing": "缺少参数 {name}。可用的参数：{names}",
    "tool.args.type": "{name} 必须是{wanted}，不能是{got}。",
    "tool.args.minimum": "{name} 不能小于 {limit}，现在是 {got}。",
    "tool.args.maximum": "{name} 不能大于 {limit}，现在是 {got}。",
    "tool.args.json": "{name} 的参数不是 JSON 对象，没有执行。收到的是：{raw}",
    "tool.unknown": "没有 {name} 这个工具。可用的工具：{names}",
    "tool.defect": "{name} 因 ClinkAI 自身的缺陷而失败（{why}）。请换一种办法。",
    "tool.cut": "\n[……省略 {hidden} 个字符；全文请用 read 读取 out:{n}……]\n",
    "tool.cut_lost": "\n[……省略 {hidden} 个字符……]\n",

    # 路径。
    "tool.path.empty": "路径为空。",
    "tool.path.nul": "路径里有 NUL 字符。",
    "tool.path.long": "路径太长，任何文件系统都不支持。",
    "tool.path.encoding": "路径 {path} 里有半个字符，不可能是文件名。",
    "tool.path.characters": "{path} 含有 Windows 文件名不允许的字符。",
    "tool.path.loop": "{path} 是指向自身的链接。",
    "tool.path.pattern": "模式里不能有 ..：{path}",
    "tool.path.output": "{path} 是保存下来的结果，只有 read 能读。",
    "tool.path.tilde": "{path} 以 ~ 开头，这里不会展开。请给出工作区内的路径。",
    "tool.path.unc": "{path} 是网络路径或设备路径。",
    "tool.path.drive": "{path} 取决于当前盘符或它的当前文件夹。",
    "tool.path.stream": "{path} 指的是文件的数据流。",
    "tool.path.device": "{path} 是设备名。",
    "tool.path.trailing": "{path} 中有一段以点或空格结尾，Windows 会把它去掉。",
    "tool.path.short": "{path} 中有一段像是 8.3 短文件名，请用完整的名字。",
    "tool.path.outside": "{path} 在工作区之外。",
    "tool.path.private": "{path} 不对工具开放。",
    "tool.path.secret": "{path} 可能含有机密，没有人批准访问。",
    "tool.path.protected": "{path} 会影响其他程序的行为，没有人批准修改。",

    # 文件。
    "tool.file.missing": "没有 {path}。",
    "tool.file.missing_near": "没有 {path}。是不是要找：{names}",
    "tool.file.folder": "{path} 是文件夹。",
    "tool.file.not_folder": "{path} 中有一段是文件，不是文件夹。",
    "tool.file.pipe": "{path} 是管道，不是文件。",
    "tool.file.socket": "{path} 是套接字，不是文件。",
    "tool.file.device": "{path} 是设备，不是文件。",
    "tool.file.moved": "{path} 中有一段刚刚被换成了链接，什么也没有做。",
    "tool.file.changed": "{path} 刚刚被别的程序改动，什么也没有做。请重新读取。",
    "tool.file.permission": "没有访问 {path} 的权限。",
    "tool.file.readonly": "{path} 在只读的文件系统上。",
    "tool.file.full": "磁盘已满，{path} 保持原样。",
    "tool.file.name": "{path} 在这里不能用作文件名。",
    "tool.file.large": "{path} 超过 {limit}，工具不会改动它。请用命令处理。",
    "tool.file.other": "{path} 无法使用：{reason}",
    "tool.kind.pipe": "管道",
    "tool.kind.socket": "套接字",
    "tool.kind.device": "设备",
    "tool.kind.secret": "机密",

    # read
    "tool.read.data": "未知类型",
    "tool.read.binary": "{path} 不是文本：{what}，{size}。",
    "tool.read.empty": "[空文件]",
    "tool.read.no_output": "没有保存过结果 {path}。",
    "tool.read.bad_offset": "offset 必须是从 1 开始的行号或 N:C，不能是 {offset}。",
    "tool.read.past": "offset {offset} 超出末尾：共 {lines} 行。",
    "tool.read.past_line": "offset {offset} 超出这一行的末尾。",
    "tool.read.more": "第 {first}-{last} 行，共 {total}；接着读用 offset {offset}",
    "tool.read.total": "{lines} 行",
    "tool.read.cut": "第 {line} 行没有显示完；接着读用 offset \"{offset}\"",
    "tool.read.lossy": "不是有效的 UTF-8，坏字节显示为 \ufffd",
    "tool.read.padding": "后面只有 NUL 字节",

    # write
    "tool.write.created": "已新建 {path}，{lines} 行。",
    "tool.write.changed": "已修改 {path}，{was} 行 -> {lines} 行。",
    "tool.write.unchanged": "未变：{path} 已经是这个内容，{lines} 行。",
    "tool.write.unread": "{path} 已经存在，而本次会话没有读过它。请先读取，再写入或编辑。",
    "tool.write.stale": "{path} 在你读过之后被改动过。请重新读取再写。",
    "tool.write.encoding": "{path} 的编码是 {codec}，无法表示 {char}。",
    "tool.write.broken": "注意：现在无法解析：{why}",
    "tool.write.no_copy": "{path} 没有改动：无法保存供撤销用的旧内容：{why}",

    # edit
    "tool.edit.both": "old、new 和 edits 只能给一种。",
    "tool.edit.no_new": "缺少参数 new；要删除文本请给 \"\"。",
    "tool.edit.nothing": "请给出 old 和 new，或者 edits。",
    "tool.edit.empty": "old 是空的。请抄下要替换的文本；新建文件用 write。",
    "tool.edit.binary": "{path} 不是文本。",
    "tool.edit.lossy": "{path} 含有不是有效文本的字节，编辑会损坏它们。",
    "tool.edit.which": "第 {n} 处编辑（共 {of} 处）：{why}\n什么也没有改动。",
    "tool.edit.overlap": "第 {a} 处和第 {b} 处编辑在第 {line} 行重叠。什么也没有改动。",
    "tool.edit.many": "old 出现了 {n} 次，在第 {lines} 行。请带上前后几行，或设 replace_all。",
    "tool.edit.many_near": "没有与 old 完全一致的内容；忽略{what}后出现了 {n} 次，在第 {lines} 行。"
                           "请原样抄写，并带上前后几行。",
    "tool.edit.none": "{path} 里没有 old，也没有相近的内容。请读取文件。",
    "tool.edit.near": "{path} 里没有 old。最相近的几行是：\n{lines}",
    "tool.edit.changed": "已修改 {path}，{n} 处，第 {lines} 行。",
    "tool.edit.unchanged": "未变：{path} 已经是想要的样子。",
    "tool.edit.forgiven": "忽略{what}之后才找到 old。",
    "tool.edit.indented": "new 已按文件的缩进调整。",
    "tool.edit.level.blanks": "行尾空白或换行符",
    "tool.edit.level.quotes": "弯引号与直引号的差别",
    "tool.edit.level.indentation": "缩进",

    # ls
    "tool.ls.cut": "共 {count} 项，只列出前 {shown} 项；请把模式写得更具体",
    "tool.ls.stopped": "看过 {looked} 项后停止；请把模式写得更具体",
    "tool.ls.ignored": "被 git 忽略：{n} 项",
    "tool.ls.empty": "没有内容",
    "tool.ls.hidden": "在外部或不开放",

    # grep
    "tool.grep.empty": "pattern 是空的。",
    "tool.grep.long": "pattern 超过 {limit} 个字符。",
    "tool.grep.invalid": "不是有效的正则表达式：{why}。要按原样查找 ( [ {{ * + ? . 请在前面加 \\。",
    "tool.grep.binary": "{path} 不是文本。",
    "tool.grep.nothing": "没有匹配，搜索了 {files} 个文件",
    "tool.grep.one_line": "（逐行匹配，\\n 永远匹配不到）",
    "tool.grep.found": "{matches} 行，{files} 个文件",
    "tool.grep.first": "{files} 个文件中共 {matches} 行，只列出前 {shown} 行；"
                       "请用 path 或 glob 缩小范围",
    "tool.grep.late": "{seconds} 秒后停止：请简化 pattern，或用 path、glob 缩小范围",
    "tool.grep.ended": "搜索进程意外结束。请重试，或换一个表达式。",
    "tool.grep.secrets": "机密文件未搜索：{n} 个",

    # bash
    "tool.bash.empty": "命令为空。",
    "tool.bash.changed": "命令获准之后，它会做的事发生了变化；没有运行。请重试。",
    "tool.bash.disk": "命令无法启动：{why}",
    "tool.bash.missing": "{program}：这台机器上没有",
    "tool.bash.unstartable": "{program}：无法启动：{why}",
    "tool.bash.edited": "[用户修改了命令，实际运行的是：{command}]",
    "tool.bash.exit": "[退出码 {code}]",
    "tool.bash.quiet": "[没有输出，退出码 0]",
    "tool.bash.confined": "[在沙箱中运行：没有网络，只能写入工作区和 $TMPDIR；出错可能与此有关]",
    "tool.bash.restored": "[在沙箱中被改动，已恢复原状，因为 git、编辑器或智能体之后会运行或读取它们：{paths}]",
    "tool.bash.unwalled": "{program}：未运行，无法建立沙箱：{why}",
    "tool.bash.left": "[留在后台的程序已停止]",
    "tool.bash.stopped.time": "[{seconds} 秒后停止；请给出更长的 timeout，或减少工作量]",
    "tool.bash.stopped.cancel": "[已被用户停止]",
    "tool.bash.stopped.flood": "[已停止：输出超过 {size}]",

    "tool.repeat": "没有变化：与上面相同调用的结果一样（本会话的第 {n} 次调用）。",

    "tool.bash.doubtful": "{program}：沙箱在启动它时结束了；它可能已经运行过，重复之前请先检查",

    "tool.path.elsewhere": "{path} 现在指向的位置与获准时不同，什么也没有做。请再调用一次，以便判断新的位置。",
}
