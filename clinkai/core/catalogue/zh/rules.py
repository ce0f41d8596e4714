"""长期规则：`policy list`、`allow`、`deny`、`remove`。"""

STRINGS = {
    "rules.file": "{path} 中的长期规则：",
    "rules.no_file": "没有长期规则：{path} 不存在。",
    "rules.allow": "  允许  {rule}",
    "rules.deny": "  禁止  {rule}",
    "rules.added.allow": "从现在起，以 {rule} 开头的命令在所有工作区中无需询问即可运行：已写入 {path}",
    "rules.added.deny": "从现在起，以 {rule} 开头的命令在所有工作区中都会被拒绝：已写入 {path}",
    "rules.there.allow": "无需改动：{path} 已经允许 {rule}。",
    "rules.there.deny": "无需改动：{path} 已经禁止 {rule}。",
    "rules.removed": "规则 {rule} 已从 {path} 中移除（原在：{lists}）。",
    "rules.unknown": "无需改动：{path} 中没有规则 {rule}。",
    "rules.beaten": "但 {rule} 已被禁止，而禁止优先；可用 python clinkai.py policy remove 移除该规则。",
    "rules.blank": "它等于允许任何命令，因为该程序会运行交给它的一切。",
    "rules.never": "它永远不会匹配：规则是一条命令的开头几个单词，不含 *、...、管道或连接符；"
                    "连接起来的命令会逐条判断。",
    "rules.doubtful": "规则 {rule} 没有添加。{why}",
    "rules.doubtful.hint": "请多写几个开头的单词，例如 'python -m pytest' 或 'git commit'。"
                            "若仍要如此，请自行写入 {path}。",
    "rules.form": "{path} 的写法无法安全地改动，因此保持原样。",
    "rules.form.hint": "请手工修改；每行的形式是：allow = [\"git push\"]",
    "rules.write": "无法修改 {path} 中的规则：{why}",
}
