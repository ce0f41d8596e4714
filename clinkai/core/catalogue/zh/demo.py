"""`demo` 中脚本替身所说的话。"""

STRINGS = {
    "demo.help": "我是脚本替身，不是语言模型。我能做这些事，"
                 "可以用“然后”连接多项：\n\n"
                 "- 创建 notes/hello.md，内容为 你好，然后读出来\n"
                 "- 列出 src 目录下的文件\n"
                 "- 搜索 TODO\n"
                 "- 把 notes/hello.md 中的 你好 替换成 再见\n"
                 "- 运行 git status\n"
                 "- 删除所有文件（看看它如何被拒绝）",
    "demo.lost": "我没有看懂这个任务。",
    "demo.plan": "脚本对任务的理解：",
    "demo.plan.create": "创建 {path}",
    "demo.plan.read": "读取 {path}",
    "demo.plan.list": "列出 {path}",
    "demo.plan.search": "在 {path} 中搜索 {text}",
    "demo.plan.replace": "把 {path} 中的 {old} 替换为 {new}",
    "demo.plan.run": "运行 {command}",
    "demo.plan.delete": "运行 {command}",
    "demo.shown.read": "{subject} 的内容：\n{result}",
    "demo.here": "当前文件夹",
    "demo.shown.ls": "文件列表（{subject}）：\n{result}",
    "demo.shown.grep": "搜索 {subject} 的结果：\n{result}",
    "demo.shown.bash": "{subject} 的输出：\n{result}",
    "demo.more": "……还有 {n} 行",
    "demo.refused": "{subject} 被拒绝了，没有执行。原因：{why}",
    "demo.failed": "{subject} 没有成功：{why}",
    "demo.no_tool": "本次会话关闭了工具 {tool}。",
    "demo.unknown": "脚本没有看懂以下部分，已略过：{parts}",

    "demo.blind": "我只是脚本，看不到图片。",
}
